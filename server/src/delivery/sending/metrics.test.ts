import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { openDb } from '../../platform/db/database.ts';
import { useHarness } from '../../test/harness.ts';
import type { Result } from './attempt.ts';
import { registerDeliveryMetrics } from './metrics.ts';

const harness = useHarness();

test('counts attempts by provider and outcome, counts open deliveries by state, and reports how long the oldest has been due', async () => {
  const registry = new Registry();
  const observe = registerDeliveryMetrics(registry, harness.db);
  await sql`insert into integration_deliveries (integration_id, event_id, state, due_at) values
    (1, 1, 'pending', now() - interval '1 minute'), (1, 2, 'pending', now()), (1, 3, 'retrying', now() + interval '1 hour'),
    (1, 4, 'success', now() - interval '1 day')`.execute(harness.db);

  observe({
    provider: 'webhook',
    outcome: 'rejected',
    state: 'retrying',
    durationMs: 30,
    waitedMs: 9,
  } as Result);
  observe({
    provider: 'webhook',
    outcome: 'success',
    state: 'success',
    durationMs: 30,
    waitedMs: 400,
  } as Result);

  const text = await registry.metrics();
  expect(text).toContain('halyard_delivery_attempts_total{provider="webhook",outcome="rejected"} 1');
  expect(text).toContain('halyard_deliveries_finished_total{provider="webhook",state="success"} 1');
  expect(text).not.toContain('state="retrying"} 1\nhalyard_deliveries_finished');
  expect(text).toContain('halyard_deliveries_open{state="pending"} 2');
  expect(text).toContain('halyard_deliveries_open{state="retrying"} 1');
  expect(text).toContain('halyard_delivery_wait_seconds_bucket{le="0.01",provider="webhook"} 1');
  expect(text).toContain('halyard_delivery_wait_seconds_bucket{le="0.5",provider="webhook"} 2');
  expect(Number(/oldest_due_seconds{integration="1"} (\d+)/.exec(text)?.[1])).toBeGreaterThanOrEqual(60);
});

test('lists the 20 integrations whose deliveries have waited longest, and reports 0 if there are none', async () => {
  const registry = new Registry();
  registerDeliveryMetrics(registry, harness.db);
  await sql`update integration_deliveries set due_at = now() + interval '1 hour'`.execute(harness.db);
  expect(await registry.metrics()).toContain('halyard_deliveries_oldest_due_seconds 0');

  await sql`insert into integration_deliveries (integration_id, event_id, state, due_at)
    select i, 100 + i, 'retrying', now() - i * interval '1 minute' from generate_series(2, 30) as i`.execute(
    harness.db,
  );

  const namedIntegrations = [
    ...(await registry.metrics()).matchAll(/oldest_due_seconds{integration="(\d+)"} (\d+)/g),
  ];
  expect(namedIntegrations.map(([, id]) => Number(id))).toEqual(Array.from({ length: 20 }, (_, i) => 30 - i));
  expect(namedIntegrations.map(([, , seconds]) => Math.floor(Number(seconds) / 60))).toEqual(
    namedIntegrations.map(([, id]) => Number(id)),
  );
});

test('reports NaN for metrics that come from the database while the database is unreachable', async () => {
  const registry = new Registry();
  const db = openDb({ url: 'postgres://127.0.0.1:1/none', poolSize: 1, onError: () => {} });
  registerDeliveryMetrics(registry, db);

  const text = await registry.metrics();

  expect(text).toContain('halyard_deliveries_open{state="pending"} Nan');
  expect(text).toContain('halyard_deliveries_oldest_due_seconds Nan');
  await db.destroy();
});
