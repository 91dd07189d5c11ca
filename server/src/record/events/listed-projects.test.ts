import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { connectStream } from '../../test/event-stream-client.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
let editor: TestUser;
let id: number;

type Found = { id: number; type: string; data: unknown; preData: unknown };

const search = async (query: string, token = ADMIN_TOKEN): Promise<Found[]> =>
  (await call(harness.app, 'GET', `/api/admin/search/events?limit=3&${query}`, { token })).body.events;
const listsOf = (events: Found[]) =>
  events.map(({ data, preData }) => [data, preData].map(part => (part as { projects?: string[] })?.projects));

const HOOK = {
  provider: 'webhook',
  enabled: true,
  parameters: { url: 'https://receiver.example.com/' },
  events: ['feature-created'],
};

/** An integration of an open, a readable and a private project that an editor updates and deletes. */
beforeAll(async () => {
  editor = await makeUser(harness.db, 'Editor');
  await makeProject(harness.db, { id: 'open-one' });
  await makeProject(harness.db, { id: 'readable-one', mode: 'private' });
  await makeProject(harness.db, { id: 'hidden-one', mode: 'private' });
  await makeMember(harness.db, editor, 'readable-one', 'Reader');
  const projects = ['open-one', 'readable-one', 'hidden-one'];
  id = (await call(harness.app, 'POST', '/api/admin/addons', { body: { ...HOOK, projects } })).body.id;
  const { token } = editor;
  const body = { ...HOOK, description: 'changed', projects: ['open-one', 'readable-one'] };
  const updated = await call(harness.app, 'PUT', `/api/admin/addons/${id}`, { token, body });
  expect(updated).toMatchObject({ status: 200, body: { projects: ['open-one', 'readable-one'] } });
  await call(harness.app, 'DELETE', `/api/admin/addons/${id}`, { token });
});

const OWN = () => `createdBy=IS:${editor.id}&type=IS_ANY_OF:addon-config-updated,addon-config-deleted`;

test('stores the complete list of projects and shows it to root admins', async () => {
  const complete = ['open-one', 'readable-one', 'hidden-one'];

  expect(listsOf(await search(OWN()))).toEqual([
    [undefined, complete],
    [complete, complete],
  ]);
});

test('shows other callers only the listed projects that they can read', async () => {
  const readable = ['open-one', 'readable-one'];
  const events = await search(OWN(), editor.token);
  const single = await call(harness.app, 'GET', `/api/admin/events/${events[1]?.id}`, {
    token: editor.token,
  });

  expect(listsOf(events)).toEqual([
    [undefined, readable],
    [readable, readable],
  ]);
  expect(listsOf([single.body])).toEqual([[readable, readable]]);
  expect(JSON.stringify([events, single.body])).not.toContain('hidden-one');
});

test('finds no hidden project in the text of an event', async () => {
  expect(await search('query=hidden-on', editor.token)).toEqual([]);
  expect((await search('query=hidden-on&type=IS:addon-config-updated')).length).toBe(1);
});

test("finds the caller's own event by its text if the caller can read all listed projects", async () => {
  const { token } = editor;
  const body = { ...HOOK, description: 'findable', projects: ['readable-one'] };
  await call(harness.app, 'POST', '/api/admin/addons', { token, body });

  expect((await search('query=findable', token)).length).toBe(1);
});

test('omits a list whose projects the caller cannot read, because an empty list means all', async () => {
  const { token } = await makeUser(harness.db, 'Editor').then(async user => {
    await makeProject(harness.db, { id: 'left-one', mode: 'private' });
    await makeMember(harness.db, user, 'left-one', 'Reader');
    return user;
  });
  const body = { ...HOOK, projects: ['left-one'] };
  await call(harness.app, 'POST', '/api/admin/addons', { token, body });
  await harness.db.deleteFrom('user_roles').where('project', '=', 'left-one').execute();

  const [event] = await search('type=IS:addon-config-created', token);

  expect(event?.data).not.toHaveProperty('projects');
});

test.each(['ndjson', 'csv'])('the export as %s applies the same rules', async format => {
  const { body } = await call(
    harness.app,
    'GET',
    `/api/admin/search/events/export?format=${format}&${OWN()}`,
    {
      token: editor.token,
    },
  );
  const byText = await call(harness.app, 'GET', `/api/admin/search/events/export?query=hidden-one`, {
    token: editor.token,
  });

  expect(String(body)).toMatch(/"projects"+: \["+open-one"+, "+readable-one"+\]/);
  expect(String(body)).not.toContain('hidden-one');
  expect(byText.body).toBe('');
});

test('the stream applies the same rules', async () => {
  await harness.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = harness.app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/api/admin/events/stream`;
  const connect = (query: string) => connectStream(`${url}${query}`, editor.token, {});
  const projects = ['open-one', 'hidden-one'];
  const made = (await call(harness.app, 'POST', '/api/admin/addons', { body: { ...HOOK, projects } })).body
    .id;
  const clients = [
    await connect(''),
    await connect('?after=0&type=IS:addon-config-updated'),
    await connect('?query=hidden-one'),
    await connect('?query=streamed'),
  ];
  const [live, old, byHiddenText, byText] = clients;
  await call(harness.app, 'PUT', `/api/admin/addons/${made}`, {
    token: editor.token,
    body: { ...HOOK, description: 'streamed', projects: ['open-one'] },
  });
  await call(harness.app, 'POST', '/api/admin/tags', {
    token: editor.token,
    body: { type: 'simple', value: 'after-streamed' },
  });

  await expect.poll(() => byText?.events.length).toBe(1);
  await expect.poll(() => live?.events.length).toBe(2);
  await expect.poll(() => old?.events.length).toBe(2);
  expect(byHiddenText?.events).toEqual([]);
  const text = JSON.stringify([live, old, byText].map(client => client?.events));
  expect(text).toContain('open-one');
  expect(text).not.toContain('hidden-one');
  for (const client of clients) client.close();
});

test('hides the filter of an integration that names a project the caller cannot read', async () => {
  const user = await makeUser(harness.db, 'Editor');
  const { token } = user;
  await makeProject(harness.db, { id: 'filtered-one', mode: 'private' });
  await makeMember(harness.db, user, 'filtered-one', 'Reader');
  const projects = ['open-one'];
  const body = {
    ...HOOK,
    projects,
    description: 'filtered hook',
    filter: { project: 'IS_ANY_OF:open-one , filtered-one', feature: 'IS:hidden-feature' },
  };
  await call(harness.app, 'POST', '/api/admin/addons', { token, body });
  const created = `createdBy=IS:${user.id}&type=IS:addon-config-created`;
  const exported = async () =>
    String((await call(harness.app, 'GET', `/api/admin/search/events/export?${created}`, { token })).body);
  expect(await search(`query=filtered-one&${created}`, token)).toHaveLength(1);
  expect((await search(created, token))[0]?.data).toMatchObject({ filter: body.filter });
  expect(JSON.parse(await exported()).data).toMatchObject({ filter: body.filter });

  await harness.db.deleteFrom('user_roles').where('project', '=', 'filtered-one').execute();

  for (const query of ['filtered-on', 'hidden-feature', 'filtered%20hook'])
    expect(await search(`query=${query}`, token)).toEqual([]);
  const [event] = await search(created, token);
  expect(event?.data).toMatchObject({ projects, description: 'filtered hook' });
  expect(event?.data).not.toHaveProperty('filter');
  expect(JSON.parse(await exported()).data).toEqual(event?.data);
  expect((await search(created))[0]?.data).toMatchObject({ filter: body.filter });
});
