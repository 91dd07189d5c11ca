import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeProject } from '../../../test/factories.ts';
import { useHarness } from '../../../test/harness.ts';
import { call } from '../../../test/request.ts';
import { waitForLockWaiters } from '../../../test/waiting.ts';

const harness = useHarness();
const DAY_MS = 86_400_000;
const today = () => new Date().toISOString().slice(0, 10);
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
let project: string;

const readHistory = (query = '') =>
  call(harness.app, 'GET', `/api/admin/projects/${project}/health/history${query}`);
const insertEvent = (type: string, name: string, days: number, data: object | null = null) =>
  sql`
    insert into events (created_at, group_id, type, created_by, project, feature_name, data)
    values (${daysAgo(days)}::date + interval '12 hours', 'x', ${type}, 'x', ${project}, ${name},
      ${data === null ? null : JSON.stringify(data)}::jsonb)`.execute(harness.db);
const readStoredDays = async () =>
  (
    await sql<{ day: string }>`
      select day::text from project_health_days where project = ${project} order by day`.execute(harness.db)
  ).rows.map(row => row.day);

beforeEach(async () => {
  ({ id: project } = await makeProject(harness.db));
});

afterEach(() => vi.useRealTimers());

test('returns the last 30 days up to now by default', async () => {
  await call(harness.app, 'POST', `/api/admin/projects/${project}/features`, {
    body: { name: `${project}-new` },
  });

  const { status, body } = await readHistory();

  expect(status).toBe(200);
  expect(body.days).toHaveLength(30);
  expect(body.days[0]).toEqual({
    date: daysAgo(29),
    health: 100,
    technicalDebt: 0,
    features: 0,
    stale: 0,
    potentiallyStale: 0,
  });
  expect(body.days[29]).toMatchObject({ date: today(), features: 1 });
});

test('rebuilds each day from created, stale, archived, revived and deleted events', async () => {
  const name = `${project}-history`;
  await insertEvent('feature-created', name, 20, { type: 'release', stale: false });
  await insertEvent('feature-stale-on', name, 18);
  await insertEvent('feature-stale-off', name, 16);
  await insertEvent('feature-archived', name, 14);
  await insertEvent('feature-revived', name, 12);
  await insertEvent('feature-archived', name, 10);
  await insertEvent('feature-deleted', name, 8);
  await insertEvent('feature-created', name, 6, { type: 'kill-switch', stale: false });

  const { body } = await readHistory(`?from=${daysAgo(21)}&to=${daysAgo(5)}`);

  const figures = body.days.map(({ features, stale }: { features: number; stale: number }) => [
    features,
    stale,
  ]);
  expect(figures).toEqual([
    [0, 0],
    ...[1, 1].map(() => [1, 0]),
    ...[1, 1].map(() => [1, 1]),
    ...[1, 1].map(() => [1, 0]),
    ...[1, 1].map(() => [0, 0]),
    ...[1, 1].map(() => [1, 0]),
    ...[1, 1, 1, 1].map(() => [0, 0]),
    ...[1, 1].map(() => [1, 0]),
  ]);
});

test('applies each lifetime to the days on which it was in effect', async () => {
  const name = `${project}-aging`;
  await insertEvent('feature-created', name, 20, { type: 'operational', stale: false });
  await sql`
    insert into events (created_at, group_id, type, created_by, data, pre_data)
    values (${daysAgo(10)}::date + interval '1 hour', 'x', 'feature-type-updated', 'x',
      '{"id": "operational", "lifetimeDays": 15}', '{"id": "operational", "lifetimeDays": 7}')`.execute(
    harness.db,
  );

  const { days } = (await readHistory(`?from=${daysAgo(14)}&to=${daysAgo(4)}`)).body;

  expect(days.map((day: { potentiallyStale: number }) => day.potentiallyStale)).toEqual([
    0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1,
  ]);
});

test('stores past days but not today, and returns stored days without computing them again', async () => {
  await insertEvent('feature-created', `${project}-kept`, 3, { type: 'release', stale: false });

  const firstResponse = (await readHistory(`?from=${daysAgo(5)}`)).body;
  expect(await readStoredDays()).toEqual(
    expect.arrayContaining([daysAgo(5), daysAgo(4), daysAgo(3), daysAgo(2)]),
  );
  expect(await readStoredDays()).not.toContain(today());
  expect((await readHistory(`?from=${daysAgo(5)}`)).body).toEqual(firstResponse);

  await sql`update project_health_days set stale = 1 where project = ${project} and day = ${daysAgo(3)}`.execute(
    harness.db,
  );
  const laterDays = (await readHistory(`?from=${daysAgo(9)}`)).body.days;
  expect(laterDays.find(({ date }: { date: string }) => date === daysAgo(3))).toMatchObject({
    stale: 1,
    health: 0,
  });
});

test('stores a day only after it has been over for an hour', async () => {
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  vi.useFakeTimers({ toFake: ['Date'], now: midnight + 30 * 60_000 });
  const { body } = await readHistory(`?from=${daysAgo(2)}`);
  const days = [daysAgo(2), daysAgo(1)];
  vi.useRealTimers();

  expect(body.days).toHaveLength(3);
  expect(await readStoredDays()).toEqual(days.slice(0, 1));
});

test('the number of statements does not depend on the length of the range', async () => {
  const countStatements = async (query: string) => {
    const statementsBefore = harness.statements.length;
    await readHistory(query);
    return harness.statements.length - statementsBefore;
  };
  await countStatements('?from=2026-01-01&to=2026-01-02');

  expect(await countStatements(`?from=${daysAgo(365)}`)).toBe(await countStatements(`?from=${daysAgo(1)}`));
});

test('a request succeeds if a concurrent transaction stores one of its days', async () => {
  await insertEvent('feature-created', `${project}-twice`, 30, { type: 'release', stale: false });
  let secondRequest: ReturnType<typeof readHistory> | undefined;

  await harness.db.transaction().execute(async tx => {
    await sql`
      insert into project_health_days (project, day, features, stale, potentially_stale)
      values (${project}, ${daysAgo(9)}, 1, 0, 0)`.execute(tx);
    secondRequest = readHistory(`?from=${daysAgo(10)}&to=${daysAgo(8)}`);
    await waitForLockWaiters(harness.db);
  });

  expect((await secondRequest)?.body.days).toHaveLength(3);
  expect(await readStoredDays()).toEqual([daysAgo(10), daysAgo(9), daysAgo(8)]);
});

test.each([
  ['a first day after the last day', '?from=2026-03-02&to=2026-03-01', ['/query/from']],
  ['more than 366 days', '?from=2024-01-01&to=2025-01-01', ['/query/from']],
  ['a day in the future', '?from=2999-01-01', ['/query/from']],
  ['days that do not exist', '?from=2026-02-30&to=nonsense', ['/query/from', '/query/to']],
  ['a repeated parameter', '?from=2026-03-01&from=2026-03-02', ['/query/from']],
])('rejects %s', async (_, query, paths) => {
  const { status, body } = await readHistory(query);

  expect(status).toBe(400);
  expect(body.details.map((detail: { path: string }) => detail.path)).toEqual(paths);
});

test('shortens a range that ends in the future to end today', async () => {
  const { days } = (await readHistory(`?from=${daysAgo(1)}&to=2999-01-01`)).body;

  expect(days.map((day: { date: string }) => day.date)).toEqual([daysAgo(1), today()]);
});
