import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { makeFeature } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();

/** Runs the statement in the transaction of another application, which commits once the request waits for it. */
async function requestDuring(statement: string, request: () => Promise<{ status: number; body: unknown }>) {
  const client = new pg.Client({ connectionString: harness.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query(statement);
  const response = request();
  await expect
    .poll(async () => {
      const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        harness.db,
      );
      return rows.length;
    })
    .toBe(1);
  await client.query('commit');
  await client.end();
  return await response;
}

// The strategy is disabled, so deleting it does not change what SDKs receive and does not lock the feature.
test('rejects an update of a strategy with 409 if another application deletes the strategy', async () => {
  await makeFeature(harness.db, 'default', { name: 'checkout' });
  const strategies = '/api/admin/projects/default/features/checkout/environments/production/strategies';
  const segment = await call(harness.app, 'POST', '/api/admin/segments', {
    body: { name: 'staff', constraints: [] },
  });
  const strategy = await call(harness.app, 'POST', strategies, { body: { name: 'default', disabled: true } });

  const { status, body } = await requestDuring('delete from feature_strategies', () =>
    call(harness.app, 'PUT', `${strategies}/${strategy.body.id}`, {
      body: { name: 'default', disabled: true, segments: [segment.body.id], parameters: {}, constraints: [] },
    }),
  );

  expect({ status, body }).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
});
