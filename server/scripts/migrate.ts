// Brings the database at DATABASE_URL up to date without starting a server.
import { readConfig } from '../src/config.ts';
import { openDb } from '../src/db/database.ts';
import { migrateDatabase } from '../src/server.ts';

const config = readConfig(process.env);
const db = openDb({ url: config.databaseUrl, poolSize: 2, onError: error => console.warn(error.message) });
const applied = await migrateDatabase(db, config.databaseUrl, {
  info: () => {},
  warn: (fields, message) => console.warn(message, fields),
});
console.log(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
await db.destroy();
