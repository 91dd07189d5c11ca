// Promotes standbys that lack commits, and restores an older copy of the data folder, while a server runs under load. It passes
// if, afterwards, all clients have what the database has and nothing that was lost.
import { randomInt } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { randomFrom } from '../../server/src/test/delivery-campaign.ts';
import { canRunClusters } from '../../server/src/test/postgres-cluster.ts';
import { makeToken, type Response } from '../requests.ts';
import { startServer } from '../server.ts';
import { newestEvent, type Outcome, startFailingDatabase } from './database.ts';
import { compareSdks, KINDS, startSdks } from './sdks.ts';
import { startSearches } from './searches.ts';
import { compareLogs, type EventLog, followEvents, SEARCHES } from './streams.ts';
import { startTokens } from './tokens.ts';
import { ENVIRONMENT, startWriters } from './writers.ts';

const options = readOptions({
  run: 'npm run campaign:failover',
  does: 'Promotes standbys and restores copies of the data folder under load, and compares all clients with the database.',
  options: {
    promotions: { type: 'string', default: '20', meaning: 'Number of promoted standbys' },
    copies: { type: 'string', default: '10', meaning: 'Number of data folders that are restored' },
    writers: { type: 'string', default: '8', meaning: 'Number of writers' },
    sdks: { type: 'string', default: '40', meaning: `Number of SDKs: ${KINDS.join(', ')} in turn` },
    searchers: { type: 'string', default: '2', meaning: 'Number of searches at a time' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)), meaning: 'Seed of a run to repeat' },
  },
});

if (!canRunClusters) {
  console.error('This campaign requires root, and PostgreSQL from Debian packages.');
  process.exit(2);
}

/** How long each part of a round takes, in ms. */
const BEFORE = 1_000;
const AFTER = 3_000;
const QUIET = 1_000;
/** SDKs and streams must have what the database has within this time, and requests must succeed again. */
const EQUAL_WITHIN = 10_000;
const LOSS = { ms: 2_000, events: 60 };

const problems = {
  'wrong search results': 0,
  'accepted revoked tokens': 0,
  'rejected valid tokens': 0,
  'SDKs that differ': 0,
  'incomplete streams': 0,
  'streams that ended without a reason': 0,
  'responses with 500': 0,
};

let failedLate = 0;
let isStopping = false;
const started = Date.now();
const random = randomFrom(Number(options.seed));
console.log(`seed ${options.seed}, load ${loadavg()[0]?.toFixed(1)}`);
const database = await startFailingDatabase(random);
// Ends after the current round.
process.once('SIGINT', () => {
  isStopping = true;
});
const server = await startServer(database.url);
const stops: (() => unknown)[] = [];
try {
  await run();
  for (const [what, count] of Object.entries(problems)) console.log(`${what}: ${count}`);
  process.exitCode = Object.values(problems).every(count => count === 0) ? 0 : 1;
} finally {
  await Promise.all(stops.map(stop => stop()));
  await server.stop();
  await database.remove();
}
process.exit();

function fail(what: keyof typeof problems, problem: string): void {
  problems[what]++;
  console.error(`${new Date().toISOString().slice(11, 23)} ${what}: ${problem}`);
}

/** Requests may fail with 503 during a failover. Later they should not, but on a busy machine a few wait too long for a lock. */
function note({ status, text, sentAt }: Response): void {
  if (status === 500) fail('responses with 500', text);
  if (status !== 0 && status < 500) return;
  if (sentAt - database.era.openedAt < EQUAL_WITHIN || database.era.state !== 'open') return;
  failedLate++;
  console.error(`${new Date().toISOString().slice(11, 23)} failed long after a failover: ${status} ${text}`);
}

async function run(): Promise<void> {
  const own = {
    backend: await makeToken(server.url, 'backend', ENVIRONMENT),
    frontend: await makeToken(server.url, 'frontend', ENVIRONMENT),
  };
  const writers = startWriters(server.url, Number(options.writers), random, note);
  const tokens = startTokens(server.url, database, random, note, {
    accepted: problem => fail('accepted revoked tokens', problem),
    rejected: problem => fail('rejected valid tokens', problem),
  });
  const writing = [...writers.loops, tokens.changing];
  const searches = startSearches(server.url, database, Number(options.searchers), random, note, problem =>
    fail('wrong search results', problem),
  );
  const loops = [...writing, tokens.probing, ...searches.loops];
  stops.push(...loops.map(loop => loop.stop));
  const sdks = await startSdks(server.url, Number(options.sdks), own);
  stops.push(() => sdks.forEach(sdk => void sdk.stop()));
  const logs: EventLog[] = [];
  for (const search of SEARCHES)
    logs.push(
      await followEvents(server.url, search, problem => fail('streams that ended without a reason', problem)),
    );
  stops.push(...logs.map(log => log.stop));
  console.log(`${sdks.length} SDKs, ${logs.length} streams and ${writers.loops.length} writers are ready`);

  let lost = 0;
  const rounds = { promotion: 0, copy: 0 };
  for (const [at, kind] of kindsOfRounds().entries()) {
    if (isStopping) break;
    rounds[kind]++;
    for (const loop of writing) loop.resume();
    await sleep(BEFORE);
    const outcome: Outcome =
      kind === 'promotion' ? await database.promote(LOSS, at % 2 === 1) : await database.restore(LOSS);
    if (outcome.lost === 0) throw new Error('The round lost nothing');
    lost += outcome.lost;
    await sleep(AFTER);
    // The same numbers now refer to different content.
    while ((await newestEvent(database.era)) <= outcome.position) await sleep(100);
    await Promise.all(writing.map(loop => loop.pause()));
    await tokens.read();
    const { era } = database;
    const [{ differing, ms }, incomplete] = await Promise.all([
      compareSdks(sdks, era, writers.names, EQUAL_WITHIN),
      compareLogs(logs, era, EQUAL_WITHIN),
    ]);
    for (const problem of differing) fail('SDKs that differ', problem);
    for (const problem of incomplete) fail('incomplete streams', problem);
    await sleep(QUIET);
    if (!isAlive()) throw new Error('The server exited');
    console.log(
      `round ${at + 1}, ${kind}: ${outcome.lost} events lost, down for ${(outcome.downMs / 1_000).toFixed(1)} s, ` +
        `SDKs equal ${ms.toFixed(0)} ms after the last write, ${countProblems()} problems so far, load ${loadavg()[0]?.toFixed(1)}`,
    );
  }
  const sum = (of: (log: EventLog) => number) => logs.reduce((all, log) => all + of(log), 0);
  console.log(
    `${rounds.promotion} promotions and ${rounds.copy} copies in ${Math.round((Date.now() - started) / 60_000)} minutes: ` +
      `${writers.written()} changes, ${lost} events lost\n` +
      `${searches.counts.right} searches compared, ${searches.counts.failed} rejected during a failover\n` +
      `${tokens.counts.probes} requests with ${tokens.counts.lost} lost, ${tokens.counts.returned} returned and other tokens, ` +
      `the last accepted one ${tokens.counts.longestMs.toFixed(0)} ms after it was revoked or lost\n` +
      `${tokens.counts.unlearned} requests accepted without the database, whose tokens were revoked less than 5 s before it became unreachable\n` +
      `${sum(log => log.counts.received)} events streamed, ${sum(log => log.counts.resets)} streams ended\n` +
      `${failedLate} requests failed that were sent 10 s after a failover or later`,
  );
}

/** Copies are spread among the promotions. */
function kindsOfRounds(): ('promotion' | 'copy')[] {
  const [promotions, copies] = [Number(options.promotions), Number(options.copies)];
  return Array.from({ length: promotions + copies }, (_, at) => {
    const copiesAt = (rounds: number) => Math.floor((rounds * copies) / (promotions + copies));
    return copiesAt(at + 1) > copiesAt(at) ? 'copy' : 'promotion';
  });
}

function isAlive(): boolean {
  try {
    return process.kill(server.pid, 0);
  } catch {
    return false;
  }
}

function countProblems(): number {
  return Object.values(problems).reduce((sum, count) => sum + count, 0);
}
