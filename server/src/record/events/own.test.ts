import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
let editor: TestUser;
let otherUser: TestUser;

type FoundEvent = { id: number; type: string; project: string | null };

const search = async (query: string, { token }: TestUser) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?${query}`, { token })).body as {
    events: FoundEvent[];
    total: number;
  };
const post = (url: string, body: object, { token }: TestUser) =>
  call(harness.app, 'POST', `/api/admin/${url}`, { body, token });

/** Creates events of both users, alternating between events with and without a project. */
beforeAll(async () => {
  editor = await makeUser(harness.db, 'Editor');
  otherUser = await makeUser(harness.db, 'Editor');
  for (const [user, name] of [
    [editor, 'mine'],
    [otherUser, 'theirs'],
  ] as const) {
    for (const number of [1, 2, 3]) {
      await post('tags', { type: 'simple', value: `${name}-${number}` }, user);
      await post('projects/default/features', { name: `${name}-flag-${number}` }, user);
    }
  }
});

const isOwn = ({ type, project }: FoundEvent) => project === null && type !== 'user-created';

test('an event without a project is found only by the user who caused it', async () => {
  const editorResult = await search('type=IS:tag-created', editor);
  const otherResult = await search('type=IS:tag-created', otherUser);
  const viewer = await makeUser(harness.db, 'Viewer');

  expect(editorResult.total).toBe(3);
  expect(editorResult.events).toHaveLength(3);
  expect(otherResult.total).toBe(3);
  expect(new Set([...editorResult.events, ...otherResult.events].map(({ id }) => id)).size).toBe(6);
  expect((await search('type=IS:tag-created', viewer)).total).toBe(0);
});

test.each(['', 'query=simple', 'from=IS:2020-01-01', 'type=IS_ANY_OF:tag-created,feature-created'])(
  'pages of the search "%s" list events with and without a project in id order, and add up to the total',
  async filter => {
    const allEvents = await search(`${filter}&limit=1000`, editor);
    const pagedEvents: FoundEvent[] = [];
    for (let offset = 0; offset < allEvents.total; offset += 2) {
      pagedEvents.push(...(await search(`${filter}&limit=2&offset=${offset}`, editor)).events);
    }

    const ids = allEvents.events.map(({ id }) => id);
    expect(allEvents.total).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(pagedEvents.map(({ id }) => id)).toEqual(ids);
    expect(allEvents.events.filter(isOwn).length).toBeGreaterThanOrEqual(3);
    expect((await search(`${filter}&offset=100000`, editor)).total).toBe(allEvents.total);
  },
);

test('filters by creator, project and id also apply to own events', async () => {
  const [event] = (await search('type=IS:tag-created&limit=1', editor)).events;

  expect((await search(`createdBy=IS:${editor.id}&type=IS:tag-created`, editor)).total).toBe(3);
  expect((await search(`createdBy=IS:${otherUser.id}&type=IS:tag-created`, editor)).total).toBe(0);
  expect((await search(`id=IS:${event?.id}`, editor)).total).toBe(1);
  expect((await search(`id=IS:${event?.id}`, otherUser)).total).toBe(0);
  expect((await search('project=IS:default&type=IS:tag-created', editor)).total).toBe(0);
});

test('only the user who caused an event without a project can read it by id', async () => {
  const [event] = (await search('type=IS:tag-created&limit=1', editor)).events;
  const get = async ({ token }: TestUser) =>
    (await call(harness.app, 'GET', `/api/admin/events/${event?.id}`, { token })).status;

  expect([await get(editor), await get(otherUser)]).toEqual([200, 404]);
});

test('the creator of an event without a project is listed only to themselves', async () => {
  const user = await makeUser(harness.db, 'Editor');
  const listCreators = async ({ token }: TestUser) =>
    (await call(harness.app, 'GET', '/api/admin/event-creators', { token })).body.map(
      ({ id }: { id: number }) => id,
    );

  expect(await listCreators(user)).toContain(user.id);
  expect(await listCreators(otherUser)).not.toContain(user.id);
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

test('a caller who is not a root admin sees no IP addresses, not even in their own events', async () => {
  const [event] = (await search('type=IS:tag-created&limit=1', editor)).events;

  expect(event).not.toHaveProperty('ip');
});
