import { buildApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/platform/config.ts';
import { openDb } from '../../server/src/platform/db/database.ts';
import { recordStatements } from '../measure.ts';
import type { Case } from './cases.ts';
import { addressOf, type Caller } from './plain.ts';

/** Prints the plans of the statements of each case. The statements are recorded from an application in this process. */
export async function explainCases(url: URL, cases: Case[], callerOf: (one: Case) => Caller): Promise<void> {
  const db = openDb({ url: url.href, poolSize: 1, onError: console.error });
  const app = await buildApp(db, readConfig({ DATABASE_URL: url.href, LOG_LEVEL: 'silent' }));
  try {
    for (const one of cases) {
      const { statements, connection } = await recordStatements(
        app,
        addressOf(one.search),
        callerOf(one).token,
      );
      console.log(`### ${one.name}\n`);
      for (const { text, values } of statements) {
        if (!/^\s*(with|select)\b/.test(text)) continue;
        const { rows } = await connection.query<{ 'QUERY PLAN': string }>(
          `explain (analyze, buffers) ${text}`,
          values,
        );
        console.log(`${text.trim()}\n\n${rows.map(row => row['QUERY PLAN']).join('\n')}\n`);
      }
    }
  } finally {
    await app.close();
    await db.destroy();
  }
}
