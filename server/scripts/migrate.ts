// Brings the database at DATABASE_URL up to date without starting a server.
import { readConfig } from '../src/config.ts';
import { MIGRATION_TIMEOUT_MS, openDb } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';

const config = readConfig(process.env);
const db = openDb({
  url: config.databaseUrl,
  poolSize: 2,
  onError: error => console.warn(error.message),
  queryTimeoutMs: MIGRATION_TIMEOUT_MS,
});
const applied = await migrate(db);
console.log(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
await db.destroy();
