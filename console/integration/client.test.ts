import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { apiOf, createFlag, createPerson, createProject, type Person, unique } from '../e2e/support/api.ts';
import { type Front, startFront } from '../e2e/support/server.ts';
import { countSent, logIn, openTab } from './support/tab.ts';

const server = inject('clientServer');
const admin = apiOf(server);
let front: Front;
let person: Person;
let client: typeof import('../src/api/client.ts');
let session: typeof import('../src/api/session.ts');
let waiting: typeof import('../src/api/waiting-writes.ts');

beforeAll(async () => {
  front = await startFront(server);
  openTab(front.url);
  [client, session, waiting] = [
    await import('../src/api/client.ts'),
    await import('../src/api/session.ts'),
    await import('../src/api/waiting-writes.ts'),
  ];
  person = await createPerson(admin, { rootRole: 'Admin' });
  await logIn(person);
});
afterAll(() => front.close());

const eventsOf = async (project: string, type: string): Promise<unknown[]> =>
  (
    await admin.send<{ events: unknown[] }>(
      'GET',
      `/api/admin/search/events?project=IS:${project}&type=IS:${type}`,
    )
  ).events;

test('a change whose responses get lost is retried, and carried out once', async () => {
  const { api, unwrap } = client;
  const project = await createProject(admin);
  const name = `flag-${unique()}`;
  const path = `/api/admin/projects/${project}/features`;

  front.lost = 2;
  const created = await unwrap(
    api.POST('/api/admin/projects/{projectId}/features', {
      params: { path: { projectId: project } },
      body: { name },
    }),
  );

  expect(created.name).toBe(name);
  expect(countSent('POST', new RegExp(`^${path}$`))).toBe(3);
  expect(await eventsOf(project, 'feature-created')).toHaveLength(1);
});

test('a change that the user cancels fails, and the same change later is carried out once', async () => {
  const { api, done } = client;
  const projectId = await createProject(admin);
  const name = `flag-${unique()}`;
  const create = () =>
    done(
      api.POST('/api/admin/projects/{projectId}/features', {
        params: { path: { projectId } },
        body: { name },
      }),
    );

  front.lost = 100;
  const first = create();
  await expect.poll(() => session.readConnection().waitingWrites).toBe(1);
  waiting.cancelWrites();
  await expect(first).rejects.toThrow('Cancelled.');
  front.lost = 0;
  await create();

  expect(await eventsOf(projectId, 'feature-created')).toHaveLength(1);
  expect(session.readConnection().waitingWrites).toBe(0);
});

test('a read waits for an unreachable server, and says so', async () => {
  const { api, unwrap } = client;

  front.state = 'down';
  const read = unwrap(api.GET('/api/admin/projects'));
  await expect.poll(() => session.readConnection().unavailable).toBe(true);
  front.state = 'up';

  expect((await read).projects.length).toBeGreaterThan(0);
  expect(session.readConnection().unavailable).toBe(false);
});

test('requests wait for the login after the session ended, and a change is sent once', async () => {
  const { api, unwrap, done } = client;
  const projectId = await createProject(admin);
  const name = await createFlag(admin, projectId);
  await admin.send('DELETE', `/api/admin/user-admin/${person.id}/sessions`);

  const read = unwrap(api.GET('/api/admin/user'));
  const path = { projectId, featureName: name };
  const write = done(
    api.PUT('/api/admin/projects/{projectId}/features/{featureName}', {
      params: { path },
      body: { description: 'After the login' },
    }),
  );
  await expect.poll(() => session.readConnection()).toMatchObject({ sessionEnded: true, changeWaits: true });
  await logIn(person);
  session.loggedInAgain();

  expect((await read).user.id).toBe(person.id);
  await write;
  expect(await eventsOf(projectId, 'feature-metadata-updated')).toHaveLength(1);
  expect(session.readConnection()).toMatchObject({ sessionEnded: false, changeWaits: false });
});

test('of two saves from the same state, the second is a conflict', async () => {
  const { api, unwrap, done } = client;
  const projectId = await createProject(admin);
  const params = { path: { projectId, featureName: await createFlag(admin, projectId) } };
  const FEATURE = '/api/admin/projects/{projectId}/features/{featureName}';
  const read = api.GET(FEATURE, { params });
  await unwrap(read);
  const headers = { 'If-Match': (await read).response.headers.get('ETag') ?? '' };
  const save = (description: string) => done(api.PUT(FEATURE, { params, body: { description }, headers }));

  await save('First');
  await expect(save('Second')).rejects.toMatchObject({ status: 412 });

  expect((await unwrap(api.GET(FEATURE, { params }))).description).toBe('First');
});

test('somebody else changes what was saved before the editor reads it: the next save is a conflict', async () => {
  const { baseAfterSave } = await import('../src/ui/versions.ts');
  const flags = await import('../src/features/queries.ts');
  const { QueryClient } = await import('@tanstack/react-query');
  const queries = new QueryClient();
  const projectId = await createProject(admin);
  const place = { projectId, featureName: await createFlag(admin, projectId, { description: 'Old' }) };
  const path = `/api/admin/projects/${projectId}/features/${place.featureName}`;
  const read = async () => {
    const { feature, etag } = await queries.fetchQuery({ ...flags.settingsQuery(place), staleTime: 0 });
    return { draft: { description: feature.description ?? '' }, etag };
  };
  const save = (description: string, etag: string) => flags.updateFeature(place, { description }, { etag });
  const saved = { description: 'Mine' };

  // The old state has an ETag that the editor knows.
  for (const theirs of ['Theirs', 'Old']) {
    await save(saved.description, (await read()).etag);
    await admin.send('PUT', path, { description: theirs });
    const { etag } = baseAfterSave(saved, await read());
    await expect(save('Mine again', etag)).rejects.toMatchObject({ status: 412 });
    expect((await read()).draft.description).toBe(theirs);
  }

  // A change of something that the user does not edit is no conflict.
  await save(saved.description, (await read()).etag);
  await admin.send('POST', `${path}/environments/development/on`);
  await save('Mine again', baseAfterSave(saved, await read()).etag);
  expect((await read()).draft.description).toBe('Mine again');
});
