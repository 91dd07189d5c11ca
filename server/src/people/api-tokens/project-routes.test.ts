import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();

const NEW_TOKEN = { tokenName: 'app', type: 'backend', environment: 'production' };

async function makeProjectMember() {
  const project = await makeProject(harness.db);
  const user = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, user, project.id, 'Member');
  const send = (method: 'GET' | 'POST' | 'DELETE', path = '', body?: object) =>
    call(harness.app, method, `/api/admin/projects/${project.id}/api-tokens${path}`, {
      token: user.token,
      ...(body ? { body } : {}),
    });
  return { project: project.id, user, send };
}

const getIds = ({ body }: { body: { tokens: { id: number }[] } }) => body.tokens.map(({ id }) => id);

test('rejects a token that is already expired', async () => {
  const { send } = await makeProjectMember();

  const { status, body } = await send('POST', '', { ...NEW_TOKEN, expiresAt: '2020-01-01T00:00:00.000Z' });

  expect(status).toBe(400);
  expect(body.details).toEqual([
    {
      message: 'expiresAt must be in the future, not "2020-01-01T00:00:00.000Z"',
      path: '/body/expiresAt',
    },
  ]);
});

test('lets a member create, list and revoke tokens of the project, and records the events in the project', async () => {
  const { project, send } = await makeProjectMember();

  const created = await send('POST', '', NEW_TOKEN);
  const listed = await send('GET');
  const revoked = await send('DELETE', `/${encodeURIComponent(created.body.secret)}`);

  expect([created.status, listed.status, revoked.status]).toEqual([201, 200, 200]);
  expect(created.body.secret).toMatch(new RegExp(`^${project}:production\\.hyc_`));
  expect(created.body.projects).toEqual([project]);
  expect(listed.body.tokens).toEqual([
    { ...created.body, secret: `${project}:production.…${created.body.secret.slice(-4)}` },
  ]);
  expect(getIds(await send('GET'))).toEqual([]);
  const { events } = (
    await call(harness.app, 'GET', `/api/admin/search/events?project=IS:${project}&limit=2`)
  ).body;
  expect(events.map((event: { type: string }) => event.type)).toEqual([
    'api-token-deleted',
    'api-token-created',
  ]);
});

test.each([
  [{ projects: ['default'] }, '/body/projects'],
  [{ project: '*' }, '/body/projects'],
  [{ type: 'admin' }, '/body/type'],
  [{ environment: 'moon' }, '/body/environment'],
])('rejects %j', async (fields, path) => {
  const { send } = await makeProjectMember();

  expect(await send('POST', '', { ...NEW_TOKEN, ...fields })).toMatchObject({
    status: 400,
    body: { name: 'BadDataError', details: [{ path }] },
  });
});

test('neither lists nor revokes tokens of other projects or of all projects', async () => {
  const { project, send } = await makeProjectMember();
  const create = async (projects: string[]) =>
    (await call(harness.app, 'POST', '/api/admin/api-tokens', { body: { ...NEW_TOKEN, projects } })).body.id;
  const [otherProjectTokenId, allProjectsTokenId, sharedTokenId] = [
    await create(['default']),
    await create(['*']),
    await create([project, 'default']),
  ];

  expect(getIds(await send('GET'))).toEqual([sharedTokenId]);
  expect((await send('DELETE', `/${otherProjectTokenId}`)).status).toBe(404);
  expect((await send('DELETE', `/${allProjectsTokenId}`)).status).toBe(404);
  expect(await send('DELETE', `/${sharedTokenId}`)).toMatchObject({
    status: 403,
    body: { name: 'InvalidOperationError' },
  });
});

test('the owner of a project with the id * can access only the tokens of this project', async () => {
  // No request can create this project. If a row with this id exists anyway, its owner must not have permissions elsewhere.
  await sql`insert into projects (id, name, mode) values ('*', 'star', 'open')`.execute(harness.db);
  const user = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, user, '*', 'Owner');
  const send = (method: 'GET' | 'POST' | 'DELETE', path = '', body?: object) =>
    call(harness.app, method, `/api/admin/projects/*/api-tokens${path}`, {
      token: user.token,
      ...(body ? { body } : {}),
    });
  const allProjectsTokenId = (
    await call(harness.app, 'POST', '/api/admin/api-tokens', { body: { ...NEW_TOKEN, projects: ['*'] } })
  ).body.id;
  const { id: adminTokenId } = (
    await sql<{ id: number }>`select id from api_tokens where type = 'admin'`.execute(harness.db)
  ).rows[0] as { id: number };

  const created = await send('POST', '', NEW_TOKEN);

  expect(created.status).toBe(201);
  const rows = await sql`
    select all_projects, project_id from api_tokens join api_token_projects on token_id = id
    where id = ${created.body.id}`.execute(harness.db);
  expect(rows.rows).toEqual([{ all_projects: false, project_id: '*' }]);
  expect(getIds(await send('GET'))).toEqual([created.body.id]);
  expect((await send('DELETE', `/${allProjectsTokenId}`)).status).toBe(404);
  expect((await send('DELETE', `/${adminTokenId}`)).status).toBe(404);
  expect((await send('DELETE', `/${created.body.id}`)).status).toBe(200);
});

test('hides a token that is also for a project that the caller cannot read', async () => {
  const { project, user, send } = await makeProjectMember();
  const hiddenProject = await makeProject(harness.db, { mode: 'private' });
  const body = { ...NEW_TOKEN, projects: [project, hiddenProject.id] };
  const { id } = (await call(harness.app, 'POST', '/api/admin/api-tokens', { body })).body;
  const editor = await makeUser(harness.db, 'Editor');
  const listTokenIds = async (token: string) =>
    getIds(await call(harness.app, 'GET', '/api/admin/api-tokens', { token }));

  expect(getIds(await send('GET'))).toEqual([]);
  expect((await send('DELETE', `/${id}`)).status).toBe(404);
  expect(await listTokenIds(editor.token)).not.toContain(id);
  await makeMember(harness.db, editor, hiddenProject.id, 'Reader');
  await makeMember(harness.db, user, hiddenProject.id, 'Reader');
  expect(await listTokenIds(editor.token)).toContain(id);
  expect(getIds(await send('GET'))).toEqual([id]);
});
