import { readOptions } from '../../server/src/platform/command-line.ts';
import { withClient } from '../database.ts';
import { databaseOf, prepareEvents } from '../events/load.ts';
import { PROFILES, type ProfileName } from '../events/profiles.ts';
import { describeMachine, startServer, waitForIndex } from '../server.ts';
import { makeCallers } from './callers.ts';
import { type Case, casesOf } from './cases.ts';
import { computeTexts } from './expected.ts';
import { explainCases } from './explain.ts';
import { rowOf, writeReport } from './report.ts';
import { type Measured, runAtOnce, runCase } from './run.ts';

const options = readOptions({
  run: 'npm run bench',
  does: 'Measures the search of events on a large log over HTTP, and compares each result with plain SQL.',
  options: {
    events: { type: 'string', default: '1000000', meaning: 'Number of events in the log' },
    profile: {
      type: 'string',
      default: 'skewed',
      meaning: `Distribution: ${Object.keys(PROFILES).join(' or ')}`,
    },
    only: { type: 'string', default: '', meaning: 'Run only the cases whose name contains this text' },
    except: { type: 'string', default: '', meaning: 'Leave out the cases whose name contains this text' },
    seconds: { type: 'string', default: '8', meaning: 'Seconds per case' },
    report: { type: 'string', default: '', meaning: 'Write the report to this Markdown file' },
    explain: {
      type: 'boolean',
      default: false,
      meaning: 'Print the query plans of each case instead of measuring',
    },
    prepare: {
      type: 'boolean',
      default: false,
      meaning: 'Create the database and compute the expected results, without measuring',
    },
    fresh: { type: 'boolean', default: false, meaning: 'Create the database again' },
  },
});

const [profile, events] = [options.profile as ProfileName, Number(options.events)];
const url = databaseOf(profile, events);
const isExcepted = (name: string) => options.except !== '' && name.includes(options.except);
const cases = casesOf(profile, events).filter(({ name }) => name.includes(options.only) && !isExcepted(name));
await prepareEvents(url, profile, events, options.fresh);
await withClient(url, async client => {
  const callers = await makeCallers(client, PROFILES[profile]);
  const callerOf = (one: Case) => {
    const caller = callers.get(one.caller ?? 'admin');
    if (!caller) throw new Error(`Unknown caller ${one.caller}`);
    return caller;
  };
  if (!options.explain) {
    await computeTexts(
      url,
      cases.map(one => ({ search: one.search, caller: callerOf(one) })),
      events,
    );
  }
  if (options.prepare) return;
  // It creates the admin token too.
  const server = await startServer(url);
  try {
    await waitForIndex(server.url);
    if (options.explain) return await explainCases(url, cases, callerOf);
    const machine = await describeMachine(client);
    console.log(machine);
    const setting = (one: Case) => ({
      server,
      client,
      caller: callerOf(one),
      loaded: events,
      seconds: Number(options.seconds),
    });
    const measured: Measured[] = [];
    for (const one of cases) {
      const result = await runCase(one, setting(one));
      measured.push(result);
      console.log(rowOf(one, result));
    }
    for (const [n, one] of cases.entries()) {
      const result = measured[n];
      if (!one.atOnce || !result) continue;
      result.atOnceP95 = await runAtOnce(one, setting(one));
      console.log(`16 at once: ${rowOf(one, result)}`);
    }
    console.log(`Peak memory of the server: ${await server.peakMemoryMb()} MB`);
    if (options.report !== '') {
      const command = `npm run bench -- --events ${events} --profile ${profile} --seconds ${options.seconds}`;
      const date = new Date().toISOString().slice(0, 10);
      writeReport(options.report, { profile, events, command, machine, date, cases: measured });
    }
    if (measured.some(one => one.failure !== undefined)) process.exitCode = 1;
  } finally {
    await server.stop();
  }
});
