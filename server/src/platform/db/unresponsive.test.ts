import type { App } from '@halyard/plane/platform/http/app.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../app.ts';
import { useDeliveries } from '../../test/deliveries.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { startTcpProxy, type TcpProxy } from '../../test/tcp-proxy.ts';
import { startWorker } from '../../worker/worker.ts';
import { type Db, openDb, QUERY_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from './database.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);
const POOL_SIZE = 4;
/** The timeout is long enough that a working database responds in time, even on a busy machine. */
const TIMEOUT_MS = 3_000;
let proxy: TcpProxy;
let url: URL;
let db: Db;
let app: App;

beforeAll(async () => {
  url = new URL(harness.databaseUrl);
  proxy = await startTcpProxy(url.hostname, Number(url.port || 5432));
  url.host = `127.0.0.1:${proxy.port}`;
  db = open();
  app = await buildApp(db, APP_SETTINGS);
});
afterAll(async () => {
  await app.close();
  await db.destroy();
  await proxy.close();
});

const open = () =>
  openDb({
    url: url.href,
    poolSize: POOL_SIZE,
    onError: () => {},
    connectTimeoutMs: 2_000,
    queryTimeoutMs: TIMEOUT_MS,
  });

test('the client waits a little longer than PostgreSQL, but no longer than a load balancer', () => {
  expect(QUERY_TIMEOUT_MS).toBeGreaterThan(STATEMENT_TIMEOUT_MS);
  expect(QUERY_TIMEOUT_MS).toBeLessThanOrEqual(20_000);
});

test('responds with 503 while the database does not respond, and recovers by itself', async () => {
  const sendMany = (count: number) =>
    Promise.all(Array.from({ length: count }, () => call(app, 'GET', '/api/admin/projects')));
  const listStatuses = async (count: number) => (await sendMany(count)).map(({ status }) => status);
  const write = (id: string) => call(app, 'POST', '/api/admin/projects', { body: { id, name: id } });
  await expect.poll(() => listStatuses(POOL_SIZE)).toEqual(Array(POOL_SIZE).fill(200));

  proxy.freeze();
  const responses = [
    ...(await sendMany(POOL_SIZE)),
    await write('written-while-silent'),
    ...(await sendMany(1)),
  ];
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 503));
  expect(responses.map(({ headers }) => headers['retry-after'])).toEqual(responses.map(() => '2'));

  proxy.restore();
  await expect.poll(() => listStatuses(2 * POOL_SIZE)).toEqual(Array(2 * POOL_SIZE).fill(200));
  expect((await write('written-later')).status).toBe(201);
});

test('ends a connection whose query got no response in time, even in a transaction', async () => {
  const singleConnection = openDb({
    url: url.href,
    poolSize: 1,
    onError: () => {},
    queryTimeoutMs: TIMEOUT_MS,
  });
  const readBackend = async () =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(singleConnection)).rows[0]?.pid;
  const first = await readBackend();

  await expect(sql`select pg_sleep(60)`.execute(singleConnection)).rejects.toThrow('Query read timeout');
  const second = await readBackend();
  await expect(
    singleConnection.transaction().execute(async tx => await sql`select pg_sleep(60)`.execute(tx)),
  ).rejects.toThrow();
  const third = await readBackend();

  expect(new Set([first, second, third]).size).toBe(3);
  await singleConnection.destroy();
});

test('after one timeout, connections that were idle are not reused', async () => {
  const pool = open();
  const listBackends = async () => {
    const rows = await Promise.all(
      Array.from({ length: POOL_SIZE }, async () => {
        const result = await sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.2)`.execute(
          pool,
        );
        return result.rows[0]?.pid;
      }),
    );
    return new Set(rows);
  };
  const backendsBefore = await listBackends();
  expect(backendsBefore.size).toBe(POOL_SIZE);

  await expect(sql`select pg_sleep(60)`.execute(pool)).rejects.toThrow('Query read timeout');

  const backendsAfter = await listBackends();
  expect([...backendsAfter].filter(pid => backendsBefore.has(pid))).toEqual([]);
  await pool.destroy();
});

test('deliveries resume when the database responds again, and each is sent and recorded once', async () => {
  const workerDb = open();
  const receiver = deliveries.receiver;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  receiver.respondWith((_, response) => void released.then(() => response.end()));
  const { id } = await deliveries.addWebhook();
  const loggedLines: string[] = [];
  const log = (_: object, message: string) => loggedLines.push(message);
  const stop = await startWorker(
    url.href,
    workerDb,
    { info: () => {}, warn: log, error: log },
    deliveries.settings,
  );
  await deliveries.stopAll();
  for (let n = 0; n < 3; n++) await deliveries.recordEvent();
  await receiver.count(3);

  proxy.freeze();
  release();
  await expect.poll(() => loggedLines).toContain('delivery outcomes not written, retrying');
  proxy.restore();
  await deliveries.recordEvent();

  const records = await deliveries.waitUntilSettled(id);
  await receiver.count(4);
  expect(records.map(record => record.state)).toEqual(Array(4).fill('success'));
  expect(records.map(record => record.attempts)).toEqual(Array(4).fill(1));
  expect(receiver.received).toHaveLength(4);
  await stop();
  await workerDb.destroy();
});
