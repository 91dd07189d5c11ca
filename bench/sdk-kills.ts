// Runs real SDKs on every transport against two servers while flags change and servers are killed. Then raises the epoch, and makes
// the database unreachable. No SDK may go back to older flags, and in the end every SDK must match the database.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Unleash } from 'unleash-client';
import { TRANSPORTS, type Transport } from '../server/src/test/sdk-client.ts';
import { startBalancer } from './balancer.ts';
import { count, formatCounts, loadAverage, makeDatabase, readSettings, runCampaign } from './campaign.ts';
import { startLoop } from './load.ts';
import { percentile } from './measure.ts';
import { describeDifference, getSdkFlags, readChangeNumber, readDocuments, waitUntilEqual } from './sdks.ts';
import { startProxiedServers } from './server.ts';
import {
  changeWriterFlag,
  ENVIRONMENT,
  makeWriterFlagsAndToken,
  type ObservedSdk,
  observeSdk,
} from './writers.ts';

const settings = readSettings(
  'npm run campaign:sdk',
  'Kills servers while flags change, raises the epoch, makes the database unreachable, and compares all SDKs with the database.',
  {
    sdks: [50, 'SDKs on each transport'],
    seconds: [120, 'How long to kill processes, in seconds'],
    outage: [20, 'Seconds without the database'],
    writers: [8, 'Writers, each with a separate flag'],
  },
);

const POLL_MS = 1_000;
const WRITE_MS = 300;
const CONVERGENCE_TIMEOUT_MS = 60_000;
const MAX_ARRIVAL_MS = 2_000;
const LAST_CHANGE = 999_999;
const ALL_TRANSPORTS = Object.keys(TRANSPORTS) as Transport[];

await runCampaign(async campaign => {
  const { fail, atEnd } = campaign;
  const url = await makeDatabase('sdks', campaign);
  const { proxy, servers, restart, stop } = await startProxiedServers(url);
  atEnd(proxy.close);
  atEnd(stop);
  const balancer = await startBalancer(servers.map(server => Number(new URL(server.url).port)));
  atEnd(balancer.close);
  const pool = new pg.Pool({ connectionString: url.href, max: settings.writers });
  atEnd(() => pool.end());

  const token = await makeWriterFlagsAndToken(url, pool, settings.writers);
  const observedSdks: ObservedSdk[] = [];
  atEnd(() => observedSdks.forEach(({ sdk }) => void sdk.destroy()));
  for (const transport of ALL_TRANSPORTS)
    for (let n = 0; n < settings.sdks; n++)
      observedSdks.push(await observeSdk(balancer.url, token, transport, { ...settings, pollMs: POLL_MS }));
  console.log(`${observedSdks.length} SDKs ready, ${loadAverage()}`);

  /** After five failures in a minute, an SDK falls back to polling until its application switches it back to streaming. */
  const restartStreaming = () => {
    for (const { sdk, transport } of observedSdks)
      if (transport === 'streaming') void sdk.setExperimentalMode('streaming');
  };

  const expectEqual = async (when: string) => {
    const expected = await readDocuments(pool, ENVIRONMENT);
    const { differing, ms } = await waitUntilEqual(() => {
      restartStreaming();
      return observedSdks.flatMap(({ sdk }) => describeDifference(getSdkFlags(sdk), expected) ?? []);
    }, CONVERGENCE_TIMEOUT_MS);
    console.log(
      `${when}: ${differing.length} of ${observedSdks.length} SDKs differ after ${ms.toFixed(0)} ms`,
    );
    if (differing.length > 0) fail(`${when}: ${differing.length} SDKs differ: ${differing[0]}`);
  };

  let [commits, kills] = [0, 0];
  const writers = Array.from({ length: settings.writers }, (_, writer) =>
    startLoop(WRITE_MS, async n => {
      await changeWriterFlag(pool, writer, n + 1);
      commits++;
    }),
  );
  for (const deadline = performance.now() + settings.seconds * 1_000; performance.now() < deadline; kills++) {
    await sleep(2_000 + Math.random() * 3_000);
    const index = randomInt(2);
    process.kill(servers[index]?.pid ?? 0, 'SIGKILL');
    await restart(index);
    restartStreaming();
  }
  await Promise.all(writers.map(writer => writer.stop()));
  console.log(`${commits} changes, ${kills} kills, ${loadAverage()}`);
  if (commits === 0) fail('nothing was written');
  await expectEqual('after the kills');

  // Simulates a restored backup. It has the same revisions with different documents, so only the epoch reveals the difference.
  for (const { lastNumbers } of observedSdks) lastNumbers.fill(0);
  await pool.query(
    `update sdk_features set document = regexp_replace(document, '"values": ?\\["', '\\&1')
     where environment = $1 and name like 'writer-%'`,
    [ENVIRONMENT],
  );
  await pool.query('update sdk_epoch set number = number + 1');
  await expectEqual('after a new epoch');

  const polls = servers.flatMap(server =>
    [false, true].map(isConditional => poll(server.url, token, isConditional)),
  );
  await sleep(1_000);
  proxy.freeze();
  await sleep(settings.outage * 1_000);
  await changeWriterFlag(pool, 0, LAST_CHANGE);
  proxy.restore();
  const restoredAt = performance.now();
  const arrivals = await Promise.all(observedSdks.map(({ sdk }) => measureArrival(sdk, restoredAt)));
  for (const statuses of await Promise.all(polls.map(stopPolling => stopPolling()))) {
    console.log(`${settings.outage} s without the database: ${formatCounts(statuses)}`);
    const failedStatuses = [...statuses.keys()].filter(status => status !== '200' && status !== '304');
    if (failedStatuses.length > 0) fail(`reads failed without the database: ${failedStatuses.join()}`);
  }
  // A polling SDK may see the change up to POLL_MS later than a streaming SDK.
  if (Math.max(...arrivals) > MAX_ARRIVAL_MS + POLL_MS)
    fail(`a change arrived ${Math.max(...arrivals).toFixed(0)} ms after the database became reachable again`);
  await expectEqual('after the outage');

  for (const transport of ALL_TRANSPORTS) {
    const transportSdks = observedSdks.filter(sdk => sdk.transport === transport);
    const sum = (read: (sdk: ObservedSdk) => number) =>
      transportSdks.reduce((total, sdk) => total + read(sdk), 0);
    const times = arrivals.filter((_, index) => observedSdks[index]?.transport === transport);
    const regressions = sum(sdk => sdk.regressions);
    console.log(
      `${transport}: ${transportSdks.length} SDKs, ${sum(sdk => sdk.changes)} changes seen, ${regressions} regressions; ` +
        `change after the outage, median / maximum: ${percentile(times, 0.5).toFixed(0)} / ${percentile(times, 1).toFixed(0)} ms`,
    );
    if (regressions > 0) fail(`${regressions} regressions on ${transport}`);
  }
});

/** Reads all flags in a loop. The returned function stops the loop and returns how often each status occurred. */
function poll(url: string, token: string, isConditional: boolean): () => Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
  let etag = '';
  const loop = startLoop(20, async () => {
    const response = await fetch(`${url}/api/client/features`, {
      headers: isConditional ? { ...headers, 'if-none-match': etag } : headers,
    }).catch(() => undefined);
    await response?.arrayBuffer();
    etag = response?.headers.get('etag') ?? etag;
    count(statuses, String(response?.status ?? 'no response'));
  });
  return async () => {
    await loop.stop();
    return statuses;
  };
}

/** Measures how many milliseconds the SDK takes to receive the change made during the outage. */
async function measureArrival(sdk: Unleash, restoredAt: number): Promise<number> {
  while (readChangeNumber(sdk, 'writer-0') !== LAST_CHANGE) {
    if (performance.now() - restoredAt > CONVERGENCE_TIMEOUT_MS) return Number.POSITIVE_INFINITY;
    await sleep(5);
  }
  return performance.now() - restoredAt;
}
