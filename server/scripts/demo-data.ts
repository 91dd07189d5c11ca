// Fills an empty database with the sample data, through a running server and its public API.
import { readOptions } from '../src/platform/command-line.ts';
import { runScript } from './run.ts';

readOptions({
  run: 'npm run demo-data',
  does: `Fills an empty database with sample data: three projects, four people and 60 days of history, with a stale flag,
a failing webhook, a clone that differs from its source, and applications that report results. It prints the passwords. It
requires a database without users and a PostgreSQL superuser, because it moves the times of events into the past.`,
});

await runScript(process.env, async config => {
  const { makeSampleData } = await import('./sample-data/make.ts');
  const people = await makeSampleData(config);
  console.log('The database has the sample data. Log in as one of these users:\n');
  for (const { username, password, role } of people)
    console.log(`  ${username.padEnd(5)} ${role.padEnd(7)} password ${password}`);
  console.log(`\nNext:  npm start\nThen:  ${config.publicUrl}`);
});
