import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { connectStream } from '../../test/event-stream-client.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
let editor: TestUser;
let id: number;

type FoundEvent = { id: number; type: string; data: unknown; preData: unknown };

const search = async (query: string, token = ADMIN_TOKEN): Promise<FoundEvent[]> =>
  (await call(harness.app, 'GET', `/api/admin/search/events?limit=3&${query}`, { token })).body.events;
const getProjectLists = (events: FoundEvent[]) =>
  events.map(({ data, preData }) => [data, preData].map(part => (part as { projects?: string[] })?.projects));

const WEBHOOK_BODY = {
  provider: 'webhook',
  enabled: true,
  parameters: { url: 'https://receiver.example.com/' },
  events: ['feature-created'],
};

/** Creates an integration for an open, a readable and a hidden project, then has an editor update and delete it. */
beforeAll(async () => {
  editor = await makeUser(harness.db, 'Editor');
  await makeProject(harness.db, { id: 'open-one' });
  await makeProject(harness.db, { id: 'readable-one', mode: 'private' });
  await makeProject(harness.db, { id: 'hidden-one', mode: 'private' });
  await makeMember(harness.db, editor, 'readable-one', 'Reader');
  const projects = ['open-one', 'readable-one', 'hidden-one'];
  id = (await call(harness.app, 'POST', '/api/admin/addons', { body: { ...WEBHOOK_BODY, projects } })).body
    .id;
  const { token } = editor;
  const body = { ...WEBHOOK_BODY, description: 'changed', projects: ['open-one', 'readable-one'] };
  const updateResponse = await call(harness.app, 'PUT', `/api/admin/addons/${id}`, { token, body });
  expect(updateResponse).toMatchObject({ status: 200, body: { projects: ['open-one', 'readable-one'] } });
  await call(harness.app, 'DELETE', `/api/admin/addons/${id}`, { token });
});

const ownEventsQuery = () =>
  `createdBy=IS:${editor.id}&type=IS_ANY_OF:addon-config-updated,addon-config-deleted`;

test('stores the complete list of projects and shows it to root admins', async () => {
  const allProjects = ['open-one', 'readable-one', 'hidden-one'];

  expect(getProjectLists(await search(ownEventsQuery()))).toEqual([
    [undefined, allProjects],
    [allProjects, allProjects],
  ]);
});

test('shows other callers only the listed projects that they can read', async () => {
  const readable = ['open-one', 'readable-one'];
  const events = await search(ownEventsQuery(), editor.token);
  const single = await call(harness.app, 'GET', `/api/admin/events/${events[1]?.id}`, {
    token: editor.token,
  });

  expect(getProjectLists(events)).toEqual([
    [undefined, readable],
    [readable, readable],
  ]);
  expect(getProjectLists([single.body])).toEqual([[readable, readable]]);
  expect(JSON.stringify([events, single.body])).not.toContain('hidden-one');
});

test('does not find a hidden project in the text of an event', async () => {
  expect(await search('query=hidden-on', editor.token)).toEqual([]);
  expect((await search('query=hidden-on&type=IS:addon-config-updated')).length).toBe(1);
});

test("finds the caller's own event by its text if the caller can read all listed projects", async () => {
  const { token } = editor;
  const body = { ...WEBHOOK_BODY, description: 'findable', projects: ['readable-one'] };
  await call(harness.app, 'POST', '/api/admin/addons', { token, body });

  expect((await search('query=findable', token)).length).toBe(1);
});

test('omits a list if the caller can read none of its projects, because an empty list means all projects', async () => {
  const { token } = await makeUser(harness.db, 'Editor').then(async user => {
    await makeProject(harness.db, { id: 'left-one', mode: 'private' });
    await makeMember(harness.db, user, 'left-one', 'Reader');
    return user;
  });
  const body = { ...WEBHOOK_BODY, projects: ['left-one'] };
  await call(harness.app, 'POST', '/api/admin/addons', { token, body });
  await harness.db.deleteFrom('user_roles').where('project', '=', 'left-one').execute();

  const [event] = await search('type=IS:addon-config-created', token);

  expect(event?.data).not.toHaveProperty('projects');
});

test.each(['ndjson', 'csv'])(
  'the %s export shows only the listed projects that the caller can read',
  async format => {
    const { body } = await call(
      harness.app,
      'GET',
      `/api/admin/search/events/export?format=${format}&${ownEventsQuery()}`,
      {
        token: editor.token,
      },
    );
    const textResponse = await call(harness.app, 'GET', `/api/admin/search/events/export?query=hidden-one`, {
      token: editor.token,
    });

    expect(String(body)).toMatch(/"projects"+: \["+open-one"+, "+readable-one"+\]/);
    expect(String(body)).not.toContain('hidden-one');
    expect(textResponse.body).toBe('');
  },
);

test('the stream shows only the listed projects that the caller can read', async () => {
  await harness.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = harness.app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/api/admin/events/stream`;
  const connect = (query: string) => connectStream(`${url}${query}`, editor.token, {});
  const projects = ['open-one', 'hidden-one'];
  const integrationId = (
    await call(harness.app, 'POST', '/api/admin/addons', { body: { ...WEBHOOK_BODY, projects } })
  ).body.id;
  const clients = [
    await connect(''),
    await connect('?after=0&type=IS:addon-config-updated'),
    await connect('?query=hidden-one'),
    await connect('?query=streamed'),
  ];
  const [liveClient, catchUpClient, hiddenTextClient, textClient] = clients;
  await call(harness.app, 'PUT', `/api/admin/addons/${integrationId}`, {
    token: editor.token,
    body: { ...WEBHOOK_BODY, description: 'streamed', projects: ['open-one'] },
  });
  await call(harness.app, 'POST', '/api/admin/tags', {
    token: editor.token,
    body: { type: 'simple', value: 'after-streamed' },
  });

  await expect.poll(() => textClient?.events.length).toBe(1);
  await expect.poll(() => liveClient?.events.length).toBe(2);
  await expect.poll(() => catchUpClient?.events.length).toBe(2);
  expect(hiddenTextClient?.events).toEqual([]);
  const text = JSON.stringify([liveClient, catchUpClient, textClient].map(client => client?.events));
  expect(text).toContain('open-one');
  expect(text).not.toContain('hidden-one');
  for (const client of clients) client.close();
});

test('hides an integration filter that names a project the caller cannot read', async () => {
  const user = await makeUser(harness.db, 'Editor');
  const { token } = user;
  await makeProject(harness.db, { id: 'filtered-one', mode: 'private' });
  await makeMember(harness.db, user, 'filtered-one', 'Reader');
  const projects = ['open-one'];
  const body = {
    ...WEBHOOK_BODY,
    projects,
    description: 'filtered hook',
    filter: { project: 'IS_ANY_OF:open-one , filtered-one', feature: 'IS:hidden-feature' },
  };
  await call(harness.app, 'POST', '/api/admin/addons', { token, body });
  const creationQuery = `createdBy=IS:${user.id}&type=IS:addon-config-created`;
  const exportEvents = async () =>
    String(
      (await call(harness.app, 'GET', `/api/admin/search/events/export?${creationQuery}`, { token })).body,
    );
  expect(await search(`query=filtered-one&${creationQuery}`, token)).toHaveLength(1);
  expect((await search(creationQuery, token))[0]?.data).toMatchObject({ filter: body.filter });
  expect(JSON.parse(await exportEvents()).data).toMatchObject({ filter: body.filter });

  await harness.db.deleteFrom('user_roles').where('project', '=', 'filtered-one').execute();

  for (const query of ['filtered-on', 'hidden-feature', 'filtered%20hook'])
    expect(await search(`query=${query}`, token)).toEqual([]);
  const [event] = await search(creationQuery, token);
  expect(event?.data).toMatchObject({ projects, description: 'filtered hook' });
  expect(event?.data).not.toHaveProperty('filter');
  expect(JSON.parse(await exportEvents()).data).toEqual(event?.data);
  expect((await search(creationQuery))[0]?.data).toMatchObject({ filter: body.filter });
});
