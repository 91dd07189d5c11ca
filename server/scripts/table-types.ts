// Writes src/db/tables.gen.ts from a migrated database, so that the compiler knows every column.
// `--verify` only compares: the test of drift uses it.
import { spawnSync } from 'node:child_process';
import { readConfig } from '../src/config.ts';
import { sayDatabase } from './say-database.ts';

const TYPES = { timestamptz: 'string', int8: 'number', xid8: 'string', jsonb: 'unknown' };

const { databaseUrl } = readConfig(process.env);
sayDatabase(databaseUrl);
const result = spawnSync(
  'npx',
  [
    'kysely-codegen',
    ...['--dialect', 'postgres', '--url', databaseUrl, '--type-mapping', JSON.stringify(TYPES)],
    ...['--include-pattern', 'public.*', '--exclude-pattern', '*migration*'],
    ...['--out-file', new URL('../src/db/tables.gen.ts', import.meta.url).pathname],
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);
process.exitCode = result.status ?? 1;
