// Compares requests of frontend SDKs with calls of unleash-client, by CPU. Then measures how long polls of server SDKs take while the
// server evaluates 10,000 flags for one page after the other.
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request as send } from 'node:http';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { openDb } from '../../server/src/platform/db/database.ts';
import { createDatabase, dropDatabase, urlOf } from '../../server/src/test/database.ts';
import { makeApiToken } from '../../server/src/test/factories.ts';
import { percentile } from '../measure.ts';
import { cpuUsOf } from '../sdk/cpu.ts';
import { fillDocuments } from '../sdk/data.ts';
import { onKeptConnections, type Request, readResponse } from '../sdk/load.ts';
import { printMachine, startServer } from '../server.ts';

const options = readOptions({
  run: 'npm run bench:frontend',
  does: 'Measures the CPU of requests of frontend SDKs compared with unleash-client, and polls of server SDKs meanwhile.',
  options: {
    flags: { type: 'string', default: '150', meaning: 'Flags of the comparison' },
    requests: { type: 'string', default: '20000', meaning: 'Requests of the comparison, for each side' },
    large: { type: 'string', default: '10000', meaning: 'Flags while server SDKs poll' },
    seconds: { type: 'string', default: '30', meaning: 'Duration of the polls' },
  },
});

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const BATCH = 200;
const LEAST_OF_BARE = 0.6;
const MOST_P99_MS = 50;
const PAGES = 4;
const POLL_EVERY_MS = 5;
const CONTEXT = { userId: '4711', sessionId: 's1', remoteAddress: '127.0.0.1', appName: 'bench' };
const problems: string[] = [];
process.setMaxListeners(0);

await withFlags(Number(options.flags), compareWithBare);
await withFlags(Number(options.large), pollMeanwhile);
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);

type Served = { pid: number; port: number; documents: object[]; token: (type: TokenType) => Promise<string> };
type TokenType = 'backend' | 'frontend';

/** A server with so many flags in each environment, without its jobs, which use CPU of their own at any time. */
async function withFlags(flags: number, measure: (served: Served) => Promise<void>): Promise<void> {
  const name = `halyard_pages_${randomBytes(4).toString('hex')}`;
  const url = new URL(urlOf(name));
  await createDatabase(name);
  await (await startServer(url)).stop();
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const db = openDb({ url: url.href, poolSize: 1, onError: error => console.error(error.message) });
  const child = await (async () => {
    await fillDocuments(client, flags);
    await printMachine(db);
    const env = { ...process.env, DATABASE_URL: url.href, LOG_LEVEL: 'warn' };
    return fork(file('../sdk/serve.ts'), { stdio: 'inherit', env });
  })();
  try {
    const { rows } = await client.query<{ document: string }>(
      `select document from sdk_features where environment = 'production' order by name`,
    );
    const [port] = (await once(child, 'message')) as [number];
    await measure({
      pid: child.pid ?? 0,
      port,
      documents: rows.map(({ document }) => JSON.parse(document)),
      token: async type => {
        const { secret } = await makeApiToken(db, { tokenName: 'bench', type, environment: 'production' });
        // The server reads new tokens once a second.
        await sleep(1_500);
        return secret;
      },
    });
  } finally {
    child.kill();
    await db.destroy();
    await client.end();
    await dropDatabase(name);
  }
}

async function compareWithBare({ pid, port, documents, token }: Served): Promise<void> {
  const request: Request = { port, text: requestText(await token('frontend')) };
  const response = await readResponse(request);
  if (!response.toString().startsWith('HTTP/1.1 200')) throw new Error(response.subarray(0, 200).toString());
  const length = keptLength(response);
  const bare = fork(file('bare.ts'), { stdio: 'inherit' });
  bare.send({ documents, context: CONTEXT });
  const [flags] = (await once(bare, 'message')) as [number];
  const http = await startHttp(response);
  const sides = {
    server: { pid, us: [] as number[], run: () => onKeptConnections(request, BATCH, length) },
    bare: {
      pid: bare.pid ?? 0,
      us: [] as number[],
      run: async () => {
        bare.send(BATCH);
        await once(bare, 'message');
      },
    },
    http: {
      pid: http.child.pid ?? 0,
      us: [] as number[],
      run: () => onKeptConnections({ ...request, port: http.port }, BATCH, http.length),
    },
  };
  // Small batches in turn: both see the same neighbours on a busy machine. The first third warms up.
  const batches = Math.max(6, Math.round(Number(options.requests) / BATCH));
  for (let round = 0; round < batches; round++) {
    for (const side of round % 2 === 0 ? Object.values(sides) : Object.values(sides).toReversed()) {
      const before = await cpuUsOf(side.pid);
      await side.run();
      side.us.push(((await cpuUsOf(side.pid)) - before) / BATCH);
    }
  }
  bare.kill();
  http.child.kill();
  const median = (us: number[]) => percentile(us.slice(Math.round(batches / 3)), 0.5);
  const [ours, theirs, bytes] = [median(sides.server.us), median(sides.bare.us), median(sides.http.us)];
  const share = theirs / ours;
  const line = (what: string, us: number) => `| ${what} | ${us.toFixed(0)} | ${(1e6 / us).toFixed(0)} |`;
  console.log(`| ${flags} flags, one context | CPU, µs | per CPU second |\n| --- | ---: | ---: |`);
  console.log(`${line('POST /api/frontend', ours)}\n${line('unleash-client, called', theirs)}`);
  console.log(line('bare node:http, the same bytes without evaluating', bytes));
  console.log(`| share, at least ${LEAST_OF_BARE * 100} % | | ${(share * 100).toFixed(0)} % |`);
  console.log(`\nload ${loadavg()[0]?.toFixed(1)}\n`);
  if (share < LEAST_OF_BARE)
    problems.push(`frontend requests: ${(share * 100).toFixed(0)} % of unleash-client`);
}

/** Pages ask for all flags without a pause, and the server has no more CPU for them. Polls of server SDKs must still be short. */
async function pollMeanwhile({ port, documents, token }: Served): Promise<void> {
  const [frontend, backend] = [await token('frontend'), await token('backend')];
  const agent = new Agent({ keepAlive: true });
  const poll = async (etag = ''): Promise<{ status: number; etag: string }> => {
    const headers = {
      authorization: backend,
      'unleash-client-spec': '5.2.0',
      'accept-encoding': 'gzip',
      'if-none-match': etag,
    };
    const request = send({ agent, host: '127.0.0.1', port, path: '/api/client/features', headers });
    request.end();
    const [response] = await once(request, 'response');
    response.resume();
    await once(response, 'end');
    return { status: response.statusCode, etag: String(response.headers.etag) };
  };
  const { etag } = await poll();
  const measure = async (): Promise<number[]> => {
    const times: number[] = [];
    const end = performance.now() + Number(options.seconds) * 1_000;
    while (performance.now() < end) {
      const start = performance.now();
      const { status } = await poll(etag);
      if (status !== 304) throw new Error(`A poll got ${status}`);
      times.push(performance.now() - start);
      await sleep(POLL_EVERY_MS);
    }
    return times;
  };
  const idle = await measure();
  const pages = fork(file('load.ts'), { stdio: 'inherit' });
  pages.send({ port, token: frontend, connections: PAGES });
  await sleep(2_000);
  const busy = await measure();
  pages.send('stop');
  const [responses] = (await once(pages, 'message')) as [number];
  const line = (what: string, times: number[]) =>
    `| ${what} | ${times.length} | ${percentile(times, 0.5).toFixed(1)} | ${percentile(times, 0.99).toFixed(1)} |`;
  console.log(
    `| 304 of a server SDK, ${documents.length} flags | polls | p50, ms | p99, ms |\n| --- | ---: | ---: | ---: |`,
  );
  console.log(`${line('alone', idle)}\n${line(`while ${PAGES} pages evaluate all flags`, busy)}`);
  console.log(`\n${responses} responses to pages. load ${loadavg()[0]?.toFixed(1)}`);
  const p99 = percentile(busy, 0.99);
  if (p99 > MOST_P99_MS) problems.push(`polls: p99 is ${p99.toFixed(1)} ms, the goal is ${MOST_P99_MS} ms`);
  agent.destroy();
}

/** A bare node:http server that sends the same bytes: the least that HTTP costs. */
async function startHttp(response: Buffer): Promise<{ child: ChildProcess; port: number; length: number }> {
  const end = response.indexOf('\r\n\r\n');
  const [, ...lines] = response.subarray(0, end).toString().split('\r\n');
  const headers = lines
    .filter(line => !/^(?:date|connection|keep-alive):/i.test(line))
    .flatMap(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
  const child = fork(file('../sdk/bare.ts'), { stdio: 'inherit' });
  child.send({ status: 200, headers, body: response.subarray(end + 4).toString('base64') });
  const [port] = (await once(child, 'message')) as [number];
  return { child, port, length: keptLength(response) };
}

/** A request as the SDK for JavaScript sends it with usePOSTrequests. */
function requestText(token: string): string {
  const body = JSON.stringify({ context: CONTEXT });
  return [
    'POST /api/frontend HTTP/1.1',
    'host: 127.0.0.1:4242',
    'accept: application/json',
    `authorization: ${token}`,
    'content-type: application/json',
    'unleash-appname: bench',
    'unleash-connection-id: 6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55',
    'unleash-sdk: unleash-js-sdk:3.8.2',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

/** The length of a response on a connection that stays open: `connection: keep-alive` and `keep-alive: timeout=72`. */
function keptLength(closed: Buffer): number {
  return closed.length - 'close'.length + 'keep-alive'.length + 'Keep-Alive: timeout=72\r\n'.length;
}
