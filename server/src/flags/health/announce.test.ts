import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { makeProject } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { announcePotentiallyStale } from './announce.ts';
import { markAnnounced } from './store.ts';

const harness = useHarness();
const DAY = 86_400_000;
let project: string;

const inDays = (days: number) => new Date(Date.now() + days * DAY);
const create = (name: string, type = 'release') =>
  call(harness.app, 'POST', `/api/admin/projects/${project}/features`, { body: { name, type } });
const listAnnouncements = async () => {
  const { body } = await call(
    harness.app,
    'GET',
    `/api/admin/search/events?project=IS:${project}&type=IS:feature-potentially-stale-on`,
  );
  return body.events;
};

beforeEach(async () => {
  await announcePotentiallyStale(harness.db, inDays(10_000));
  ({ id: project } = await makeProject(harness.db));
});

test('announces a feature once when it exceeds the lifetime of its type', async () => {
  await create('aging');
  await create('permanent', 'kill-switch');

  expect(await announcePotentiallyStale(harness.db, inDays(39.9))).toBe(0);
  expect(await announcePotentiallyStale(harness.db, inDays(40.1))).toBe(1);
  expect(await announcePotentiallyStale(harness.db, inDays(41))).toBe(0);

  expect(await listAnnouncements()).toMatchObject([
    {
      featureName: 'aging',
      project,
      createdBy: 'system',
      createdByUserId: -1337,
      data: { type: 'release', lifetimeDays: 40 },
    },
  ]);
  const { body } = await call(harness.app, 'GET', `/api/admin/projects/${project}/features/aging`);
  expect(body.collaborators.users).toMatchObject([{ id: -42, name: 'admin token' }]);
});

test('announces stale or archived features only after they are unmarked or revived', async () => {
  for (const name of ['marked', 'put-away']) await create(name);
  const projectPath = `/api/admin/projects/${project}`;
  await call(harness.app, 'POST', `${projectPath}/stale`, { body: { features: ['marked'], stale: true } });
  await call(harness.app, 'POST', `${projectPath}/archive`, { body: { features: ['put-away'] } });
  expect(await announcePotentiallyStale(harness.db, inDays(50))).toBe(0);

  await call(harness.app, 'POST', `${projectPath}/stale`, { body: { features: ['marked'], stale: false } });
  await call(harness.app, 'POST', `${projectPath}/revive`, { body: { features: ['put-away'] } });

  expect(await announcePotentiallyStale(harness.db, inDays(50))).toBe(2);
});

test('applies a changed lifetime immediately', async () => {
  await create('shorter', 'sunset');
  expect(await announcePotentiallyStale(harness.db, inDays(20))).toBe(0);

  await call(harness.app, 'PUT', '/api/admin/feature-types/sunset/lifetime', { body: { lifetimeDays: 10 } });

  expect(await announcePotentiallyStale(harness.db, inDays(20))).toBe(1);
});

test('announces many features in batches', async () => {
  await sql`
    insert into features (name, project, type) select 'batch-' || n, ${project}, 'operational' from generate_series(1, 1200) as n`.execute(
    harness.db,
  );

  expect(await announcePotentiallyStale(harness.db, inDays(8))).toBe(1_200);

  const { rows } = await sql<{ groups: number; events: number }>`
    select count(distinct group_id) as groups, count(*) as events from events
    where project = ${project} and type = 'feature-potentially-stale-on'`.execute(harness.db);
  expect(rows).toEqual([{ groups: 3, events: 1_200 }]);
});

test('skips features that another server is announcing', async () => {
  await create('contested');
  await create('free');
  await harness.db.transaction().execute(async tx => {
    await sql`select from features where name = 'contested' for no key update`.execute(tx);

    expect(await announcePotentiallyStale(harness.db, inDays(50))).toBe(1);
  });

  expect(await announcePotentiallyStale(harness.db, inDays(50))).toBe(1);
  expect(await listAnnouncements()).toHaveLength(2);
});

test('announces a feature later if the transaction that announced it fails', async () => {
  await create('again');
  await expect(
    harness.db.transaction().execute(async tx => {
      expect(await markAnnounced(tx, inDays(50), 10)).toHaveLength(1);
      throw new Error('the server died');
    }),
  ).rejects.toThrow('died');

  expect(await announcePotentiallyStale(harness.db, inDays(50))).toBe(1);
});

test('uses an index to find the features to announce', async () => {
  await sql`
    insert into features (name, project, type) select 'waiting-' || n, ${project}, 'release' from generate_series(1, 3000) as n`.execute(
    harness.db,
  );
  await sql`analyze features`.execute(harness.db);

  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select name from features where type = 'release' and announced_stale_at is null and archived_at is null
      and not stale and created_at <= now() - interval '40 days' order by created_at limit 500`.execute(
    harness.db,
  );

  expect(rows.map(row => row['QUERY PLAN']).join('\n')).toContain('features_unannounced_idx');
});
