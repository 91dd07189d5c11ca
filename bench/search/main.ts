// Measures the search of events on a large log over HTTP. Each result is compared with plain SQL that shares no code with the server.
import { readSettings } from '../campaign.ts';
import { withClient } from '../database.ts';
import { printMachine, startServer, waitForIndex } from '../server.ts';
import { makeCallers } from './callers.ts';
import { type Case, casesOf } from './cases.ts';
import { HEADER, missedGoals, rowOf } from './goals.ts';
import { databaseOf, prepareEvents } from './load.ts';
import { type Measured, runCase, runConcurrently } from './run.ts';

const { events, only, seconds, fresh } = readSettings(
  'npm run bench',
  'Measures the search of events on a large log over HTTP, and compares each result with plain SQL.',
  {
    events: [1_000_000, 'Number of events in the log'],
    only: ['', 'Run only the cases whose name contains this text'],
    seconds: [8, 'Seconds per case'],
    fresh: [false, 'Create the database again'],
  },
);

const url = databaseOf(events);
const cases = casesOf(events).filter(({ name }) => name.includes(only));
await prepareEvents(url, events, fresh);
await withClient(url, async client => {
  const callers = await makeCallers(client);
  // It creates the admin token too.
  const server = await startServer(url);
  try {
    await waitForIndex(server.url);
    await printMachine(client);
    const setting = (one: Case) => {
      const caller = callers.get(one.caller ?? 'admin');
      if (!caller) throw new Error(`Unknown caller ${one.caller}`);
      return { server, client, caller, seconds };
    };
    const measured: [Case, Measured][] = [];
    for (const one of cases) {
      const result = await runCase(one, setting(one));
      if (one.isConcurrent) result.concurrentP95 = await runConcurrently(one, setting(one));
      measured.push([one, result]);
      console.error(rowOf(one, result));
    }
    console.log([HEADER, ...measured.map(([one, result]) => rowOf(one, result))].join('\n'));
    const failed = measured.filter(
      ([one, result]) => result.failure !== undefined || missedGoals(one, result).length > 0,
    );
    console.log(`\n${failed.length} of ${cases.length} cases failed or missed a goal`);
    if (failed.length > 0) process.exitCode = 1;
  } finally {
    await server.stop();
  }
});
