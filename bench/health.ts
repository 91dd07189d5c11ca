import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { buildApp } from '../server/src/app.ts';
import { readOptions } from '../server/src/platform/command-line.ts';
import { readConfig } from '../server/src/platform/config.ts';
import { type Db, openDb } from '../server/src/platform/db/database.ts';
import type { App } from '../server/src/platform/http/app.ts';
import { BUSY_PROJECT, FEATURES, PROJECT, prepareHealthDatabase } from './health-data.ts';
import {
  backendsOf,
  cpuBetween,
  percentile,
  readCpu,
  recordStatements,
  timed,
  timeInTurn,
} from './measure.ts';
import { ADMIN_TOKEN, printMachine, type Server, startServer } from './server.ts';

const options = readOptions({
  run: 'npm run bench:health',
  does: 'Measures the health report of a large project.',
  options: {
    fresh: { type: 'boolean', default: false, meaning: 'Create the database again' },
    only: { type: 'string', default: '', meaning: 'Run only the cases whose name contains this text' },
    rounds: { type: 'string', default: '15', meaning: 'Requests per case' },
  },
});

const ROUNDS = Number(options.rounds);
const AT_ONCE = 8;
const MOST_CPU_MS = 305;
const MOST_RATIO = 1.5;
const MOST_MEMORY_MB = 100;

const lastDays = (days: number) =>
  `from=${new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10)}`;

const CASES = [
  { name: `report, ${FEATURES} features`, path: `${PROJECT}/health-report`, bounded: true },
  { name: 'health, first 50 findings', path: `${PROJECT}/health` },
  { name: 'health, 1000 findings', path: `${PROJECT}/health?limit=1000` },
  { name: 'status', path: `${PROJECT}/status` },
  { name: 'status, a million events', path: `${BUSY_PROJECT}/status` },
  { name: 'insights', path: `${PROJECT}/insights` },
  { name: 'history of 366 days, kept', path: `${BUSY_PROJECT}/health/history?${lastDays(366)}` },
];

async function main(): Promise<void> {
  const url = new URL(process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres');
  url.pathname = '/halyard_bench_health';
  await prepareHealthDatabase(url, options.fresh);

  const server = await startServer(url);
  const db = openDb({ url: url.href, poolSize: 1, onError: console.error });
  const app = await buildApp(
    db,
    readConfig({ DATABASE_URL: url.href, LOG_LEVEL: 'silent', HALYARD_WRITES_PER_MINUTE: '0' }),
  );
  try {
    await printMachine(db);
    if ('history, first time'.includes(options.only)) await measureFirstHistory(db, server);
    // The least of all rounds, because other work on the machine adds to what a request seems to use; and the mean.
    console.log(
      '| case | MB | HTTP p50 / p95 ms | bare SQL p50 ms | ratio | CPU ms Node + PostgreSQL | mean | n |',
    );
    console.log('|---|--:|--:|--:|--:|--:|--:|--:|');
    for (const one of CASES.filter(({ name }) => name.includes(options.only)))
      await runCase(one, server, app, db);
    if ('memory'.includes(options.only)) await measureMemory(server);
  } finally {
    await app.close();
    await db.destroy();
    await server.stop();
  }
}

async function runCase(one: (typeof CASES)[number], server: Server, app: App, db: Db): Promise<void> {
  const address = `/api/admin/projects/${one.path}`;
  const { statements, connection } = await recordStatements(app, address, ADMIN_TOKEN);
  await db.connection().execute(async () => {
    let bytes = 0;
    const http = async () => {
      bytes = await get(server.url + address);
    };
    const bare = async () => {
      for (const { text, values } of statements) await connection.query(text, values);
    };
    await timeInTurn(3, http, bare);

    const times = await timeInTurn(ROUNDS, http, bare);
    const used = [];
    for (let round = 0; round < ROUNDS; round++) used.push(await cpuOf(server, connection, http));
    const ratio = percentile(times.http, 0.5) / percentile(times.bare, 0.5);
    const { node, postgres } = used.toSorted((a, b) => sum(a) - sum(b))[0] ?? NOTHING;
    const mean = used.reduce((total, one) => total + sum(one), 0) / ROUNDS;
    console.log(
      `| ${one.name} | ${(bytes / 1e6).toFixed(1)} | ${percentile(times.http, 0.5).toFixed(1)} / ` +
        `${percentile(times.http, 0.95).toFixed(1)} | ${percentile(times.bare, 0.5).toFixed(1)} | ${ratio.toFixed(2)} ` +
        `| ${node} + ${postgres} | ${mean.toFixed(0)} | ${ROUNDS} |`,
    );
    if ('bounded' in one) expectAtMost(`${one.name}: CPU ms`, node + postgres, MOST_CPU_MS);
    if ('bounded' in one) expectAtMost(`${one.name}: ratio`, ratio, MOST_RATIO);
  });
}

type Used = { node: number; postgres: number };
const NOTHING: Used = { node: Number.NaN, postgres: Number.NaN };
const sum = ({ node, postgres }: Used) => node + postgres;

/** CPU of the server and of its connections for one request; the connection of this process is left out. */
async function cpuOf(server: Server, connection: pg.Client, work: () => Promise<void>): Promise<Used> {
  const before = [await readCpu([server.pid]), await readCpu(await backendsOf(connection))] as const;
  await work();
  const node = cpuBetween(before[0], await readCpu([server.pid])) ?? Number.NaN;
  const postgres = cpuBetween(before[1], await readCpu(await backendsOf(connection))) ?? Number.NaN;
  return { node, postgres };
}

async function measureFirstHistory(db: Db, server: Server): Promise<void> {
  await db.deleteFrom('project_health_days').execute();
  const address = `${server.url}/api/admin/projects/${BUSY_PROJECT}/health/history?${lastDays(366)}`;
  const first = await timed(async () => {
    await get(address);
  });
  console.log(`History of 366 days of a project with a million events, first time: ${first.toFixed(0)} ms\n`);
}

/** How much the server grows while several read the large report at once. */
async function measureMemory(server: Server): Promise<void> {
  const address = `${server.url}/api/admin/projects/${PROJECT}/health-report`;
  await get(address);
  await sleep(1_000);
  const before = await residentMb(server.pid);
  let most = before;
  let running = true;
  const watching = (async () => {
    while (running) {
      most = Math.max(most, await residentMb(server.pid));
      await sleep(20);
    }
  })();
  await Promise.all(Array.from({ length: AT_ONCE }, () => get(address)));
  running = false;
  await watching;
  console.log(
    `\nMemory of the server: ${before.toFixed(0)} MB, ${most.toFixed(0)} MB at most with ${AT_ONCE} reports at once`,
  );
  expectAtMost('memory rise in MB', most - before, MOST_MEMORY_MB);
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

/** Reads and forgets, as a client that streams does; returns how many bytes it was. */
async function get(address: string): Promise<number> {
  const response = await fetch(address, { headers: { authorization: ADMIN_TOKEN } });
  if (response.status !== 200 || !response.body) throw new Error(`${address}: ${response.status}`);
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.length;
  return bytes;
}

function expectAtMost(what: string, value: number, most: number): void {
  if (value <= most) return;
  console.error(`${what}: ${value.toFixed(2)} is above ${most}`);
  process.exitCode = 1;
}

await main();
