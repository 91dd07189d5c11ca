// Promotes standbys that lack commits, and restores older copies of the data folder, while a server runs under load. Passes if all
// clients then match the database and have nothing that was lost.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../../server/src/test/delivery-campaign.ts';
import { canRunClusters } from '../../server/src/test/postgres-cluster.ts';
import { type Campaign, count, formatCounts, loadAverage, readSettings, runCampaign } from '../campaign.ts';
import { makeToken, type Response } from '../requests.ts';
import { startServer } from '../server.ts';
import { findNewestEventId, type Outcome, startFailingDatabase } from './database.ts';
import { compareSdks, KINDS, startSdks } from './sdks.ts';
import { startSearches } from './searches.ts';
import { compareLogs, type EventLog, SEARCHES, tailEvents } from './streams.ts';
import { startTokenWorkload } from './tokens.ts';
import { ENVIRONMENT, startWriters } from './writers.ts';

const settings = readSettings(
  'npm run campaign:failover',
  'Promotes standbys and restores copies of the data folder under load, and compares all clients with the database.',
  {
    promotions: [20, 'Number of promoted standbys'],
    copies: [10, 'Number of restored data folders'],
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

const LOAD_BEFORE_MS = 1_000;
const LOAD_AFTER_MS = 3_000;
const PAUSE_MS = 1_000;
/** Within this time after a failover, SDKs and streams must match the database, and requests must succeed again. */
const CONVERGENCE_TIMEOUT_MS = 10_000;
const LOSS = { ms: 2_000, events: 60 };

let lateFailureCount = 0;
let isStopping = false;
// Ctrl-C ends the campaign after the current round.
process.once('SIGINT', () => {
  isStopping = true;
});
await runCampaign(run);

async function run({ fail, atEnd }: Campaign): Promise<void> {
  const startedAt = Date.now();
  const random = randomFrom(settings.seed);
  const counts = new Map<string, number>();
  const report = (what: string) => (problem: string) => {
    count(counts, what);
    fail(`${new Date().toISOString().slice(11, 23)} ${what}: ${problem}`);
  };
  console.log(`seed ${settings.seed}, ${loadAverage()}`);
  const database = await startFailingDatabase(random);
  atEnd(database.remove);
  const server = await startServer(database.url);
  atEnd(server.stop);

  /**
   * Reports responses with 500, and counts other requests that fail long after a failover. The latter are no problem, because on a
   * busy machine, a few requests wait too long for a lock.
   */
  function recordIfFailed({ status, text, sentAt }: Response): void {
    if (status === 500) report('response with 500')(text);
    if (status !== 0 && status < 500) return;
    if (sentAt - database.era.openedAt < CONVERGENCE_TIMEOUT_MS || database.era.state !== 'open') return;
    lateFailureCount++;
    console.error(
      `${new Date().toISOString().slice(11, 23)} failed long after a failover: ${status} ${text}`,
    );
  }

  const sdkTokens = {
    backend: await makeToken(server.url, 'backend', ENVIRONMENT),
    frontend: await makeToken(server.url, 'frontend', ENVIRONMENT),
  };
  const writers = startWriters(server.url, settings.writers, random, recordIfFailed);
  const tokens = startTokenWorkload(server.url, database, random, recordIfFailed, {
    wronglyAccepted: report('accepted revoked token'),
    wronglyRejected: report('rejected valid token'),
  });
  const writingLoops = [...writers.loops, tokens.changeLoop];
  const searches = startSearches(
    server.url,
    database,
    settings.searchers,
    random,
    recordIfFailed,
    report('wrong search result'),
  );
  const loops = [...writingLoops, tokens.probeLoop, ...searches.loops];
  atEnd(() => Promise.all(loops.map(loop => loop.stop())));
  const sdks = await startSdks(server.url, settings.sdks, sdkTokens);
  atEnd(() => sdks.forEach(sdk => void sdk.stop()));
  const logs: EventLog[] = [];
  for (const search of SEARCHES)
    logs.push(await tailEvents(server.url, search, report('stream that ended without a reason')));
  atEnd(() => Promise.all(logs.map(log => log.stop())));
  console.log(`${sdks.length} SDKs, ${logs.length} streams and ${writers.loops.length} writers are ready`);

  let lostEventCount = 0;
  const rounds = { promotion: 0, copy: 0 };
  for (const [index, kind] of planRounds().entries()) {
    if (isStopping) break;
    rounds[kind]++;
    for (const loop of writingLoops) loop.resume();
    await sleep(LOAD_BEFORE_MS);
    const outcome: Outcome =
      kind === 'promotion' ? await database.promote(LOSS, index % 2 === 1) : await database.restore(LOSS);
    if (outcome.lostEvents === 0) throw new Error('The round lost nothing');
    lostEventCount += outcome.lostEvents;
    await sleep(LOAD_AFTER_MS);
    // Wait until new events have reused all lost ids.
    while ((await findNewestEventId(database.era)) <= outcome.position) await sleep(100);
    await Promise.all(writingLoops.map(loop => loop.pause()));
    await tokens.reconcile();
    const { era } = database;
    const [{ differing, ms }, incomplete] = await Promise.all([
      compareSdks(sdks, era, writers.names, CONVERGENCE_TIMEOUT_MS),
      compareLogs(logs, era, CONVERGENCE_TIMEOUT_MS),
    ]);
    differing.forEach(report('SDK that differs'));
    incomplete.forEach(report('incomplete stream'));
    await sleep(PAUSE_MS);
    if (!server.isRunning()) throw new Error('The server exited');
    console.log(
      `round ${index + 1}, ${kind}: ${outcome.lostEvents} events lost, down for ${(outcome.downMs / 1_000).toFixed(1)} s, ` +
        `SDKs equal ${ms.toFixed(0)} ms after the last write, problems so far: ${formatCounts(counts) || 'none'}, ${loadAverage()}`,
    );
  }
  const sum = (read: (log: EventLog) => number) => logs.reduce((total, log) => total + read(log), 0);
  console.log(
    `${rounds.promotion} promotions and ${rounds.copy} copies in ${Math.round((Date.now() - startedAt) / 60_000)} minutes: ` +
      `${writers.changes()} changes, ${lostEventCount} events lost\n` +
      `${searches.counts.correct} searches compared, ${searches.counts.failed} rejected during a failover\n` +
      `${tokens.counts.probes} requests with tokens; ${tokens.counts.lostTokens} tokens were lost and ${tokens.counts.resurrectedTokens} resurrected; ` +
      `a token was accepted for at most ${tokens.counts.longestAcceptedAfterRevocationMs.toFixed(0)} ms after it was revoked or lost\n` +
      `${tokens.counts.acceptedBeforeDeadline} requests accepted while the database was unreachable, with tokens that were revoked less than 5 s before\n` +
      `${sum(log => log.counts.received)} events streamed, ${sum(log => log.counts.resets)} streams ended\n` +
      `${lateFailureCount} requests failed that were sent 10 s after a failover or later`,
  );
}

/** Spreads the copies evenly among the promotions. */
function planRounds(): ('promotion' | 'copy')[] {
  const [promotions, copies] = [settings.promotions, settings.copies];
  return Array.from({ length: promotions + copies }, (_, index) => {
    const copiesAt = (rounds: number) => Math.floor((rounds * copies) / (promotions + copies));
    return copiesAt(index + 1) > copiesAt(index) ? 'copy' : 'promotion';
  });
}
