// Measures streams of SDKs: the time from a commit to the event in a real SDK, the memory of idle streams, the time until the last of
// many clients has a change, rounds of changes under load, and what a kill of the server costs.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { toggleFeatures } from '../server/src/flags/feature-environments/toggle.ts';
import { SYSTEM } from '../server/src/platform/actor.ts';
import { readOptions } from '../server/src/platform/command-line.ts';
import { type Db, openDb } from '../server/src/platform/db/database.ts';
import { change } from '../server/src/record/change.ts';
import { createDatabase, dropDatabase, urlOf } from '../server/src/test/database.ts';
import { makeApiToken, makeFeature } from '../server/src/test/factories.ts';
import { startSdk } from '../server/src/test/sdk-client.ts';
import { putDocuments } from '../server/src/test/sdk-documents.ts';
import { cpuBetween, percentile, readCpu } from './measure.ts';
import { printMachine, type Server, startServer } from './server.ts';
import { now, type Request, type Response } from './streams/messages.ts';

const options = readOptions({
  run: 'npm run bench:sdk-streams',
  does: 'Measures streams of SDKs: latency, memory, fan-out, load, and a kill of the server.',
  options: {
    streams: { type: 'string', default: '10000', meaning: 'Number of streams; each needs a file descriptor' },
    rate: { type: 'string', default: '50', meaning: 'Changes per second under load' },
    seconds: { type: 'string', default: '30', meaning: 'Duration of the load' },
    toggles: { type: 'string', default: '300', meaning: 'Changes measured with the SDK' },
    rounds: { type: 'string', default: '7', meaning: 'Fan-outs of each kind' },
  },
});

const STREAMS = Number(options.streams);
const ENVIRONMENT = 'production';
const WRITERS = 4;
const DELTA_BYTES = 2_000;
const IDLE_POLLS_MS = 10_000;
const PATH = '/api/client/streaming';
const name = `halyard_streams_${randomBytes(4).toString('hex')}`;
const rows: [measure: string, value: string, goal: string, isMet: boolean][] = [];

await createDatabase(name);
const url = new URL(urlOf(name));
let server: Server = await startServer(url);
const port = Number(new URL(server.url).port);
const clients = fork(new URL('streams/clients.ts', import.meta.url));
const bare = fork(new URL('streams/bare.ts', import.meta.url));
const [barePort] = await once(bare, 'message');
const db = openDb({ url: url.href, poolSize: 4, onError: () => {} });
try {
  await printMachine(db);
  const fields = { tokenName: 'bench', type: 'backend' as const, environment: ENVIRONMENT };
  const token = (await makeApiToken(db, fields)).secret;
  await measureSdk(token);
  await measureBareAndFanOut(token);
  await measureLoad(token);
  await measureKill();
  console.log('\n| Measure | Value | Goal | Met |\n| --- | ---: | ---: | --- |');
  for (const [measure, value, goal, isMet] of rows)
    console.log(`| ${measure} | ${value} | ${goal} | ${isMet ? 'yes' : 'no'} |`);
  console.log(`\nload ${loadavg()[0]?.toFixed(1)} at the end`);
  process.exitCode = rows.every(([, , , isMet]) => isMet) ? 0 : 1;
} finally {
  clients.disconnect();
  bare.disconnect();
  await db.destroy();
  await server.stop();
  await dropDatabase(name);
}
process.exit();

function report(measure: string, value: string, goal = '', isMet = true): void {
  rows.push([measure, value, goal, isMet]);
  console.error(
    `${measure}: ${value}${goal === '' ? '' : ` (goal ${goal}, load ${loadavg()[0]?.toFixed(1)})`}`,
  );
}

async function ask(request: Request): Promise<Response> {
  clients.send(request);
  return (await once(clients, 'message'))[0] as Response;
}

/** From the commit of a toggle through the admin operation to `changed` in a real SDK. */
async function measureSdk(token: string): Promise<void> {
  await makeFeature(db, 'default', { name: 'measured' });
  const sdk = await startSdk(server.url, token, 'streaming');
  await setEnabled(db, true);
  const latencies: number[] = [];
  for (let round = 0; round < Number(options.toggles); round++) {
    const changed = once(sdk, 'changed');
    await setEnabled(db, round % 2 !== 0);
    const committed = performance.now();
    await changed;
    latencies.push(Math.max(0, performance.now() - committed));
    await sleep(20);
  }
  sdk.destroy();
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  report('commit to `changed` in a streaming SDK, p50, ms', p50.toFixed(1), '25', p50 <= 25);
  report('commit to `changed` in a streaming SDK, p99, ms', p99.toFixed(1), '150', p99 <= 150);
}

async function setEnabled(on: Db, enabled: boolean): Promise<void> {
  await change(on, SYSTEM, current => toggleFeatures(current, 'default', ENVIRONMENT, ['measured'], enabled));
}

/** The same number of sockets and bytes in a bare loop, then in the server. Each is measured several times. */
async function measureBareAndFanOut(token: string): Promise<void> {
  await ask({ kind: 'open', port: Number(barePort), path: '/', token: '', count: STREAMS });
  const bareTimes: number[] = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    bare.send('write');
    const [{ revision, at }] = (await once(bare, 'message')) as [{ revision: number; at: number }];
    bareTimes.push((await ask({ kind: 'wait', revision })).lastAt - at);
    await sleep(1_000);
  }
  await ask({ kind: 'close' });

  const before = await memoryOf(server.pid);
  const { opened, openedInMs } = await ask({ kind: 'open', port, path: PATH, token, count: STREAMS });
  report(
    'streams opened',
    `${opened} in ${(openedInMs / 1_000).toFixed(1)} s`,
    String(STREAMS),
    opened === STREAMS,
  );
  await sleep(10_000);
  const each = ((await memoryOf(server.pid)) - before) / STREAMS;
  report('memory of an idle stream, KB', each.toFixed(1), '20', each <= 20);
  const cpuBefore = await readCpu([server.pid]);
  await sleep(15_000);
  const cpu = cpuBetween(cpuBefore, await readCpu([server.pid])) ?? Number.NaN;
  report('CPU with idle streams, comments included, % of one core', ((cpu / 15_000) * 100).toFixed(1));

  const times: number[] = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    const revision = await put(round, DELTA_BYTES);
    const at = now();
    times.push((await ask({ kind: 'wait', revision })).lastAt - at);
    await sleep(3_000);
  }
  const [ours, bareMs] = [percentile(times, 0.5), percentile(bareTimes, 0.5)];
  report('bare loop, 2 KB, until the last client has it, median, ms', bareMs.toFixed(0));
  report(
    'commit of a 2 KB change until the last client has it, median, ms',
    ours.toFixed(0),
    `2 x ${bareMs.toFixed(0)}`,
    ours <= 2 * bareMs,
  );
}

/** Writes a document of this size as one change. */
async function put(number: number, bytes: number): Promise<number> {
  const text = randomBytes(bytes / 2).toString('hex');
  const feature = { name: `flag-${number % 20}`, enabled: true, strategies: [], variants: [], text };
  return await putDocuments(db, ENVIRONMENT, { features: [feature] });
}

/** Many changes per second, while another client polls. */
async function measureLoad(token: string): Promise<void> {
  await ask({ kind: 'reset' });
  // On a busy machine every response waits for a processor: the difference is what the changes add.
  const idle = pollUnchanged(token);
  await sleep(IDLE_POLLS_MS);
  const idle304 = await idle.stop();
  const polls = pollUnchanged(token);
  const commits: [number, number][] = [];
  const cpuBefore = await readCpu([server.pid]);
  const started = performance.now();
  const total = Number(options.rate) * Number(options.seconds);
  let round = 0;
  const write = async (): Promise<void> => {
    while (round < total) {
      const number = round++;
      const due = started + (number * 1_000) / Number(options.rate);
      await sleep(Math.max(0, due - performance.now()));
      commits.push([await put(number, 500), now()]);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  const seconds = (performance.now() - started) / 1_000;
  const cpu = cpuBetween(cpuBefore, await readCpu([server.pid])) ?? Number.NaN;
  const latencies304 = await polls.stop();
  await ask({ kind: 'wait', revision: Math.max(...commits.map(([revision]) => revision)) });
  const { p50, p99, most, receipts } = await ask({ kind: 'latencies', commits });
  report(
    'changes per second',
    (total / seconds).toFixed(1),
    options.rate,
    total / seconds >= Number(options.rate) * 0.9,
  );
  report(
    'commit to receipt under load, p50 / most, ms',
    `${p50.toFixed(0)} / ${most.toFixed(0)} (${receipts.toLocaleString('en')} receipts)`,
  );
  report('commit to receipt under load, p99, ms', p99.toFixed(0), '1500', p99 <= 1_500);
  const own = percentile(latencies304, 0.99);
  report(
    '304 meanwhile, p50 / most, ms',
    `${percentile(latencies304, 0.5).toFixed(1)} / ${percentile(latencies304, 1).toFixed(0)} (${latencies304.length})`,
  );
  report(
    '304 without changes, p50 / p99, ms',
    `${percentile(idle304, 0.5).toFixed(1)} / ${percentile(idle304, 0.99).toFixed(1)} (${idle304.length})`,
  );
  report('304 meanwhile, p99, ms', own.toFixed(1), '50', own <= 50);
  report('CPU of the server under load, % of one core', ((cpu / seconds / 1_000) * 100).toFixed(0));
}

/** A client with a tag of a revision that the server does not have yet: it gets 304 whatever changes. */
function pollUnchanged(token: string): { stop: () => Promise<number[]> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies: number[] = [];
  let running = true;
  const poll = (headers: Record<string, string>) =>
    new Promise<{ status: number; etag: string }>((resolve, reject) => {
      get(`${server.url}/api/client/features`, { agent, headers }, response => {
        response.resume();
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, etag: String(response.headers.etag) }),
        );
      }).on('error', reject);
    });
  const finished = (async () => {
    const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
    const { etag } = await poll(headers);
    const ahead = etag.replace(/\d+"$/, '999999999"');
    while (running) {
      const start = performance.now();
      const { status } = await poll({ ...headers, 'if-none-match': ahead });
      if (status !== 304) throw new Error(`Expected 304, got ${status}`);
      latencies.push(performance.now() - start);
      await sleep(10);
    }
    agent.destroy();
  })();
  return {
    stop: async () => {
      running = false;
      await finished;
      return latencies;
    },
  };
}

/** All clients come back to the restarted server by themselves. */
async function measureKill(): Promise<void> {
  await ask({ kind: 'reset' });
  process.kill(server.pid, 'SIGKILL');
  const killed = now();
  server = await startServer(url, port);
  const restarted = now();
  const { opened, lastAt, mostBytes, hydrations } = await ask({ kind: 'back' });
  const seconds = (lastAt - restarted) / 1_000;
  report('restart after the kill, s', ((restarted - killed) / 1_000).toFixed(1));
  report(
    `all ${opened} clients back after the restart, s`,
    seconds.toFixed(1),
    '30',
    seconds <= 30 && opened === STREAMS,
  );
  report('most bytes of a client for that', String(mostBytes), '1024', mostBytes <= 1_024);
  report('hydrations', String(hydrations), '0', hydrations === 0);
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
}
