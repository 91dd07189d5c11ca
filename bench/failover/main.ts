// Promotes standbys that lack commits, and restores an older copy of the data folder, while a server runs under load. It passes
// if, afterwards, all clients have what the database has and nothing that was lost.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../../server/src/test/delivery-campaign.ts';
import { canRunClusters } from '../../server/src/test/postgres-cluster.ts';
import { type Campaign, count, listed, load, readSettings, runCampaign } from '../campaign.ts';
import { makeToken, type Response } from '../requests.ts';
import { startServer } from '../server.ts';
import { newestEvent, type Outcome, startFailingDatabase } from './database.ts';
import { compareSdks, KINDS, startSdks } from './sdks.ts';
import { startSearches } from './searches.ts';
import { compareLogs, type EventLog, followEvents, SEARCHES } from './streams.ts';
import { startTokens } from './tokens.ts';
import { ENVIRONMENT, startWriters } from './writers.ts';

const settings = readSettings(
  'npm run campaign:failover',
  'Promotes standbys and restores copies of the data folder under load, and compares all clients with the database.',
  {
    promotions: [20, 'Number of promoted standbys'],
    copies: [10, 'Number of data folders that are restored'],
    writers: [8, 'Number of writers'],
    sdks: [40, `Number of SDKs: ${KINDS.join(', ')} in turn`],
    searchers: [2, 'Number of searches at a time'],
    seed: [randomInt(2 ** 31), 'Seed of a run to repeat'],
  },
);

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

let failedLate = 0;
let isStopping = false;
// Ends after the current round.
process.once('SIGINT', () => {
  isStopping = true;
});
await runCampaign(run);

async function run({ fail, atEnd }: Campaign): Promise<void> {
  const started = Date.now();
  const random = randomFrom(settings.seed);
  const counts = new Map<string, number>();
  const report = (what: string) => (problem: string) => {
    count(counts, what);
    fail(`${new Date().toISOString().slice(11, 23)} ${what}: ${problem}`);
  };
  console.log(`seed ${settings.seed}, ${load()}`);
  const database = await startFailingDatabase(random);
  atEnd(database.remove);
  const server = await startServer(database.url);
  atEnd(server.stop);

  /** Requests may fail with 503 during a failover. Later they should not, but on a busy machine a few wait too long for a lock. */
  function note({ status, text, sentAt }: Response): void {
    if (status === 500) report('response with 500')(text);
    if (status !== 0 && status < 500) return;
    if (sentAt - database.era.openedAt < EQUAL_WITHIN || database.era.state !== 'open') return;
    failedLate++;
    console.error(
      `${new Date().toISOString().slice(11, 23)} failed long after a failover: ${status} ${text}`,
    );
  }

  const own = {
    backend: await makeToken(server.url, 'backend', ENVIRONMENT),
    frontend: await makeToken(server.url, 'frontend', ENVIRONMENT),
  };
  const writers = startWriters(server.url, settings.writers, random, note);
  const tokens = startTokens(server.url, database, random, note, {
    accepted: report('accepted revoked token'),
    rejected: report('rejected valid token'),
  });
  const writing = [...writers.loops, tokens.changing];
  const searches = startSearches(
    server.url,
    database,
    settings.searchers,
    random,
    note,
    report('wrong search result'),
  );
  const loops = [...writing, tokens.probing, ...searches.loops];
  atEnd(() => Promise.all(loops.map(loop => loop.stop())));
  const sdks = await startSdks(server.url, settings.sdks, own);
  atEnd(() => sdks.forEach(sdk => void sdk.stop()));
  const logs: EventLog[] = [];
  for (const search of SEARCHES)
    logs.push(await followEvents(server.url, search, report('stream that ended without a reason')));
  atEnd(() => Promise.all(logs.map(log => log.stop())));
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
    // The same ids now refer to different events.
    while ((await newestEvent(database.era)) <= outcome.position) await sleep(100);
    await Promise.all(writing.map(loop => loop.pause()));
    await tokens.read();
    const { era } = database;
    const [{ differing, ms }, incomplete] = await Promise.all([
      compareSdks(sdks, era, writers.names, EQUAL_WITHIN),
      compareLogs(logs, era, EQUAL_WITHIN),
    ]);
    differing.forEach(report('SDK that differs'));
    incomplete.forEach(report('incomplete stream'));
    await sleep(QUIET);
    if (!server.isRunning()) throw new Error('The server exited');
    console.log(
      `round ${at + 1}, ${kind}: ${outcome.lost} events lost, down for ${(outcome.downMs / 1_000).toFixed(1)} s, ` +
        `SDKs equal ${ms.toFixed(0)} ms after the last write, problems so far: ${listed(counts) || 'none'}, ${load()}`,
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
  const [promotions, copies] = [settings.promotions, settings.copies];
  return Array.from({ length: promotions + copies }, (_, at) => {
    const copiesAt = (rounds: number) => Math.floor((rounds * copies) / (promotions + copies));
    return copiesAt(at + 1) > copiesAt(at) ? 'copy' : 'promotion';
  });
}
