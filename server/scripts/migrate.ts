// Brings the database at DATABASE_URL up to date without starting a server.
import { readConfig } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import { MigrationError } from '../src/db/migration-error.ts';
import { sayDatabase } from './say-database.ts';

const { databaseUrl } = readConfig(process.env);
sayDatabase(databaseUrl);
try {
  const applied = await migrate(databaseUrl, {
    onApplied: ({ name, ms, retries }) =>
      console.log(
        `Applied ${name} in ${ms} ms${retries > 0 ? `, after ${retries} retries for a lock` : ''}.`,
      ),
    onWaiting: () => console.log('Another process is migrating this database. Waiting for it to finish.'),
  });
  if (applied.length === 0) console.log('The database is up to date.');
} catch (error) {
  if (!(error instanceof MigrationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
