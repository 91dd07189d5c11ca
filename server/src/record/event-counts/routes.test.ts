import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { change } from '../change.ts';
import type { EventCounts } from './schema.ts';

const harness = useHarness();
let viewer: TestUser;
let member: TestUser;

const get = (query: string, token?: string) =>
  call(harness.app, 'GET', `/api/admin/search/events/counts?${query}`, token ? { token } : {});

async function readCounts(query: string, token?: string): Promise<EventCounts> {
  const { status, body } = await get(query, token);
  expect([status, body.details]).toEqual([200, undefined]);
  return body;
}
const toPairs = ({ groups }: EventCounts) => groups.map(({ value, count }) => [value, count]);

beforeAll(async () => {
  const { db } = harness;
  viewer = await makeUser(db, 'Viewer');
  member = await makeUser(db, 'Viewer');
  await makeProject(db, { id: 'secret-project', mode: 'private' });
  await makeMember(db, member, 'secret-project', 'Reader');
  await sql`
    insert into events (group_id, type, created_by, created_by_user_id, project, environment, created_at)
    values
      ('counted', 'segment-created', 'x', ${viewer.id}, 'default', 'production', '2001-02-03T23:59:59Z'),
      ('counted', 'segment-created', 'x', ${viewer.id}, 'default', null, '2001-02-04T00:00:00Z'),
      ('counted', 'segment-updated', 'x', null, 'secret-project', 'production', '2001-02-04T12:00:00Z'),
      ('counted', 'segment-created', 'x', -42, 'secret-project', 'production', '2001-02-09T12:00:00Z'),
      ('counted', 'segment-created', 'x', ${viewer.id}, null, null, '2001-02-09T13:00:00Z')`.execute(db);
});

test('counts by type, project and environment, largest group first', async () => {
  const filter = 'groupId=IS:counted';

  expect(await readCounts(`by=type&${filter}`)).toEqual({
    by: 'type',
    groups: [
      { value: 'segment-created', count: 4 },
      { value: 'segment-updated', count: 1 },
    ],
    hasMore: false,
  });
  expect(toPairs(await readCounts(`by=project&${filter}`))).toEqual([
    ['default', 2],
    ['secret-project', 2],
    [null, 1],
  ]);
  expect(toPairs(await readCounts(`by=environment&${filter}`))).toEqual([
    ['production', 3],
    [null, 2],
  ]);
});

test('counts by creator, with id and name', async () => {
  expect((await readCounts('by=creator&groupId=IS:counted')).groups).toEqual([
    { value: String(viewer.id), count: 3, creator: { id: viewer.id, name: viewer.username } },
    { value: '-42', count: 1, creator: { id: -42, name: 'admin token' } },
    { value: null, count: 1 },
  ]);
});

test('counts by UTC day, in chronological order', async () => {
  expect(toPairs(await readCounts('by=day&groupId=IS:counted'))).toEqual([
    ['2001-02-03', 1],
    ['2001-02-04', 2],
    ['2001-02-09', 2],
  ]);
  expect(toPairs(await readCounts('by=day&groupId=IS:counted&from=IS:2001-02-04&to=IS:2001-02-04'))).toEqual([
    ['2001-02-04', 2],
  ]);
});

test('counts only events that the caller can see, and the counts add up to the search total', async () => {
  const filter = 'groupId=IS:counted';

  expect(toPairs(await readCounts(`by=project&${filter}`, viewer.token))).toEqual([
    ['default', 2],
    [null, 1],
  ]);
  expect(toPairs(await readCounts(`by=project&${filter}`, member.token))).toEqual([
    ['default', 2],
    ['secret-project', 2],
  ]);
  for (const token of [undefined, viewer.token, member.token]) {
    for (const property of ['day', 'type', 'project', 'creator', 'environment']) {
      const { groups } = await readCounts(`by=${property}`, token);
      const { body } = await call(
        harness.app,
        'GET',
        '/api/admin/search/events?limit=1',
        token ? { token } : {},
      );
      expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(body.total);
    }
  }
});

test('counts an event as soon as it is committed', async () => {
  const countFreshEvents = async () => (await readCounts('by=type&project=IS:fresh')).groups[0]?.count;
  const write = () =>
    change(harness.db, SYSTEM, async ({ record }) => record({ type: 'segment-created', project: 'fresh' }));

  await write();
  expect(await countFreshEvents()).toBe(1);
  await write();
  expect(await countFreshEvents()).toBe(2);
});

test('returns the newest 1,000 days or the largest 1,000 groups, and says whether there are more', async () => {
  await sql`
    insert into events (group_id, type, created_by, project, created_at)
    select 'many', 'segment-created', 'x', 'project-' || n, timestamptz '2010-01-01T00:00:00Z' + n * interval '1 day'
    from generate_series(1, 1001) as n, generate_series(1, case when n = 7 then 2 else 1 end)`.execute(
    harness.db,
  );

  const days = await readCounts('by=day&groupId=IS:many');
  const projects = await readCounts('by=project&groupId=IS:many');
  const allCounts = await readCounts('by=project&groupId=IS:many&to=IS:2012-09-01');

  expect([days.groups.length, days.hasMore]).toEqual([1_000, true]);
  expect([days.groups[0]?.value, days.groups.at(-1)?.value]).toEqual(['2010-01-03', '2012-09-28']);
  expect([projects.groups.length, projects.hasMore]).toEqual([1_000, true]);
  expect(projects.groups[0]).toEqual({ value: 'project-7', count: 2 });
  expect(allCounts.hasMore).toBe(false);
});

test('returns no groups if no event matches', async () => {
  expect(await readCounts('by=day&project=IS:none')).toEqual({ by: 'day', groups: [], hasMore: false });
});

test.each([
  ['', ['by must be one of day, type, project, creator, environment']],
  ['by=', ['by must be one of day, type, project, creator, environment']],
  ['by=feature', ['by must be one of day, type, project, creator, environment']],
  ['by=day&by=type', ['by must be given once']],
  [
    'by=x&from=2026-01-01',
    [
      'by must be one of day, type, project, creator, environment',
      'from must be IS: and a day, such as IS:2026-11-15',
    ],
  ],
])('rejects "%s" with 400', async (query, messages) => {
  const { status, body } = await get(query);

  expect([status, body.details.map(({ message }: { message: string }) => message)]).toEqual([400, messages]);
});
