// Runs real SDKs on every transport behind edges that read over HTTP and over NATS, while flags change and processes are killed
// at random. Then kills and pauses the publishing server. No SDK may go back to older flags, the frames in NATS must have neither
// gaps nor duplicates, and in the end every SDK must match the database.
import { execFileSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { busNames } from '@halyard/plane/feed/bus.ts';
import { readEnrolment } from '@halyard/plane/feed/enrolment.ts';
import type { FlagsFrame } from '@halyard/plane/feed/frames.ts';
import { readBatch } from '@halyard/plane/feed/nats.ts';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
import pg from 'pg';
import { makeNatsServers } from '../../edge/failures/nats-server.ts';
import { type RunningServer, startProcess, stopProcess } from '../../server/src/test/process.ts';
import { TRANSPORTS, type Transport } from '../../server/src/test/sdk-client.ts';
import { startTcpProxy, type TcpProxy } from '../../server/src/test/tcp-proxy.ts';
import { startBalancer } from '../balancer.ts';
import { count, formatCounts, loadAverage, makeDatabase, readSettings, runCampaign } from '../campaign.ts';
import { startLoop } from '../load.ts';
import { mustSend } from '../requests.ts';
import { describeDifference, getSdkFlags, readDocuments, waitUntilEqual } from '../sdks.ts';
import { type Server, startServer } from '../server.ts';
import {
  changeWriterFlag,
  ENVIRONMENT,
  makeWriterFlagsAndToken,
  type ObservedSdk,
  observeSdk,
} from '../writers.ts';

const settings = readSettings(
  'npm run campaign:edge',
  'Kills servers, edges and NATS servers while flags change, and compares all SDKs with the database.',
  {
    sdks: [50, 'SDKs on each transport'],
    seconds: [600, 'Seconds during which processes are killed'],
    publisherKills: [100, 'Kills and pauses of the publishing server'],
    writers: [8, 'Writers, each with a separate flag'],
    edges: [3, 'Edges over HTTP, and the same number over NATS'],
  },
);

const EDGE_SCRIPT = fileURLToPath(new URL('../../edge/src/main.ts', import.meta.url));
const CONFIG_SCRIPT = fileURLToPath(new URL('../../server/scripts/nats-config.ts', import.meta.url));
const POLL_MS = 1_000;
const WRITE_MS = 300;
const KILL_EVERY_MS = 5_000;
const PAUSE_MS = 3_000;
const CONVERGENCE_TIMEOUT_MS = 120_000;
const NATS_SERVERS = 3;
const BATCH = { messages: 500, bytes: 1_000_000 };

/** SDKs connect to the proxy, because a restarted edge listens on a different port. */
type Edge = { env: Record<string, string>; server: RunningServer; proxy: TcpProxy };

await runCampaign(async campaign => {
  const { fail, atEnd } = campaign;
  const url = await makeDatabase('edges_kills', campaign);
  const folder = mkdtempSync(join(tmpdir(), 'halyard-edges-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  process.env.HALYARD_SECRET_KEY = randomBytes(32).toString('base64');

  // The NATS configuration depends on the edge tokens, so a server has to create them first.
  const firstServer = await startServer(url);
  const pool = new pg.Pool({ connectionString: url.href, max: settings.writers });
  atEnd(() => pool.end());
  const token = await makeWriterFlagsAndToken(url, pool, settings.writers);
  const body = { tokenName: 'edges', type: 'edge', environment: ENVIRONMENT };
  const { enrolment } = (await mustSend(firstServer.url, 'POST', '/api/admin/api-tokens', body)) as {
    enrolment: string;
  };
  const { id, framesStream } = busNames(readEnrolment(enrolment).feed);
  await firstServer.stop();
  execFileSync(process.execPath, [CONFIG_SCRIPT, '--folder', folder], { env: { DATABASE_URL: url.href } });
  const nats = await makeNatsServers(folder, NATS_SERVERS, 'hub.conf');
  atEnd(() => Promise.all(nats.map(node => node.kill())));
  await Promise.all(nats.map(node => node.start()));
  const natsUrl = nats.map(node => node.url).join();
  process.env.HALYARD_NATS_URL = natsUrl;
  process.env.HALYARD_NATS_NKEY_FILE = join(folder, 'publisher.nk');
  process.env.HALYARD_NATS_REPLICAS = String(NATS_SERVERS);
  const servers: Server[] = [await startServer(url), await startServer(url)];
  atEnd(() => Promise.all(servers.map(server => server.stop())));
  const ports = servers.map(server => Number(new URL(server.url).port));
  const balancer = await startBalancer(ports);
  atEnd(balancer.close);

  const edges: Edge[] = [];
  for (let n = 0; n < 2 * settings.edges; n++) {
    const sharedEnv = { HALYARD_EDGE_ENROLMENT: enrolment, HALYARD_EDGE_UPSTREAM: balancer.url };
    const nkey = join(folder, `edge-${id}.nk`);
    const env: Record<string, string> =
      n < settings.edges
        ? { ...sharedEnv, HALYARD_DATA_DIR: join(folder, `edge-${n}`) }
        : { ...sharedEnv, HALYARD_EDGE_NATS_URL: natsUrl, HALYARD_EDGE_NATS_NKEY_FILE: nkey };
    const server = await startProcess(env, undefined, EDGE_SCRIPT);
    const proxy = await startTcpProxy('127.0.0.1', server.port);
    const edge: Edge = { env, server, proxy };
    atEnd(async () => {
      await stopProcess(edge.server, 'SIGKILL');
      await proxy.close();
    });
    edges.push(edge);
  }

  const observedSdks: ObservedSdk[] = [];
  atEnd(() => observedSdks.forEach(({ sdk }) => void sdk.destroy()));
  for (const transport of Object.keys(TRANSPORTS) as Transport[])
    for (let n = 0; n < settings.sdks; n++) {
      const port = edges[n % edges.length]?.proxy.port;
      const options = { writers: settings.writers, pollMs: POLL_MS };
      observedSdks.push(await observeSdk(`http://127.0.0.1:${port}`, token, transport, options));
    }
  console.log(`${observedSdks.length} SDKs behind ${edges.length} edges ready, ${loadAverage()}`);

  const killServer = async (index: number): Promise<void> => {
    process.kill(servers[index]?.pid ?? 0, 'SIGKILL');
    servers[index] = await startServer(url, { port: ports[index] });
  };
  const killEdge = async (edge: Edge): Promise<void> => {
    await stopProcess(edge.server, 'SIGKILL');
    edge.server = await startProcess(edge.env, undefined, EDGE_SCRIPT);
    edge.proxy.moveTo(edge.server.port);
  };
  const victims: [string, () => Promise<void>][] = [
    ...servers.map((_, index): [string, () => Promise<void>] => ['server', () => killServer(index)]),
    ...edges.map((edge): [string, () => Promise<void>] => ['edge', () => killEdge(edge)]),
    ...nats.map((node): [string, () => Promise<void>] => ['NATS', () => node.kill().then(node.start)]),
  ];

  let commitCount = 0;
  const writers = Array.from({ length: settings.writers }, (_, writer) =>
    startLoop(WRITE_MS, async n => {
      await changeWriterFlag(pool, writer, n + 1);
      commitCount++;
    }),
  );
  const kills = new Map<string, number>();
  const startedAt = performance.now();
  while (performance.now() - startedAt < settings.seconds * 1_000) {
    const [victim, kill] = victims[randomInt(victims.length)] ?? [];
    if (!victim || !kill) continue;
    count(kills, victim);
    await Promise.all([kill(), sleep(KILL_EVERY_MS)]);
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`${seconds} s: ${commitCount} changes, kills: ${formatCounts(kills)}, ${loadAverage()}`);

  const disruptions = new Map<string, number>();
  for (let n = 0; n < settings.publisherKills; n++) {
    const index = await findPublisher(servers);
    count(disruptions, n % 2 === 0 ? 'kill' : 'pause');
    if (n % 2 === 0) await killServer(index);
    else {
      process.kill(servers[index]?.pid ?? 0, 'SIGSTOP');
      await sleep(PAUSE_MS);
      process.kill(servers[index]?.pid ?? 0, 'SIGCONT');
    }
  }
  await Promise.all(writers.map(writer => writer.stop()));
  console.log(`${commitCount} changes, publisher: ${formatCounts(disruptions)}, ${loadAverage()}`);
  if (commitCount === 0) fail('nothing was written');

  const expected = await readDocuments(pool, ENVIRONMENT);
  const { differing, ms } = await waitUntilEqual(() => {
    // After five failures in a minute, an SDK falls back to polling until its application switches it back to streaming.
    for (const { sdk, transport } of observedSdks)
      if (transport === 'streaming') void sdk.setExperimentalMode('streaming');
    return observedSdks.flatMap(({ sdk }) => describeDifference(getSdkFlags(sdk), expected) ?? []);
  }, CONVERGENCE_TIMEOUT_MS);
  console.log(`${differing.length} of ${observedSdks.length} SDKs differ after ${ms.toFixed(0)} ms`);
  if (differing.length > 0) fail(`${differing.length} SDKs differ: ${differing[0]}`);
  const regressions = observedSdks.reduce((sum, observedSdk) => sum + observedSdk.regressions, 0);
  const changes = observedSdks.reduce((sum, observedSdk) => sum + observedSdk.changes, 0);
  console.log(`${changes} changes seen by SDKs, ${regressions} regressions`);
  if (regressions > 0) fail(`${regressions} regressions`);

  const { rows } = await pool.query('select revision from sdk_revisions where environment = $1', [
    ENVIRONMENT,
  ]);
  const revision = Number(rows[0]?.revision);
  const seed = readFileSync(join(folder, 'publisher.nk'), 'utf8').trim();
  const connection = await connect({
    servers: nats.map(node => node.url),
    authenticator: nkeyAuthenticator(Buffer.from(seed)),
  });
  const frames: FlagsFrame[] = [];
  for (let sequence = 1; ; ) {
    const batch = await readBatch(connection, framesStream, sequence, BATCH);
    if (batch.length === 0) break;
    for (const { data } of batch) frames.push(JSON.parse(Buffer.from(data).toString().split('\n')[0] ?? ''));
    sequence = (batch.at(-1)?.sequence ?? 0) + 1;
  }
  await connection.close();
  const flagFrames = frames.filter(({ log }) => log === 'flags');
  const revisionSteps = flagFrames.slice(1).map(({ prev }, index) => prev - (flagFrames[index]?.rev ?? 0));
  const [gaps, duplicates] = [
    revisionSteps.filter(step => step > 0).length,
    revisionSteps.filter(step => step < 0).length,
  ];
  console.log(
    `${frames.length} messages in NATS up to revision ${flagFrames.at(-1)?.rev} of ${revision}: ${gaps} gaps, ${duplicates} duplicates`,
  );
  if (gaps + duplicates > 0) fail(`${gaps} gaps and ${duplicates} duplicates in NATS`);
  if (flagFrames.at(-1)?.rev !== revision) fail(`NATS ends with revision ${flagFrames.at(-1)?.rev}`);
});

/** Waits until a server publishes, and returns its index. */
async function findPublisher(servers: readonly Server[]): Promise<number> {
  for (;;) {
    for (const [index, { url }] of servers.entries()) {
      const response = await fetch(`${url}/internal-backstage/prometheus`).catch(() => undefined);
      if (/^halyard_nats_leader 1$/m.test((await response?.text()) ?? '')) return index;
    }
    await sleep(100);
  }
}
