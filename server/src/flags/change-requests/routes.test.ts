import { expect, test } from 'vitest';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();

const readConfig = (project: string, token?: string) =>
  call(harness.app, 'GET', `/api/admin/projects/${project}/change-requests/config`, {
    ...(token === undefined ? {} : { token }),
  });
const setConfig = (project: string, environment: string, body: unknown, token?: string) =>
  call(
    harness.app,
    'PUT',
    `/api/admin/projects/${project}/environments/${environment}/change-requests/config`,
    { body, ...(token === undefined ? {} : { token }) },
  );

const readLastEventId = async () =>
  (await call(harness.app, 'GET', '/api/admin/search/events?limit=1')).body.events[0]?.id;

test('lists change requests as disabled in every environment of the project', async () => {
  await call(harness.app, 'POST', '/api/admin/environments', {
    body: { name: 'staging', type: 'preproduction', sortOrder: 1 },
  });
  const project = await makeProject(harness.db, { environments: ['production', 'staging'] });

  const { status, body } = await readConfig(project.id);

  expect(status).toBe(200);
  expect(body).toEqual([
    { environment: 'staging', type: 'preproduction', changeRequestEnabled: false, requiredApprovals: null },
    { environment: 'production', type: 'production', changeRequestEnabled: false, requiredApprovals: null },
  ]);
});

test.each([
  { changeRequestsEnabled: false },
  { changeRequestsEnabled: false, requiredApprovals: 0 },
  { changeRequestsEnabled: false, requiredApprovals: null },
])('accepts %j and records nothing', async body => {
  const project = await makeProject(harness.db);
  const eventBefore = await readLastEventId();

  const response = await setConfig(project.id, 'production', body);

  expect(response).toMatchObject({ status: 204, body: '' });
  expect(await readLastEventId()).toBe(eventBefore);
});

test('rejects enabling change requests with 400', async () => {
  const project = await makeProject(harness.db);

  const response = await setConfig(project.id, 'production', {
    changeRequestsEnabled: true,
    requiredApprovals: 2,
  });

  expect(response).toMatchObject({
    status: 400,
    body: {
      name: 'BadDataError',
      message: expect.stringContaining('does not support change requests yet'),
      details: [{ path: '/body/changeRequestsEnabled' }],
    },
  });
  expect((await readConfig(project.id)).body[0].changeRequestEnabled).toBe(false);
});

test.each([
  [{}, '/body/changeRequestsEnabled'],
  [{ changeRequestsEnabled: 'false' }, '/body/changeRequestsEnabled'],
  [{ changeRequestsEnabled: false, requiredApprovals: -1 }, '/body/requiredApprovals'],
  [{ changeRequestsEnabled: false, requiredApprovals: 1.5 }, '/body/requiredApprovals'],
])('rejects %j', async (body, path) => {
  const project = await makeProject(harness.db);

  expect(await setConfig(project.id, 'production', body)).toMatchObject({
    status: 400,
    body: { details: [{ path }] },
  });
});

test('responds with 404 for an unknown project or an environment that the project does not have', async () => {
  const project = await makeProject(harness.db, { environments: ['development'] });

  const disabledBody = { changeRequestsEnabled: false };
  const responses = [
    await readConfig('no-such-project'),
    await setConfig('no-such-project', 'production', disabledBody),
    await setConfig(project.id, 'production', disabledBody),
    await setConfig(project.id, 'no-such-environment', { changeRequestsEnabled: true }),
  ];

  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(responses[2]?.body.message).toBe(
    `Environment "production" of project "${project.id}" does not exist. GET /api/admin/environments lists the environments.`,
  );
});

test('readers of a project can read the settings, and owners can set them', async () => {
  const { db } = harness;
  const project = await makeProject(db, { mode: 'private' });
  const [stranger, member, owner] = [
    await makeUser(db, 'Editor'),
    await makeUser(db, 'Viewer'),
    await makeUser(db, 'Viewer'),
  ];
  await makeMember(db, member, project.id, 'Member');
  await makeMember(db, owner, project.id, 'Owner');
  const tokens = [stranger, member, owner].map(({ token }) => token);
  const disabledBody = { changeRequestsEnabled: false };

  const reads = await Promise.all(tokens.map(token => readConfig(project.id, token)));
  const writes = await Promise.all(
    tokens.map(token => setConfig(project.id, 'production', disabledBody, token)),
  );

  expect(reads.map(({ status }) => status)).toEqual([404, 200, 200]);
  expect(writes.map(({ status }) => status)).toEqual([404, 403, 204]);
  // The environment is in the URL, but these permissions are not granted per environment.
  expect(writes[1]?.body.message).toBe(
    `This operation requires the permission UPDATE_PROJECT or PROJECT_CHANGE_REQUEST_WRITE in project "${project.id}".`,
  );
});
