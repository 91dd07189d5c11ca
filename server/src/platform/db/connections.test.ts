import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { readBudget } from './connection-budget.ts';
import { type Db, type OpenPool, openDb } from './database.ts';

const harness = useHarness();
const ROLE = `halyard_few_${randomBytes(4).toString('hex')}`;
const LIMIT = 3;
let url: string;

beforeAll(async () => {
  await sql.raw(`create role ${ROLE} login connection limit ${LIMIT}`).execute(harness.db);
  const limitedUrl = new URL(harness.databaseUrl);
  limitedUrl.username = ROLE;
  url = limitedUrl.href;
});
afterAll(async () => {
  await sql.raw(`drop role ${ROLE}`).execute(harness.db);
});

const openPool = (name: string, poolSize: number, more: { onTooManyConnections?: () => void } = {}) => {
  let pool: OpenPool | undefined;
  const db = openDb({
    url,
    name,
    poolSize,
    onError: () => {},
    onOpen: openedPool => (pool = openedPool),
    ...more,
  });
  if (!pool) throw new Error('The pool was not opened');
  return { db, pool };
};

const runQueries = (db: Db, count: number, seconds = 0.2) =>
  Promise.all(Array.from({ length: count }, () => sql`select pg_sleep(${seconds})`.execute(db)));

test('a pool that cannot get a connection makes a different pool close its idle connections', async () => {
  const requests = openPool('requests', LIMIT);
  await runQueries(requests.db, LIMIT);
  const sdk = openPool('sdk', 1, { onTooManyConnections: requests.pool.closeIdle });

  const first = await runQueries(sdk.db, 1).catch(error => error);

  expect(first).toMatchObject({ code: '53300' });
  await expect
    .poll(
      async () =>
        await runQueries(sdk.db, 1).then(
          () => 'connected',
          () => 'rejected',
        ),
    )
    .toBe('connected');
  await requests.db.destroy();
  await sdk.db.destroy();
});

test('a pool whose connections are all in use makes room for a more important one', async () => {
  const requests = openPool('requests', LIMIT);
  let isBusy = true;
  const load = Array.from({ length: LIMIT * 2 }, async () => {
    while (isBusy) await runQueries(requests.db, 1, 0.05).catch(() => {});
  });
  await expect.poll(() => requests.pool.usage().inUse).toBe(LIMIT);
  const sdk = openPool('sdk', 1, { onTooManyConnections: requests.pool.makeRoom });

  await expect
    .poll(
      async () =>
        await runQueries(sdk.db, 1).then(
          () => 'connected',
          () => 'rejected',
        ),
    )
    .toBe('connected');
  // The more important pool keeps its connection, although requests are waiting for one.
  await runQueries(sdk.db, 1);

  isBusy = false;
  await Promise.all(load);
  await requests.db.destroy();
  await sdk.db.destroy();
});

test('a connection carries the name of its pool', async () => {
  const { db } = openPool('requests', 1);

  const { rows } = await sql<{ name: string }>`select current_setting('application_name') as name`.execute(
    db,
  );

  expect(rows).toEqual([{ name: 'halyard requests' }]);
  await db.destroy();
});

test('the budget reports the lowest limit and the number of connected servers', async () => {
  const { db } = openPool('requests', 1);
  const { db: listener } = openPool('sdk listener', 1);
  await runQueries(listener, 1, 0);

  expect(await readBudget(db)).toEqual({
    available: LIMIT,
    limitedBy: 'CONNECTION LIMIT of the role',
    connectedServers: 1,
  });
  expect(await readBudget(harness.db)).toMatchObject({ limitedBy: 'max_connections' });
  await db.destroy();
  await listener.destroy();
});
