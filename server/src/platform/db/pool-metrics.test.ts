import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { openDb } from './database.ts';
import { type PoolUsageReaders, registerPoolMetrics } from './pool-metrics.ts';

const harness = useHarness();

test('counts the connections in use and the callers that wait for one', async () => {
  const registry = new Registry();
  const usageReaders: PoolUsageReaders = new Map();
  const db = openDb({
    url: harness.databaseUrl,
    poolSize: 2,
    onError: () => {},
    onOpen: ({ usage }) => usageReaders.set('requests', usage),
  });
  registerPoolMetrics(registry, usageReaders);
  const lines = async () =>
    (await registry.metrics()).split('\n').filter(line => line.startsWith('halyard_'));

  const openTransactions = await Promise.all([
    db.startTransaction().execute(),
    db.startTransaction().execute(),
  ]);
  const waitingQuery = sql`select 1`.execute(db);

  expect(await lines()).toEqual([
    'halyard_pool_size{pool="requests"} 2',
    'halyard_pool_in_use{pool="requests"} 2',
    'halyard_pool_waiting{pool="requests"} 1',
  ]);
  for (const tx of openTransactions) await tx.rollback().execute();
  await waitingQuery;
  expect(await lines()).toContain('halyard_pool_in_use{pool="requests"} 0');
  expect(await lines()).toContain('halyard_pool_waiting{pool="requests"} 0');
  await db.destroy();
});
