import pg from 'pg';
import { buildApp } from '../server/src/app.ts';
import { readOptions } from '../server/src/platform/command-line.ts';
import { readConfig } from '../server/src/platform/config.ts';
import { openDb } from '../server/src/platform/db/database.ts';
import { LARGE_PROJECT, prepareFeatures } from './feature-data.ts';
import { backendsOf, both, cpuBetween, readCpu, timed } from './measure.ts';
import { ADMIN_TOKEN, printMachine, type Server, startServer } from './server.ts';

readOptions({
  run: 'npm run bench:writes',
  does: 'Measures changes on a large instance, and compares each request with its bare SQL.',
});

const ROUNDS = 300;
const WARM_UP = 20;

type Request = { method: 'POST' | 'PUT'; path: string; body?: unknown };
type Case = { name: string; request: (n: number) => Request };

const P = `/api/admin/projects/${LARGE_PROJECT}/features`;
const strategy = {
  name: 'flexibleRollout',
  parameters: { rollout: '25' },
  constraints: [{ contextName: 'field-1', operator: 'IN', values: ['a', 'b'] }],
  segments: [1],
};

/** Each case works on the features that the first one has made. */
const CASES: Case[] = [
  {
    name: 'create a feature',
    request: n => ({
      method: 'POST',
      path: P,
      body: { name: `written-${n}`, description: 'Made by a bench' },
    }),
  },
  {
    name: 'enable, with the default strategy',
    request: n => ({ method: 'POST', path: `${P}/written-${n}/environments/production/on` }),
  },
  {
    name: 'add a strategy with constraint and segment',
    request: n => ({
      method: 'POST',
      path: `${P}/written-${n}/environments/production/strategies`,
      body: strategy,
    }),
  },
  {
    name: 'update',
    request: n => ({ method: 'PUT', path: `${P}/written-${n}`, body: { description: `Changed ${n}` } }),
  },
  {
    name: 'tag',
    request: n => ({
      method: 'POST',
      path: `/api/admin/features/written-${n}/tags`,
      body: { type: 'simple', value: 'tag-1' },
    }),
  },
];

async function main(): Promise<void> {
  const url = new URL(process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres');
  const source = new URL(url);
  source.pathname = '/halyard_bench_features';
  await prepareFeatures(source, false);
  const copy = new URL(url);
  copy.pathname = '/halyard_bench_writes';
  await replaceDatabase(url, 'halyard_bench_writes', 'create database %I template halyard_bench_features');

  const statements: string[] = [];
  const server = await startServer(copy);
  const db = openDb({
    url: copy.href,
    poolSize: 1,
    onError: console.error,
    onQuery: text => statements.push(text),
  });
  const app = await buildApp(
    db,
    readConfig({ DATABASE_URL: copy.href, LOG_LEVEL: 'silent', HALYARD_WRITES_PER_MINUTE: '0' }),
  );
  const watch = new pg.Client({ connectionString: copy.href });
  await watch.connect();
  try {
    await printMachine(db);
    console.log('| request | statements | HTTP p50 / p95 ms | CPU ms Node | PostgreSQL | n |');
    console.log('|---|--:|--:|--:|--:|--:|');
    for (const one of CASES) {
      const counted = await countStatements(app, one.request(0), statements);
      await runCase(one, counted, server, watch);
    }
  } finally {
    await watch.end();
    await app.close();
    await db.destroy();
    await server.stop();
    await replaceDatabase(url, 'halyard_bench_writes');
  }
}

async function replaceDatabase(admin: URL, name: string, create?: string): Promise<void> {
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
  if (create) await client.query(create.replace('%I', pg.escapeIdentifier(name)));
  await client.end();
}

async function countStatements(
  app: Awaited<ReturnType<typeof buildApp>>,
  { method, path, body }: Request,
  statements: string[],
): Promise<number> {
  statements.length = 0;
  const response = await app.inject({
    method,
    url: path,
    headers: {
      authorization: ADMIN_TOKEN,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.body}`);
  // That a token was used is noted once a minute, and no request waits for it.
  return statements.filter(text => !text.startsWith('update "api_tokens"')).length;
}

async function runCase(one: Case, statements: number, server: Server, watch: pg.Client): Promise<void> {
  const times: number[] = [];
  const run = async (from: number, to: number) => {
    for (let n = from; n < to; n++) times.push(await timed(() => send(server.url, one.request(n))));
  };
  await run(1, 1 + WARM_UP);
  times.length = 0;
  const node = await readCpu([server.pid]);
  const postgres = await readCpu(await backendsOf(watch));
  await run(1 + WARM_UP, 1 + WARM_UP + ROUNDS);
  const nodeUsed = cpuBetween(node, await readCpu([server.pid]));
  const postgresUsed = cpuBetween(postgres, await readCpu(await backendsOf(watch)));
  const each = (used: number | undefined) => (used === undefined ? '' : (used / ROUNDS).toFixed(1));
  console.log(
    `| ${one.name} | ${statements} | ${both(times)} | ${each(nodeUsed)} | ${each(postgresUsed)} | ${ROUNDS} |`,
  );
}

async function send(url: string, { method, path, body }: Request): Promise<void> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: ADMIN_TOKEN,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
}

await main();
