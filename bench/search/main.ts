// Measures event search over HTTP on a large log. Each result is compared with plain SQL that shares no code with the server.
import { readSettings } from '../campaign.ts';
import { withClient } from '../database.ts';
import { printMachine, startServer, waitForIndex } from '../server.ts';
import { makeCallers } from './callers.ts';
import { buildCases, type Case } from './cases.ts';
import { findMissedGoals, formatRow, HEADER } from './goals.ts';
import { buildDatabaseUrl, prepareEvents } from './load.ts';
import { type Measurement, runCase, runConcurrently } from './run.ts';

const {
  events,
  only,
  seconds,
  fresh: recreate,
} = readSettings(
  'npm run bench',
  'Measures event search on a large log over HTTP, and compares each result with plain SQL.',
  {
    events: [1_000_000, 'Number of events in the log'],
    only: ['', 'Run only the cases whose names contain this string'],
    seconds: [8, 'Seconds per case'],
    fresh: [false, 'Recreate the database'],
  },
);

const url = buildDatabaseUrl(events);
const cases = buildCases(events).filter(({ name }) => name.includes(only));
await prepareEvents(url, events, recreate);
await withClient(url, async client => {
  const callers = await makeCallers(client);
  // The server also creates the admin token.
  const server = await startServer(url);
  try {
    await waitForIndex(server.url);
    await printMachine(client);
    const getSetting = (benchCase: Case) => {
      const caller = callers.get(benchCase.caller ?? 'admin');
      if (!caller) throw new Error(`Unknown caller ${benchCase.caller}`);
      return { server, client, caller, seconds };
    };
    const measurements: [Case, Measurement][] = [];
    for (const benchCase of cases) {
      const result = await runCase(benchCase, getSetting(benchCase));
      if (benchCase.isConcurrent)
        result.concurrentP95 = await runConcurrently(benchCase, getSetting(benchCase));
      measurements.push([benchCase, result]);
      console.error(formatRow(benchCase, result));
    }
    console.log(
      [HEADER, ...measurements.map(([benchCase, result]) => formatRow(benchCase, result))].join('\n'),
    );
    const failedCases = measurements.filter(
      ([benchCase, result]) => result.failure !== undefined || findMissedGoals(benchCase, result).length > 0,
    );
    console.log(`\n${failedCases.length} of ${cases.length} cases failed or missed a goal`);
    if (failedCases.length > 0) process.exitCode = 1;
  } finally {
    await server.stop();
  }
});
