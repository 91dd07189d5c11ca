// Compares responses to SDKs with a bare node:http server that sends the same bytes, by CPU time. Then measures changes, memory
// and startup with 10,000 flags in each of three environments.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { gzipBody, plainBody } from '../../plane/src/serving/state/bodies.ts';
import { applyChanges, loadEnvironment } from '../../plane/src/serving/state/environment.ts';
import { makeHolder, scopeIn } from '../../plane/src/serving/state/holder.ts';
import { NO_FILTERS } from '../../plane/src/serving/state/scope.ts';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { openDb } from '../../server/src/platform/db/database.ts';
import { readChanges } from '../../server/src/publishing/source/store.ts';
import { createDatabase, dropDatabase, urlOf } from '../../server/src/test/database.ts';
import { cpuUsOf, percentile, residentMb } from '../measure.ts';
import { makeToken } from '../requests.ts';
import { printMachine, startServer } from '../server.ts';
import { changeFlag, ENVIRONMENTS, fillDocuments } from './data.ts';
import { onKeptConnections, onNewConnections, type Request, readResponse } from './load.ts';

const options = readOptions({
  run: 'npm run bench:sdk',
  does: 'Measures the CPU of responses to SDKs compared with bare node:http, and of changes among 10,000 flags.',
  options: {
    flags: { type: 'string', default: '10000', meaning: 'Number of flags in each environment' },
    requests: { type: 'string', default: '20000', meaning: 'Requests of each case' },
    changes: { type: 'string', default: '100', meaning: 'Number of measured changes' },
  },
});

const BARE = fileURLToPath(new URL('bare.ts', import.meta.url));
const SERVE = fileURLToPath(new URL('serve.ts', import.meta.url));
const BATCH = 400;
const MAX_CHANGE_MS = 10;
const MAX_PART_OF_WHOLE = 0.1;

type Served = { pid: number; port: number };
type Case = { name: string; least: number; request: string; load: typeof onKeptConnections };

const name = `halyard_sdk_${randomBytes(4).toString('hex')}`;
const url = new URL(urlOf(name));
const problems: string[] = [];
process.setMaxListeners(0);

await createDatabase(name);
let server = await startServer(url);
const client = new pg.Client({ connectionString: url.href });
try {
  await client.connect();
  await fillDocuments(client, Number(options.flags));
  const db = openDb({ url: url.href, poolSize: 1, onError: error => console.error(error.message) });
  await printMachine(client);

  const tokens = new Map<string, string>();
  for (const environment of ENVIRONMENTS)
    tokens.set(environment, await makeToken(server.url, 'backend', environment));
  const small = await makeToken(server.url, 'backend', 'production', ['project-0']);
  await server.stop();

  const started = performance.now();
  server = await startServer(url);
  const first = await fetchFeatures(tokens.get('production') ?? '');
  const startMs = performance.now() - started;
  const startCpuMs = (await cpuUsOf(server.pid)) / 1_000;
  const bytes = (await first.arrayBuffer()).byteLength;
  for (const token of tokens.values()) await (await fetchFeatures(token)).arrayBuffer();
  const rss = residentMb(server.pid);

  await compareWithBare(small);
  await measureChanges(tokens.get('production') ?? '');
  await measureBodies(db);
  console.log(
    [
      '',
      '| Measure | Value |',
      '| --- | ---: |',
      `| body of all flags, MB of text | ${(bytes / 1e6).toFixed(1)} |`,
      `| start of the process to the first response, s | ${(startMs / 1_000).toFixed(1)} |`,
      `| the same, CPU of the server, s | ${(startCpuMs / 1_000).toFixed(1)} |`,
      `| memory with ${ENVIRONMENTS.length} environments, MB | ${rss} |`,
      `| memory at the end, MB | ${residentMb(server.pid)} |`,
      `| load at the end | ${loadavg()[0]?.toFixed(1)} |`,
    ].join('\n'),
  );
  await db.destroy();
} finally {
  await client.end();
  await server.stop();
  await dropDatabase(name);
}
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);

async function fetchFeatures(token: string, etag?: string): Promise<Response> {
  const headers = {
    authorization: token,
    'unleash-client-spec': '5.2.0',
    ...(etag ? { 'if-none-match': etag } : {}),
  };
  return await fetch(`${server.url}/api/client/features`, { headers });
}

/** Requests as the SDK for Node.js sends them. */
function requestText(token: string, etag = ''): string {
  return [
    'GET /api/client/features HTTP/1.1',
    'host: 127.0.0.1:4242',
    'accept: */*',
    'accept-encoding: gzip, deflate',
    `authorization: ${token}`,
    'unleash-appname: bench',
    'unleash-instanceid: bench-instance',
    'unleash-connection-id: 6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55',
    'unleash-interval: 15000',
    'unleash-sdk: unleash-node-sdk:6.12.1',
    'unleash-client-spec: 5.2.0',
    'user-agent: bench',
    ...(etag === '' ? [] : [`if-none-match: ${etag}`]),
    '',
    '',
  ].join('\r\n');
}

async function compareWithBare(token: string): Promise<void> {
  const etag = (await fetchFeatures(token)).headers.get('etag') ?? '';
  const cases: Case[] = [
    {
      name: '304, kept connection',
      least: 0.6,
      request: requestText(token, etag),
      load: onKeptConnections,
    },
    {
      name: '304, new connection',
      least: 0.75,
      request: requestText(token, etag),
      load: onNewConnections,
    },
    { name: '200, gzip', least: 0.6, request: requestText(token), load: onKeptConnections },
  ];
  console.log('| Case | KB | CPU of the server, µs | bare node:http, µs | bare / server | at least |');
  console.log('| --- | ---: | ---: | ---: | ---: | ---: |');
  const served = fork(SERVE, [], {
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: url.href, LOG_LEVEL: 'warn' },
  });
  const [port] = (await once(served, 'message')) as [number];
  for (const one of cases) await compareCase(one, { pid: served.pid ?? 0, port });
  served.kill();
}

async function compareCase({ name: what, least, request, load }: Case, served: Served): Promise<void> {
  const own: Request = { port: served.port, text: request };
  const response = await readResponse(own);
  const end = response.indexOf('\r\n\r\n');
  const [line = '', ...lines] = response.subarray(0, end).toString().split('\r\n');
  const body = response.subarray(end + 4);
  // Node adds these itself, in both servers.
  const headers = lines
    .map(text => /^([^:]+): (.*)$/.exec(text)?.slice(1) ?? [])
    .filter(([header = '']) => !/^(date|connection|keep-alive)$/i.test(header))
    .flat();
  const bare = fork(BARE, { stdio: 'inherit' });
  bare.send({ status: Number(line.split(' ')[1]), headers, body: body.toString('base64') });
  const [port] = (await once(bare, 'message')) as [number];
  const lengths = { server: await keptLength(own), bare: await keptLength({ ...own, port }) };
  const cost = { server: [] as number[], bare: [] as number[] };
  const measure = async (which: 'server' | 'bare') => {
    const pid = which === 'server' ? served.pid : (bare.pid ?? 0);
    const before = await cpuUsOf(pid);
    await load(which === 'server' ? own : { ...own, port }, BATCH, lengths[which]);
    cost[which].push(((await cpuUsOf(pid)) - before) / BATCH);
  };
  // Small batches in turn, so that both have the same neighbours on a busy machine. The first third warms up.
  const batches = Math.round(Number(options.requests) / BATCH);
  for (let round = 0; round < batches; round++) {
    for (const which of round % 2 === 0 ? (['server', 'bare'] as const) : (['bare', 'server'] as const))
      await measure(which);
  }
  for (const list of Object.values(cost)) list.splice(0, Math.round(batches / 3));
  bare.kill();
  const [ours, theirs] = [percentile(cost.server, 0.5), percentile(cost.bare, 0.5)];
  const ratio = theirs / ours;
  if (ratio < least)
    problems.push(
      `${what}: ${(ratio * 100).toFixed(0)} % of bare node:http, at least ${least * 100} % expected`,
    );
  const kb = (body.length / 1_000).toFixed(1);
  console.log(
    `| ${what} | ${kb} | ${ours.toFixed(0)} | ${theirs.toFixed(0)} | ${(ratio * 100).toFixed(0)} % | ${least * 100} % |`,
  );
}

/** The length of a response on a connection that stays open. */
async function keptLength({ port, text }: Request): Promise<number> {
  const closed = await readResponse({ port, text });
  // `connection: close` in place of `connection: keep-alive` and `keep-alive: timeout=72`.
  return closed.length - 'close'.length + 'keep-alive'.length + 'Keep-Alive: timeout=72\r\n'.length;
}

/** Each change is followed by one request for the new body: the CPU of the process for reading, compressing, assembling and sending. */
async function measureChanges(token: string): Promise<void> {
  const changes = Number(options.changes);
  const request: Request = { port: Number(new URL(server.url).port), text: requestText(token) };
  const before = await cpuUsOf(server.pid);
  let etag = (await fetchFeatures(token)).headers.get('etag') ?? '';
  for (let round = 1; round <= changes; round++) {
    await changeFlag(client, 'production', round);
    while ((await fetchFeatures(token, etag)).status === 304);
    etag =
      /^etag: (.*)$/im.exec((await readResponse(request)).subarray(0, 1_000).toString())?.[1]?.trim() ?? '';
  }
  const perChange = ((await cpuUsOf(server.pid)) - before) / 1_000 / changes;
  console.log(
    `\nCPU of the server for one change, its refresh and two bodies of all flags: ${perChange.toFixed(1)} ms`,
  );
}

/** The same work in this process: one change and the new gzip body, compared with building the whole body. */
async function measureBodies(db: Parameters<typeof readChanges>[0]): Promise<void> {
  const environment = loadEnvironment(await readChanges(db, 'production', 0));
  const scope = scopeIn(makeHolder(environment), {
    environment: 'production',
    projects: undefined,
    filters: NO_FILTERS,
    inline: false,
  });
  const first = await cpuOf(() => gzipBody('features', scope));
  const changed: number[] = [];
  const whole: number[] = [];
  for (let round = 1_001; round <= 1_050; round++) {
    await changeFlag(client, 'production', round);
    const changes = await readChanges(db, 'production', environment.revision);
    changed.push(
      await cpuOf(async () => {
        applyChanges(environment, changes);
        await gzipBody('features', scope);
      }),
    );
    if (round % 10 === 0) whole.push(await cpuOf(() => gzipSync(plainBody('features', scope))));
  }
  const [one, all] = [percentile(changed, 0.5), percentile(whole, 0.5)];
  const size = (await gzipBody('features', scope)).length / 1_000;
  const plain = gzipSync(plainBody('features', scope)).length / 1_000;
  console.log(
    [
      '',
      '| Gzip body of all flags | CPU, ms | KB |',
      '| --- | ---: | ---: |',
      `| first body, all chunks | ${first.toFixed(1)} | ${size.toFixed(0)} |`,
      `| after a change, p50 | ${one.toFixed(1)} | ${size.toFixed(0)} |`,
      `| after a change, p95 | ${percentile(changed, 0.95).toFixed(1)} | ${size.toFixed(0)} |`,
      `| built as a whole | ${all.toFixed(1)} | ${plain.toFixed(0)} |`,
      `| change / whole | ${((one / all) * 100).toFixed(1)} % | |`,
    ].join('\n'),
  );
  if (one > MAX_CHANGE_MS)
    problems.push(`A change costs ${one.toFixed(1)} ms of CPU, at most ${MAX_CHANGE_MS} expected`);
  if (one > all * MAX_PART_OF_WHOLE)
    problems.push(`A change costs ${((one / all) * 100).toFixed(0)} % of the whole body`);
}

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
