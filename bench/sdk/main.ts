// Compares responses to SDKs with a bare node:http server that sends the same bytes, by CPU time. Then measures changes among
// 10,000 flags in each of three environments.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { gzipBody, plainBody } from '../../plane/src/serving/state/bodies.ts';
import { applyChanges, loadEnvironment } from '../../plane/src/serving/state/environment.ts';
import { makeHolder, scopeIn } from '../../plane/src/serving/state/holder.ts';
import { NO_FILTERS } from '../../plane/src/serving/state/scope.ts';
import { openDb } from '../../server/src/platform/db/database.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { readChanges } from '../../server/src/publishing/source/store.ts';
import { makeApiToken } from '../../server/src/test/factories.ts';
import { type Campaign, load, makeDatabase, readSettings, runCampaign } from '../campaign.ts';
import { cpuUsOf, percentile } from '../measure.ts';
import { printMachine } from '../server.ts';
import { changeFlag, fillDocuments } from './data.ts';
import { keptLength, type Request, readResponse, requestText, sendMany } from './load.ts';

const settings = readSettings(
  'npm run bench:sdk',
  'Measures the CPU of responses to SDKs compared with bare node:http, and of changes among 10,000 flags.',
  {
    flags: [10_000, 'Number of flags in each environment'],
    requests: [20_000, 'Requests of each case'],
  },
);

const BARE = fileURLToPath(new URL('bare.ts', import.meta.url));
const SERVE = fileURLToPath(new URL('serve.ts', import.meta.url));
const BATCH = 400;
const MAX_CHANGE_MS = 10;
const MAX_PART_OF_WHOLE = 0.1;

type Served = { pid: number; port: number };
type Case = { name: string; least: number; request: string; isKept: boolean };
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
  const served = fork(SERVE, [], {
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: url.href, LOG_LEVEL: 'warn' },
  });
  atEnd(() => served.kill());
  const [port] = (await once(served, 'message')) as [number];
  await compareWithBare(secret, { pid: served.pid ?? 0, port }, fail);
  await measureBodies(db, client, fail);
  console.log(load());
});

async function compareWithBare(token: string, served: Served, fail: Fail): Promise<void> {
  const first = await readResponse({ port: served.port, text: requestText(token) });
  const etag = /^etag: (.*)$/im.exec(first.subarray(0, 1_000).toString())?.[1]?.trim() ?? '';
  const notModified = requestText(token, etag);
  const cases: Case[] = [
    { name: '304, kept connection', least: 0.6, request: notModified, isKept: true },
    { name: '304, new connection', least: 0.75, request: notModified, isKept: false },
    { name: '200, gzip', least: 0.6, request: requestText(token), isKept: true },
  ];
  console.log('| Case | KB | CPU of the server, µs | bare node:http, µs | bare / server | at least |');
  console.log('| --- | ---: | ---: | ---: | ---: | ---: |');
  for (const one of cases) await compareCase(one, served, fail);
}

async function compareCase(
  { name: what, least, request, isKept }: Case,
  served: Served,
  fail: Fail,
): Promise<void> {
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
    await sendMany(which === 'server' ? own : { ...own, port }, BATCH, lengths[which], isKept);
    cost[which].push(((await cpuUsOf(pid)) - before) / BATCH);
  };
  // Small batches in turn, so that both have the same neighbours on a busy machine. The first third warms up.
  const batches = Math.round(settings.requests / BATCH);
  for (let round = 0; round < batches; round++) {
    for (const which of round % 2 === 0 ? (['server', 'bare'] as const) : (['bare', 'server'] as const))
      await measure(which);
  }
  for (const list of Object.values(cost)) list.splice(0, Math.round(batches / 3));
  bare.kill();
  const [ours, theirs] = [percentile(cost.server, 0.5), percentile(cost.bare, 0.5)];
  const ratio = theirs / ours;
  if (ratio < least)
    fail(`${what}: ${(ratio * 100).toFixed(0)} % of bare node:http, at least ${least * 100} % expected`);
  const kb = (body.length / 1_000).toFixed(1);
  console.log(
    `| ${what} | ${kb} | ${ours.toFixed(0)} | ${theirs.toFixed(0)} | ${(ratio * 100).toFixed(0)} % | ${least * 100} % |`,
  );
}

/** One change and the new gzip body in this process, compared with building the whole body. */
async function measureBodies(
  db: Parameters<typeof readChanges>[0],
  client: pg.Client,
  fail: Fail,
): Promise<void> {
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
    fail(`A change costs ${one.toFixed(1)} ms of CPU, at most ${MAX_CHANGE_MS} expected`);
  if (one > all * MAX_PART_OF_WHOLE)
    fail(`A change costs ${((one / all) * 100).toFixed(0)} % of the whole body`);
}

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
