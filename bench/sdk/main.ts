// Compares responses to SDKs with a bare node:http server that sends the same bytes, by CPU time. Then measures changes among
// 10,000 flags in each of three environments.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { gzipBody, plainBody } from '@halyard/plane/serving/state/bodies.ts';
import { applyChanges, loadEnvironment } from '@halyard/plane/serving/state/environment.ts';
import { getOrCreateScope, makeEnvironmentState } from '@halyard/plane/serving/state/environment-state.ts';
import { NO_FILTERS } from '@halyard/plane/serving/state/scope.ts';
import pg from 'pg';
import { openDb } from '../../server/src/platform/db/database.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { readChanges } from '../../server/src/publishing/source/store.ts';
import { makeApiToken } from '../../server/src/test/factories.ts';
import { type Campaign, loadAverage, makeDatabase, readSettings, runCampaign } from '../campaign.ts';
import { percentile, readCpuUs } from '../measure.ts';
import { printMachine } from '../server.ts';
import { changeFlag, fillDocuments } from './data.ts';
import { buildRequest, measureResponseLength, type Request, readResponse, sendMany } from './load.ts';

const settings = readSettings(
  'npm run bench:sdk',
  'Measures the CPU time of SDK responses compared with bare node:http, and of changes among 10,000 flags.',
  {
    flags: [10_000, 'Number of flags in each environment'],
    requests: [20_000, 'Requests per case'],
  },
);

const BARE_SCRIPT = fileURLToPath(new URL('bare.ts', import.meta.url));
const SERVE_SCRIPT = fileURLToPath(new URL('serve.ts', import.meta.url));
const BATCH = 400;
const MAX_CHANGE_MS = 10;
const MAX_SHARE_OF_WHOLE = 0.1;

type ServerProcess = { pid: number; port: number };
type Case = { name: string; minRatio: number; request: string; isPersistent: boolean };
type Fail = Campaign['fail'];

await runCampaign(async campaign => {
  const { fail, atEnd } = campaign;
  const url = await makeDatabase('sdk', campaign);
  await migrate(url.href);
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  atEnd(() => client.end());
  await fillDocuments(client, settings.flags);
  const db = openDb({ url: url.href, poolSize: 1, onError: error => console.error(error.message) });
  atEnd(() => db.destroy());
  await printMachine(client);
  const fields = { tokenName: 'bench', type: 'backend' as const, environment: 'production' };
  const { secret } = await makeApiToken(db, { ...fields, projects: ['project-0'] });
  const serverProcess = fork(SERVE_SCRIPT, [], {
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: url.href, LOG_LEVEL: 'warn' },
  });
  atEnd(() => serverProcess.kill());
  const [port] = (await once(serverProcess, 'message')) as [number];
  await compareWithBare(secret, { pid: serverProcess.pid ?? 0, port }, fail);
  await measureBodies(db, client, fail);
  console.log(loadAverage());
});

async function compareWithBare(token: string, server: ServerProcess, fail: Fail): Promise<void> {
  const response = await readResponse({ port: server.port, text: buildRequest(token) });
  const etag = /^etag: (.*)$/im.exec(response.subarray(0, 1_000).toString())?.[1]?.trim() ?? '';
  const notModified = buildRequest(token, etag);
  const cases: Case[] = [
    { name: '304, persistent connection', minRatio: 0.6, request: notModified, isPersistent: true },
    { name: '304, new connection', minRatio: 0.75, request: notModified, isPersistent: false },
    { name: '200, gzip', minRatio: 0.6, request: buildRequest(token), isPersistent: true },
  ];
  console.log('| Case | KB | Server CPU, µs | bare node:http, µs | bare / server | at least |');
  console.log('| --- | ---: | ---: | ---: | ---: | ---: |');
  for (const benchCase of cases) await compareCase(benchCase, server, fail);
}

async function compareCase(
  { name, minRatio, request, isPersistent }: Case,
  server: ServerProcess,
  fail: Fail,
): Promise<void> {
  const serverRequest: Request = { port: server.port, text: request };
  const response = await readResponse(serverRequest);
  const headEnd = response.indexOf('\r\n\r\n');
  const [statusLine = '', ...headerLines] = response.subarray(0, headEnd).toString().split('\r\n');
  const body = response.subarray(headEnd + 4);
  // Node.js adds these headers itself in both servers.
  const headers = headerLines
    .map(text => /^([^:]+): (.*)$/.exec(text)?.slice(1) ?? [])
    .filter(([header = '']) => !/^(date|connection|keep-alive)$/i.test(header))
    .flat();
  const bareProcess = fork(BARE_SCRIPT, { stdio: 'inherit' });
  bareProcess.send({ status: Number(statusLine.split(' ')[1]), headers, body: body.toString('base64') });
  const [port] = (await once(bareProcess, 'message')) as [number];
  const lengths = {
    server: await measureResponseLength(serverRequest),
    bare: await measureResponseLength({ ...serverRequest, port }),
  };
  const costs = { server: [] as number[], bare: [] as number[] };
  const measure = async (target: 'server' | 'bare') => {
    const pid = target === 'server' ? server.pid : (bareProcess.pid ?? 0);
    const cpuUsBefore = await readCpuUs(pid);
    await sendMany(
      target === 'server' ? serverRequest : { ...serverRequest, port },
      BATCH,
      lengths[target],
      isPersistent,
    );
    costs[target].push(((await readCpuUs(pid)) - cpuUsBefore) / BATCH);
  };
  // Small alternating batches let other load on the machine affect both equally. The first third only warms up.
  const batches = Math.round(settings.requests / BATCH);
  for (let round = 0; round < batches; round++) {
    for (const target of round % 2 === 0 ? (['server', 'bare'] as const) : (['bare', 'server'] as const))
      await measure(target);
  }
  for (const times of Object.values(costs)) times.splice(0, Math.round(batches / 3));
  bareProcess.kill();
  const [serverUs, bareUs] = [percentile(costs.server, 0.5), percentile(costs.bare, 0.5)];
  const ratio = bareUs / serverUs;
  if (ratio < minRatio)
    fail(`${name}: ${(ratio * 100).toFixed(0)} % of bare node:http, at least ${minRatio * 100} % expected`);
  const kb = (body.length / 1_000).toFixed(1);
  console.log(
    `| ${name} | ${kb} | ${serverUs.toFixed(0)} | ${bareUs.toFixed(0)} | ${(ratio * 100).toFixed(0)} % | ${minRatio * 100} % |`,
  );
}

/** Compares the CPU time of updating the gzip body after a change with that of building the whole body. */
async function measureBodies(
  db: Parameters<typeof readChanges>[0],
  client: pg.Client,
  fail: Fail,
): Promise<void> {
  const environment = loadEnvironment(await readChanges(db, 'production', 0));
  const scope = getOrCreateScope(makeEnvironmentState(environment), {
    environment: 'production',
    projects: undefined,
    filters: NO_FILTERS,
    inline: false,
  });
  const firstBodyMs = await measureCpuMs(() => gzipBody('features', scope));
  const changeTimes: number[] = [];
  const wholeTimes: number[] = [];
  for (let round = 1_001; round <= 1_050; round++) {
    await changeFlag(client, 'production', round);
    const changes = await readChanges(db, 'production', environment.revision);
    changeTimes.push(
      await measureCpuMs(async () => {
        applyChanges(environment, changes);
        await gzipBody('features', scope);
      }),
    );
    if (round % 10 === 0) wholeTimes.push(await measureCpuMs(() => gzipSync(plainBody('features', scope))));
  }
  const [changeMs, wholeMs] = [percentile(changeTimes, 0.5), percentile(wholeTimes, 0.5)];
  const bodyKb = (await gzipBody('features', scope)).length / 1_000;
  const wholeKb = gzipSync(plainBody('features', scope)).length / 1_000;
  console.log(
    [
      '',
      '| Gzip body of all flags | CPU, ms | KB |',
      '| --- | ---: | ---: |',
      `| first body, all chunks | ${firstBodyMs.toFixed(1)} | ${bodyKb.toFixed(0)} |`,
      `| after a change, p50 | ${changeMs.toFixed(1)} | ${bodyKb.toFixed(0)} |`,
      `| after a change, p95 | ${percentile(changeTimes, 0.95).toFixed(1)} | ${bodyKb.toFixed(0)} |`,
      `| built as a whole | ${wholeMs.toFixed(1)} | ${wholeKb.toFixed(0)} |`,
      `| change / whole | ${((changeMs / wholeMs) * 100).toFixed(1)} % | |`,
    ].join('\n'),
  );
  if (changeMs > MAX_CHANGE_MS)
    fail(`A change costs ${changeMs.toFixed(1)} ms of CPU, at most ${MAX_CHANGE_MS} expected`);
  if (changeMs > wholeMs * MAX_SHARE_OF_WHOLE)
    fail(`A change costs ${((changeMs / wholeMs) * 100).toFixed(0)} % of the whole body`);
}

async function measureCpuMs(work: () => unknown): Promise<number> {
  const usageBefore = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(usageBefore);
  return (user + system) / 1_000;
}
