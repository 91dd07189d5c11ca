import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { getConstructionPlans, PgBoss } from 'pg-boss';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { openDb } from '../platform/db/database.ts';
import { extendPartitions } from '../record/events/partitions.ts';
import { useDeliveries } from '../test/deliveries.ts';
import { useHarness } from '../test/harness.ts';
import { registerJobMetrics } from './metrics.ts';
import { startWorker } from './worker.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);

test('the migrations create the tables that the installed version of pg-boss creates', () => {
  const migration = readFileSync(new URL('../../migrations/0004_jobs.sql', import.meta.url), 'utf8');
  const splitStatements = (text: string) =>
    text
      .split('\n')
      .map(line => line.trim())
      .filter(
        line => line !== '' && !/^(--|BEGIN;$|COMMIT;$|SET LOCAL|SELECT pg_advisory_xact_lock)/.test(line),
      );

  expect(splitStatements(migration)).toEqual(splitStatements(getConstructionPlans('pgboss')));
});

test('stores the schedules of the current jobs and removes the schedule of a job that no longer exists', async () => {
  await sql`insert into pgboss.schedule (name, cron, timezone) values ('deliver', '* * * * *', 'UTC')`.execute(
    harness.db,
  );

  const stop = await deliveries.start();

  const { rows } = await sql<{ name: string }>`select name from pgboss.schedule`.execute(harness.db);
  expect(rows.map(row => row.name).toSorted()).toEqual([
    'advance-lifecycle',
    'announce-potentially-stale',
    'clean-up-deliveries',
    'clean-up-metrics',
    'clean-up-reach',
    'expire-applications',
    'extend-event-partitions',
    'partition-metrics',
    'purge-sdk-documents',
    'remove-expired-idempotency-keys',
    'rescue-deliveries',
    'sweep-logins',
  ]);
  await stop();
});

test('creates the next event partition once, with the same triggers and indexes as the others', async () => {
  const firstId = 4_194_304 * 2;
  await sql`select setval('events_id_seq', ${firstId - 1})`.execute(harness.db);

  const addedPartitions = await Promise.all([extendPartitions(harness.db), extendPartitions(harness.db)]);
  await sql`insert into events (group_id, type, created_by) values ('x', 'user-created', 'x')`.execute(
    harness.db,
  );

  expect(addedPartitions.flat()).toEqual(['events_p2']);
  const { rows } = await sql<{ table: string; triggers: number }>`
    select tableoid::regclass::text as table,
      (select count(*) from pg_trigger where tgrelid = 'events_p2'::regclass) as triggers
    from events where id = ${firstId}`.execute(harness.db);
  expect(rows).toEqual([{ table: 'events_p2', triggers: 2 }]);
  for (const statement of ['delete from events', 'delete from events_p2', 'truncate events_p2']) {
    await expect(sql.raw(statement).execute(harness.db)).rejects.toThrow('immutable');
  }
  const indexes = await sql<{ count: number }>`
    select count(*) from pg_index where indrelid in ('events_p0'::regclass, 'events_p2'::regclass) group by indrelid`.execute(
    harness.db,
  );
  expect(indexes.rows[0]).toEqual(indexes.rows[1]);
});

test('logs a failed job with its name, counts the failure, and does not complete the job', async () => {
  await deliveries.stopAll();
  const errors: unknown[] = [];
  const registry = new Registry();
  const ignore = () => {};
  const log = {
    info: ignore,
    warn: ignore,
    error: (fields: object, message: string) => errors.push({ ...fields, message }),
  };
  await sql`alter table idempotency_keys rename column claimed_at to renamed`.execute(harness.db);
  const stop = await startWorker(
    harness.databaseUrl,
    harness.db,
    log,
    deliveries.settings,
    registerJobMetrics(registry, harness.db),
  );
  const boss = new PgBoss({
    connectionString: harness.databaseUrl,
    migrate: false,
    supervise: false,
    schedule: false,
  });
  await boss.start();

  const id = await boss.send('remove-expired-idempotency-keys');

  const job = 'remove-expired-idempotency-keys';
  await expect.poll(() => errors).toContainEqual({ err: expect.any(Error), job, message: 'job failed' });
  expect(await registry.metrics()).toMatch(
    /halyard_job_failures_total\{name="remove-expired-idempotency-keys"\} [1-9]/,
  );
  await expect
    .poll(async () => (await boss.findJobs(job, { id: id ?? '' }))[0]?.state)
    .toMatch(/retry|active|failed/);
  await boss.stop();
  await stop();
  await sql`alter table idempotency_keys rename column renamed to claimed_at`.execute(harness.db);
});

test('the metrics contain the number of event ids that are left', async () => {
  const registry = new Registry();
  registerJobMetrics(registry, harness.db);
  const readIdsLeft = async () => Number(/halyard_event_ids_left (\d+)/.exec(await registry.metrics())?.[1]);
  const idsBefore = await readIdsLeft();

  await sql`insert into events (group_id, type, created_by) values ('x', 'user-created', 'x')`.execute(
    harness.db,
  );

  expect(idsBefore).toBeGreaterThan(0);
  expect(await readIdsLeft()).toBe(idsBefore - 1);
});

test('the metrics contain the lag of the filters and of the text in the search index', async () => {
  const registry = new Registry();
  registerJobMetrics(registry, harness.db);

  const metrics = await registry.metrics();

  // The lag need not be 0: the test above writes the first event of the next partition, which completes chunks that nothing here
  // indexes.
  for (const part of ['filters', 'text'])
    expect(metrics).toMatch(new RegExp(`halyard_event_index_lag_seconds\\{part="${part}"\\} [\\d.]+\n`));
});

test('logs that the delivery listener lost its connection', async () => {
  await deliveries.stopAll();
  const warnings: string[] = [];
  const ignore = () => {};
  const log = { info: ignore, warn: (_: object, message: string) => warnings.push(message), error: ignore };
  const stop = await startWorker(harness.databaseUrl, harness.db, log, deliveries.settings);
  const terminateListener = async () =>
    (
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'halyard deliveries listener'`.execute(
        harness.db,
      )
    ).rows.length;

  await expect.poll(terminateListener).toBe(1);

  await expect.poll(() => warnings).toContain('delivery listener disconnected');
  await stop();
});

test('the metrics contain the jobs of each queue by state and the failures of each job, starting at 0', async () => {
  const registry = new Registry();
  registerJobMetrics(registry, harness.db);
  await sql`update pgboss.queue set ready_count = 3, deferred_count = 2, active_count = 1, failed_count = 4
    where name = 'deliver'`.execute(harness.db);

  const metrics = await registry.metrics();

  for (const [state, count] of Object.entries({ ready: 3, deferred: 2, active: 1, failed: 4 }))
    expect(metrics).toContain(`halyard_jobs{name="deliver",state="${state}"} ${count}\n`);
  expect(metrics).toContain('halyard_job_failures_total{name="partition-metrics"} 0\n');
});

test('the metrics contain the number of partitions of each partitioned table', async () => {
  const registry = new Registry();
  registerJobMetrics(registry, harness.db);
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_inherits where inhparent = 'events'::regclass`.execute(harness.db);

  const metrics = await registry.metrics();

  expect(metrics).toContain(`halyard_partitions{table="events"} ${rows[0]?.count}\n`);
  expect(metrics).toMatch(/halyard_partitions\{table="metric_hours"\} \d+\n/);
  expect(metrics).toMatch(/halyard_partitions\{table="metric_days"\} \d+\n/);
});

test('without a database, jobs have no series and partitions are unknown', async () => {
  const registry = new Registry();
  const db = openDb({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 1, onError: () => {} });
  registerJobMetrics(registry, db);

  const metrics = await registry.metrics();

  expect(metrics).not.toContain('halyard_jobs{');
  expect(metrics).toContain('halyard_partitions{table="events"} Nan');
  await db.destroy();
});
