import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
let editor: TestUser;
let other: TestUser;

type Found = { id: number; type: string; project: string | null };

const search = async (query: string, { token }: TestUser) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?${query}`, { token })).body as {
    events: Found[];
    total: number;
  };
const post = (url: string, body: object, { token }: TestUser) =>
  call(harness.app, 'POST', `/api/admin/${url}`, { body, token });

/** Events with and without a project, of both users, in turn. */
beforeAll(async () => {
  editor = await makeUser(harness.db, 'Editor');
  other = await makeUser(harness.db, 'Editor');
  for (const [user, name] of [
    [editor, 'mine'],
    [other, 'theirs'],
  ] as const) {
    for (const number of [1, 2, 3]) {
      await post('tags', { type: 'simple', value: `${name}-${number}` }, user);
      await post('projects/default/features', { name: `${name}-flag-${number}` }, user);
    }
  }
});

const isOwn = ({ type, project }: Found) => project === null && type !== 'user-created';

test('a user finds the events without a project that they caused, and nobody else does', async () => {
  const mine = await search('type=IS:tag-created', editor);
  const theirs = await search('type=IS:tag-created', other);
  const viewer = await makeUser(harness.db, 'Viewer');

  expect(mine.total).toBe(3);
  expect(mine.events).toHaveLength(3);
  expect(theirs.total).toBe(3);
  expect(new Set([...mine.events, ...theirs.events].map(({ id }) => id)).size).toBe(6);
  expect((await search('type=IS:tag-created', viewer)).total).toBe(0);
});

test.each(['', 'query=simple', 'from=IS:2020-01-01', 'type=IS_ANY_OF:tag-created,feature-created'])(
  'pages of the search "%s" join events with and without a project in one order, and agree with the total',
  async filter => {
    const all = await search(`${filter}&limit=1000`, editor);
    const paged: Found[] = [];
    for (let offset = 0; offset < all.total; offset += 2) {
      paged.push(...(await search(`${filter}&limit=2&offset=${offset}`, editor)).events);
    }

    const ids = all.events.map(({ id }) => id);
    expect(all.total).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(paged.map(({ id }) => id)).toEqual(ids);
    expect(all.events.filter(isOwn).length).toBeGreaterThanOrEqual(3);
    expect((await search(`${filter}&offset=100000`, editor)).total).toBe(all.total);
  },
);

test('filters by creator, project and id count own events in the same way', async () => {
  const [event] = (await search('type=IS:tag-created&limit=1', editor)).events;

  expect((await search(`createdBy=IS:${editor.id}&type=IS:tag-created`, editor)).total).toBe(3);
  expect((await search(`createdBy=IS:${other.id}&type=IS:tag-created`, editor)).total).toBe(0);
  expect((await search(`id=IS:${event?.id}`, editor)).total).toBe(1);
  expect((await search(`id=IS:${event?.id}`, other)).total).toBe(0);
  expect((await search('project=IS:default&type=IS:tag-created', editor)).total).toBe(0);
});

test('a single event follows the same rule', async () => {
  const [event] = (await search('type=IS:tag-created&limit=1', editor)).events;
  const get = async ({ token }: TestUser) =>
    (await call(harness.app, 'GET', `/api/admin/events/${event?.id}`, { token })).status;

  expect([await get(editor), await get(other)]).toEqual([200, 404]);
});

test('a user is among the creators of events as soon as they caused one, with or without a project', async () => {
  const user = await makeUser(harness.db, 'Editor');
  const creators = async ({ token }: TestUser) =>
    (await call(harness.app, 'GET', '/api/admin/event-creators', { token })).body.map(
      ({ id }: { id: number }) => id,
    );

  expect(await creators(user)).toContain(user.id);
  expect(await creators(other)).not.toContain(user.id);
});

test('a user who loses access to a project no longer sees their own events in it', async () => {
  const { id } = await makeProject(harness.db, { mode: 'private' });
  await makeMember(harness.db, editor, id, 'Member');
  await post(`projects/${id}/features`, { name: `${id}-flag` }, editor);
  const filter = `feature=IS:${id}-flag`;
  const [event] = (await search(filter, editor)).events;
  await sql`delete from user_roles where project = ${id}`.execute(harness.db);

  expect(event?.project).toBe(id);
  expect((await search(filter, editor)).total).toBe(0);
  expect(
    (await call(harness.app, 'GET', `/api/admin/events/${event?.id}`, { token: editor.token })).status,
  ).toBe(404);
});

test('root admins see the IP address of their own events', async () => {
  const [event] = (await search('type=IS:tag-created&limit=1', editor)).events;

  expect(event).not.toHaveProperty('ip');
});
