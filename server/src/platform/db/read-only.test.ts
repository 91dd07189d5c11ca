import type { App } from '@halyard/plane/platform/http/app.ts';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildApp } from '../../app.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { type Db, openDb } from './database.ts';
import { makeWriteState, registerWriteStateMetrics } from './write-state.ts';

const harness = useHarness();
const writeState = makeWriteState();
let db: Db;
let app: App;

beforeAll(async () => {
  db = openDb({
    url: harness.databaseUrl,
    poolSize: 3,
    onError: () => {},
    onReadOnly: writeState.noteReadOnly,
  });
  app = await buildApp(db, APP_SETTINGS, { isReadOnly: () => writeState.isReadOnly });
});
afterAll(async () => {
  await app.close();
  await db.destroy();
});

/** Sets whether new connections may write. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const name = new URL(harness.databaseUrl).pathname.slice(1);
  const setting = isReadOnly
    ? 'set default_transaction_read_only = on'
    : 'reset default_transaction_read_only';
  await sql.raw(`alter database ${name} ${setting}`).execute(harness.db);
}

const closeConnections = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(harness.db);

const create = (id: string) => call(app, 'POST', '/api/admin/projects', { body: { id, name: id } });
const readReadiness = async () => (await call(app, 'GET', '/ready')).body;

async function readOnlyMetric(): Promise<string | undefined> {
  const registry = new Registry();
  registerWriteStateMetrics(registry, writeState);
  return /^halyard_database_read_only (\d)$/m.exec(await registry.metrics())?.[1];
}

test('on a read-only database, reads work, changes return 503, and the pool finds the primary by itself', async () => {
  expect((await create('before')).status).toBe(201);
  expect(await readReadiness()).toEqual({ health: 'GOOD', database: 'GOOD', writes: 'GOOD' });

  await setReadOnly(true);
  await closeConnections();

  await expect.poll(async () => (await call(app, 'GET', '/api/admin/projects')).status).toBe(200);
  const rejection = await create('during');
  expect([rejection.status, rejection.body]).toMatchObject([
    503,
    { name: 'ServiceUnavailableError', message: expect.stringMatching(/^The database is read-only/) },
  ]);
  expect(rejection.headers['retry-after']).toBe('2');
  expect((await call(app, 'GET', '/ready')).status).toBe(200);
  expect(await readReadiness()).toEqual({ health: 'GOOD', database: 'GOOD', writes: 'BAD' });
  expect(await readOnlyMetric()).toBe('1');

  // The test does not close the app's connections here, because the pool must replace them by itself. The harness may have opened a
  // new connection while the database was read-only, and that connection must accept writes again.
  await sql`set default_transaction_read_only = off`.execute(harness.db);
  await setReadOnly(false);

  await expect.poll(async () => (await create('during')).status).toBe(201);
  await expect.poll(readReadiness).toEqual({ health: 'GOOD', database: 'GOOD', writes: 'GOOD' });
  expect(await readOnlyMetric()).toBe('0');
});

test('idle read-only connections are closed', async () => {
  const settings = {
    url: `${harness.databaseUrl}?options=-c%20default_transaction_read_only%3Don`,
    poolSize: 3,
  };
  const count = async () => {
    const { rows } = await sql<{ count: number }>`select count(*) from pg_stat_activity
      where datname = current_database() and query like '%an idle connection%' and pid <> pg_backend_pid()`.execute(
      harness.db,
    );
    return rows[0]?.count;
  };
  const standby = openDb({ ...settings, onError: () => {} });
  onTestFinished(() => standby.destroy());
  await Promise.all([1, 2, 3].map(() => sql`select 'an idle connection', pg_sleep(0.1)`.execute(standby)));

  await expect.poll(count).toBe(0);
});
