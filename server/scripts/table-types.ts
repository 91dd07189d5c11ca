// Writes src/platform/db/tables.gen.ts from a migrated database, so that the compiler knows every column.
import { spawnSync } from 'node:child_process';
import { readOptions } from '../src/platform/command-line.ts';
import { runScript } from './run.ts';

const TYPES = { timestamptz: 'string', int8: 'number', jsonb: 'unknown' };

const { verify } = readOptions({
  run: 'npm run table-types',
  does: 'Writes server/src/platform/db/tables.gen.ts from the tables of the database in DATABASE_URL.',
  options: {
    verify: { type: 'boolean', default: false, meaning: 'Only compare; exit with 1 if the file differs' },
  },
});

await runScript(process.env, async ({ databaseUrl }) => {
  const result = spawnSync(
    'npx',
    [
      'kysely-codegen',
      ...['--dialect', 'postgres', '--url', databaseUrl, '--type-mapping', JSON.stringify(TYPES)],
      ...['--include-pattern', 'public.*', '--exclude-pattern', '*migration*'],
      ...['--out-file', new URL('../src/platform/db/tables.gen.ts', import.meta.url).pathname],
      ...(verify ? ['--verify'] : []),
    ],
    { stdio: 'inherit' },
  );
  process.exitCode = result.status ?? 1;
});
