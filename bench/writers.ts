import type pg from 'pg';
import type { Unleash } from 'unleash-client';
import { openDb } from '../server/src/platform/db/database.ts';
import { makeApiToken, makeFeature } from '../server/src/test/factories.ts';
import { startSdk, type Transport } from '../server/src/test/sdk-client.ts';
import { makeStrategy, readChangeNumber } from './sdks.ts';
import { printMachine } from './server.ts';

export const ENVIRONMENT = 'production';

const formatConstraints = (number: number): string => JSON.stringify(makeStrategy(number).constraints);

/** Creates a flag for each writer, enabled for the user id that equals the number of the last change. Returns an SDK token. */
export async function makeWriterFlagsAndToken(url: URL, pool: pg.Pool, writers: number): Promise<string> {
  const db = openDb({ url: url.href, poolSize: 2, onError: () => {} });
  const client = await pool.connect();
  await printMachine(client);
  client.release();
  for (let n = 0; n < writers; n++) await makeFeature(db, 'default', { name: `writer-${n}` });
  for (let n = 0; n < 100; n++) await makeFeature(db, 'default', { name: `other-${n}` });
  const fields = { tokenName: 'campaign', type: 'backend' as const, environment: ENVIRONMENT };
  const { secret } = await makeApiToken(db, fields);
  await pool.query(
    `insert into feature_strategies (feature_name, environment, strategy_name, constraints, sort_order)
     select name, $1, 'default', $2, 1 from features where name like 'writer-%'`,
    [ENVIRONMENT, formatConstraints(0)],
  );
  await db.destroy();
  return secret;
}

export const changeWriterFlag = (pool: pg.Pool, writer: number, number: number) =>
  pool.query('update feature_strategies set constraints = $1 where feature_name = $2 and environment = $3', [
    formatConstraints(number),
    `writer-${writer}`,
    ENVIRONMENT,
  ]);

export type ObservedSdk = {
  sdk: Unleash;
  transport: Transport;
  lastNumbers: number[];
  regressions: number;
  changes: number;
};

/** Starts a real SDK, and compares its flags with their previous state at every change. */
export async function observeSdk(
  url: string,
  token: string,
  transport: Transport,
  { writers, pollMs }: { writers: number; pollMs: number },
): Promise<ObservedSdk> {
  const sdk = await startSdk(url, token, transport, pollMs);
  const lastNumbers = new Array<number>(writers).fill(0);
  const observed: ObservedSdk = { sdk, transport, lastNumbers, regressions: 0, changes: 0 };
  const compare = () => {
    observed.changes++;
    for (const [writer, previousNumber] of lastNumbers.entries()) {
      const number = readChangeNumber(sdk, `writer-${writer}`);
      if (number < previousNumber) {
        observed.regressions++;
        console.log(`regression on ${transport}: writer ${writer} from ${previousNumber} to ${number}`);
      }
      lastNumbers[writer] = number;
    }
  };
  sdk.on('changed', compare);
  compare();
  return observed;
}
