import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import {
  createApi,
  createFlag,
  createPerson,
  createProject,
  type Person,
  unique,
} from '../e2e/support/api.ts';
import { type LoadBalancer, startLoadBalancer } from '../e2e/support/server.ts';
import { countSent, logIn, openTab } from './support/tab.ts';

const server = inject('clientServer');
const admin = createApi(server);
let loadBalancer: LoadBalancer;
let person: Person;
let client: typeof import('../src/api/client.ts');
let session: typeof import('../src/api/session.ts');
let waitingWrites: typeof import('../src/api/waiting-writes.ts');

beforeAll(async () => {
  loadBalancer = await startLoadBalancer(server);
  openTab(loadBalancer.url);
  [client, session, waitingWrites] = [
    await import('../src/api/client.ts'),
    await import('../src/api/session.ts'),
    await import('../src/api/waiting-writes.ts'),
  ];
  person = await createPerson(admin, { rootRole: 'Admin' });
  await logIn(person);
});
afterAll(() => loadBalancer.close());

const readEvents = async (project: string, type: string): Promise<unknown[]> =>
  (
    await admin.send<{ events: unknown[] }>(
      'GET',
      `/api/admin/search/events?project=IS:${project}&type=IS:${type}`,
    )
  ).events;

test('a change whose responses are lost is retried, but applied only once', async () => {
  const { api, unwrap } = client;
  const project = await createProject(admin);
  const name = `flag-${unique()}`;
  const path = `/api/admin/projects/${project}/features`;

  loadBalancer.responsesToLose = 2;
  const flag = await unwrap(
    api.POST('/api/admin/projects/{projectId}/features', {
      params: { path: { projectId: project } },
      body: { name },
    }),
  );

  expect(flag.name).toBe(name);
  expect(countSent('POST', new RegExp(`^${path}$`))).toBe(3);
  expect(await readEvents(project, 'feature-created')).toHaveLength(1);
});

test('a change that the user cancels fails and can be repeated', async () => {
  const { api, ensureApplied } = client;
  const projectId = await createProject(admin);
  const name = `flag-${unique()}`;
  const create = () =>
    ensureApplied(
      api.POST('/api/admin/projects/{projectId}/features', {
        params: { path: { projectId } },
        body: { name },
      }),
    );

  loadBalancer.responsesToLose = 100;
  const cancelledCreation = create();
  await expect.poll(() => session.readConnection().waitingWrites).toBe(1);
  waitingWrites.cancelWrites();
  await expect(cancelledCreation).rejects.toThrow('Cancelled.');
  loadBalancer.responsesToLose = 0;
  await create();

  expect(await readEvents(projectId, 'feature-created')).toHaveLength(1);
  expect(session.readConnection().waitingWrites).toBe(0);
});

test('a read waits while the console reports that the server is unavailable', async () => {
  const { api, unwrap } = client;

  loadBalancer.state = 'down';
  const projectsPromise = unwrap(api.GET('/api/admin/projects'));
  await expect.poll(() => session.readConnection().unavailable).toBe(true);
  loadBalancer.state = 'up';

  expect((await projectsPromise).projects.length).toBeGreaterThan(0);
  expect(session.readConnection().unavailable).toBe(false);
});

test('reads and changes wait while the server is busy, without a message about an outage', async () => {
  const { api, unwrap } = client;
  const project = await createProject(admin);

  const states: boolean[] = [];
  const stop = session.onConnectionChange(() => states.push(session.readConnection().unavailable));
  loadBalancer.requestsToReject = 2;
  expect((await unwrap(api.GET('/api/admin/projects'))).projects.length).toBeGreaterThan(0);
  expect(loadBalancer.requestsToReject).toBe(0);

  const name = `flag-${unique()}`;
  loadBalancer.requestsToReject = 2;
  const flag = await unwrap(
    api.POST('/api/admin/projects/{projectId}/features', {
      params: { path: { projectId: project } },
      body: { name },
    }),
  );
  stop();

  expect(flag.name).toBe(name);
  expect(loadBalancer.requestsToReject).toBe(0);
  expect(states).not.toContain(true);
});

test('requests wait for the login after the session has ended', async () => {
  const { api, unwrap, ensureApplied } = client;
  const projectId = await createProject(admin);
  const name = await createFlag(admin, projectId);
  await admin.send('DELETE', `/api/admin/user-admin/${person.id}/sessions`);

  const userPromise = unwrap(api.GET('/api/admin/user'));
  const path = { projectId, featureName: name };
  const write = ensureApplied(
    api.PUT('/api/admin/projects/{projectId}/features/{featureName}', {
      params: { path },
      body: { description: 'After the login' },
    }),
  );
  await expect
    .poll(() => session.readConnection())
    .toMatchObject({ sessionEnded: true, hasWaitingChange: true });
  await logIn(person);
  session.resumeAfterLogin();

  expect((await userPromise).user.id).toBe(person.id);
  await write;
  expect(await readEvents(projectId, 'feature-metadata-updated')).toHaveLength(1);
  expect(session.readConnection()).toMatchObject({ sessionEnded: false, hasWaitingChange: false });
});

test('the second of two saves from the same state is a conflict', async () => {
  const { api, unwrap, ensureApplied } = client;
  const projectId = await createProject(admin);
  const params = { path: { projectId, featureName: await createFlag(admin, projectId) } };
  const FEATURE = '/api/admin/projects/{projectId}/features/{featureName}';
  const featurePromise = api.GET(FEATURE, { params });
  await unwrap(featurePromise);
  const headers = { 'If-Match': (await featurePromise).response.headers.get('ETag') ?? '' };
  const save = (description: string) =>
    ensureApplied(api.PUT(FEATURE, { params, body: { description }, headers }));

  await save('First');
  await expect(save('Second')).rejects.toMatchObject({ status: 412 });

  expect((await unwrap(api.GET(FEATURE, { params }))).description).toBe('First');
});

test('a save conflicts if somebody else changed the saved state before the editor reloaded it', async () => {
  const { baseAfterSave } = await import('../src/ui/versions.ts');
  const flags = await import('../src/features/queries.ts');
  const { QueryClient } = await import('@tanstack/react-query');
  const queries = new QueryClient();
  const projectId = await createProject(admin);
  const target = { projectId, featureName: await createFlag(admin, projectId, { description: 'Old' }) };
  const path = `/api/admin/projects/${projectId}/features/${target.featureName}`;
  const read = async () => {
    const { feature, etag } = await queries.fetchQuery({ ...flags.settingsQuery(target), staleTime: 0 });
    return { draft: { description: feature.description ?? '' }, etag };
  };
  const save = (description: string, etag: string) => flags.updateFeature(target, { description }, { etag });
  const savedDraft = { description: 'Mine' };

  // The second change restores the old state, whose ETag the editor knows.
  for (const otherDescription of ['Theirs', 'Old']) {
    await save(savedDraft.description, (await read()).etag);
    await admin.send('PUT', path, { description: otherDescription });
    const { etag } = baseAfterSave(savedDraft, await read());
    await expect(save('Mine again', etag)).rejects.toMatchObject({ status: 412 });
    expect((await read()).draft.description).toBe(otherDescription);
  }

  // A change to a field that the user does not edit must not cause a conflict.
  await save(savedDraft.description, (await read()).etag);
  await admin.send('POST', `${path}/environments/development/on`);
  await save('Mine again', baseAfterSave(savedDraft, await read()).etag);
  expect((await read()).draft.description).toBe('Mine again');
});
