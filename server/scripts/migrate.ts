// Migrates the database in DATABASE_URL without starting a server.
import { readOptions } from '../src/platform/command-line.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { howToRun } from '../src/platform/files.ts';
import { describeVariables } from '../src/platform/variables.ts';
import { runScript } from './run.ts';

readOptions({
  run: howToRun('migrate'),
  does: 'Applies all missing migrations to the database in DATABASE_URL, without starting a server.',
  variables: describeVariables('DATABASE_URL'),
});

await runScript(process.env, async ({ databaseUrl }) => {
  const appliedMigrations = await migrate(databaseUrl, {
    onApplied: ({ name, ms, retries }) =>
      console.log(
        `Applied ${name} in ${ms} ms${retries > 0 ? `, after ${retries} retries for a lock` : ''}.`,
      ),
    onWaiting: () => console.log('Another process is migrating this database. Waiting for it to finish.'),
  });
  if (appliedMigrations.length === 0) console.log('The database is up to date.');
});
