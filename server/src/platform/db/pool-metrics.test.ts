import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { openDb } from './database.ts';
import { type Pools, poolMetrics } from './pool-metrics.ts';

const harness = useHarness();

test('counts the connections in use and the callers that wait for one', async () => {
  const registry = new Registry();
  const pools: Pools = new Map();
  const db = openDb({
    url: harness.databaseUrl,
    poolSize: 2,
    onError: () => {},
    onOpen: ({ use }) => pools.set('requests', use),
  });
  poolMetrics(registry, pools);
  const lines = async () =>
    (await registry.metrics()).split('\n').filter(line => line.startsWith('halyard_'));

  const open = await Promise.all([db.startTransaction().execute(), db.startTransaction().execute()]);
  const waiting = sql`select 1`.execute(db);

  expect(await lines()).toEqual([
    'halyard_pool_size{pool="requests"} 2',
    'halyard_pool_in_use{pool="requests"} 2',
    'halyard_pool_waiting{pool="requests"} 1',
  ]);
  for (const tx of open) await tx.rollback().execute();
  await waiting;
  expect(await lines()).toContain('halyard_pool_in_use{pool="requests"} 0');
  expect(await lines()).toContain('halyard_pool_waiting{pool="requests"} 0');
  await db.destroy();
});
