// Measures the search of events on a large log over HTTP. Each result is compared with plain SQL that shares no code with the server.
import { readOptions } from '../../server/src/platform/command-line.ts';
import { withClient } from '../database.ts';
import { printMachine, startServer, waitForIndex } from '../server.ts';
import { makeCallers } from './callers.ts';
import { type Case, casesOf } from './cases.ts';
import { HEADER, missedGoals, rowOf } from './goals.ts';
import { databaseOf, prepareEvents } from './load.ts';
import { type Measured, runCase, runConcurrently } from './run.ts';

const options = readOptions({
  run: 'npm run bench',
  does: 'Measures the search of events on a large log over HTTP, and compares each result with plain SQL.',
  options: {
    events: { type: 'string', default: '1000000', meaning: 'Number of events in the log' },
    only: { type: 'string', default: '', meaning: 'Run only the cases whose name contains this text' },
    seconds: { type: 'string', default: '8', meaning: 'Seconds per case' },
    fresh: { type: 'boolean', default: false, meaning: 'Create the database again' },
  },
});

const events = Number(options.events);
const url = databaseOf(events);
const cases = casesOf(events).filter(({ name }) => name.includes(options.only));
await prepareEvents(url, events, options.fresh);
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
      return { server, client, caller, loaded: events, seconds: Number(options.seconds) };
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
