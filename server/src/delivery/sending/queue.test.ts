import { sql } from 'kysely';
import { PgBoss } from 'pg-boss';
import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { cleanUpDeliveries, rescueDeliveries } from './clean-up.ts';

const harness = useHarness();
const TYPE = { events: ['tag-type-created'], provider: 'webhook', enabled: true };

const addWebhook = async (fields: object = {}) =>
  (
    await call(harness.app, 'POST', '/api/admin/addons', {
      body: { ...TYPE, parameters: { url: 'https://hooks.example.com/' }, ...fields },
    })
  ).body.id;

const createTagType = (name: string) => call(harness.app, 'POST', '/api/admin/tag-types', { body: { name } });

test('writes the same job columns as pg-boss', async () => {
  const id = await addWebhook({ ordered: true });
  await createTagType('compared');
  const { rows } = await sql<{ data: object }>`select data from pgboss.job where name = 'deliver'`.execute(
    harness.db,
  );
  const boss = new PgBoss({ connectionString: harness.databaseUrl, max: 1, migrate: false, schedule: false });
  await boss.start();

  await boss.insert('deliver', [{ data: rows[0]?.data ?? {}, group: { id: String(id), tier: 'ordered' } }]);

  await boss.stop({ graceful: false });
  const jobs = await sql<Record<string, unknown>>`
    select *, keep_until - start_after as kept, start_after - created_on as deferred
    from pgboss.job where name = 'deliver' order by created_on`.execute(harness.db);
  const [halyardJob, bossJob] = jobs.rows.map(
    ({ id: _, created_on: _1, start_after: _2, keep_until: _3, ...rest }) => rest,
  );
  expect(halyardJob).toEqual(bossJob);
  expect(halyardJob?.data).toMatchObject({ attempt: 1 });
});

test('keeps records for 30 days, and the newest 1,000 for longer, but deletes those of a deleted integration', async () => {
  const [busy, quiet, deleted] = [await addWebhook(), await addWebhook(), await addWebhook()];
  const fill = async (integration: number, count: number, age: string, state = 'success') =>
    await sql`insert into integration_deliveries (integration_id, event_id, state, created_at)
      select ${integration}, 1, ${state}, now() - ${age}::interval from generate_series(1, ${count})`.execute(
      harness.db,
    );
  await fill(busy, 300, '40 days');
  await fill(busy, 20, '40 days', 'retrying');
  await fill(busy, 500, '29 days');
  await fill(busy, 700, '1 hour');
  await fill(quiet, 50, '400 days');
  await fill(deleted, 10, '1 hour');
  await call(harness.app, 'DELETE', `/api/admin/addons/${deleted}`);

  await cleanUpDeliveries(harness.db);

  const { rows } = await sql<{ id: number; count: number }>`
    select integration_id as id, count(*) from integration_deliveries
    where integration_id = any(${[busy, quiet, deleted]}) group by 1 order by 1`.execute(harness.db);
  expect(rows).toEqual([
    { id: busy, count: 20 + 500 + 700 },
    { id: quiet, count: 50 },
  ]);
});

test('requeues an overdue delivery without a job, but only once', async () => {
  const id = await addWebhook();
  await createTagType('stranded');
  await sql`delete from pgboss.job where name = 'deliver'`.execute(harness.db);
  await sql`update integration_deliveries set state = 'success' where integration_id <> ${id}`.execute(
    harness.db,
  );
  expect(await rescueDeliveries(harness.db)).toBe(0);
  await sql`update integration_deliveries set due_at = now() - interval '6 minutes' where state = 'pending'`.execute(
    harness.db,
  );

  expect(await rescueDeliveries(harness.db)).toBe(1);
  expect(await rescueDeliveries(harness.db)).toBe(0);
});
