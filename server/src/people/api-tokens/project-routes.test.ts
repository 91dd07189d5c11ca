import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();

const NEW = { tokenName: 'app', type: 'backend', environment: 'production' };

async function memberOfProject() {
  const project = await makeProject(harness.db);
  const user = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, user, project.id, 'Member');
  const ask = (method: 'GET' | 'POST' | 'DELETE', path = '', body?: object) =>
    call(harness.app, method, `/api/admin/projects/${project.id}/api-tokens${path}`, {
      token: user.token,
      ...(body ? { body } : {}),
    });
  return { project: project.id, user, ask };
}

const idsOf = ({ body }: { body: { tokens: { id: number }[] } }) => body.tokens.map(({ id }) => id);

test('rejects a token that is already expired', async () => {
  const { ask } = await memberOfProject();

  const { status, body } = await ask('POST', '', { ...NEW, expiresAt: '2020-01-01T00:00:00.000Z' });

  expect(status).toBe(400);
  expect(body.details).toEqual([
    {
      message: 'expiresAt must be in the future, not "2020-01-01T00:00:00.000Z"',
      path: '/body/expiresAt',
    },
  ]);
});

test('lets a member create, list and revoke tokens of the project, with events of the project', async () => {
  const { project, ask } = await memberOfProject();

  const created = await ask('POST', '', NEW);
  const listed = await ask('GET');
  const revoked = await ask('DELETE', `/${encodeURIComponent(created.body.secret)}`);

  expect([created.status, listed.status, revoked.status]).toEqual([201, 200, 200]);
  expect(created.body.secret).toMatch(new RegExp(`^${project}:production\\.hyc_`));
  expect(created.body.projects).toEqual([project]);
  expect(listed.body.tokens).toEqual([
    { ...created.body, secret: `${project}:production.…${created.body.secret.slice(-4)}` },
  ]);
  expect(idsOf(await ask('GET'))).toEqual([]);
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
  const { ask } = await memberOfProject();

  expect(await ask('POST', '', { ...NEW, ...fields })).toMatchObject({
    status: 400,
    body: { name: 'BadDataError', details: [{ path }] },
  });
});

test('neither lists nor revokes tokens of other projects and of all projects', async () => {
  const { project, ask } = await memberOfProject();
  const create = async (projects: string[]) =>
    (await call(harness.app, 'POST', '/api/admin/api-tokens', { body: { ...NEW, projects } })).body.id;
  const [other, all, both] = [
    await create(['default']),
    await create(['*']),
    await create([project, 'default']),
  ];

  expect(idsOf(await ask('GET'))).toEqual([both]);
  expect((await ask('DELETE', `/${other}`)).status).toBe(404);
  expect((await ask('DELETE', `/${all}`)).status).toBe(404);
  expect(await ask('DELETE', `/${both}`)).toMatchObject({
    status: 403,
    body: { name: 'InvalidOperationError' },
  });
});

test('a project with the id * has only its own tokens', async () => {
  // No request creates this project. The permissions of its owner must not reach further if a row with this id exists.
  await sql`insert into projects (id, name, mode) values ('*', 'star', 'open')`.execute(harness.db);
  const user = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, user, '*', 'Owner');
  const ask = (method: 'GET' | 'POST' | 'DELETE', path = '', body?: object) =>
    call(harness.app, method, `/api/admin/projects/*/api-tokens${path}`, {
      token: user.token,
      ...(body ? { body } : {}),
    });
  const all = (
    await call(harness.app, 'POST', '/api/admin/api-tokens', { body: { ...NEW, projects: ['*'] } })
  ).body.id;
  const { id: admin } = (
    await sql<{ id: number }>`select id from api_tokens where type = 'admin'`.execute(harness.db)
  ).rows[0] as { id: number };

  const created = await ask('POST', '', NEW);

  expect(created.status).toBe(201);
  const rows = await sql`
    select all_projects, project_id from api_tokens join api_token_projects on token_id = id
    where id = ${created.body.id}`.execute(harness.db);
  expect(rows.rows).toEqual([{ all_projects: false, project_id: '*' }]);
  expect(idsOf(await ask('GET'))).toEqual([created.body.id]);
  expect((await ask('DELETE', `/${all}`)).status).toBe(404);
  expect((await ask('DELETE', `/${admin}`)).status).toBe(404);
  expect((await ask('DELETE', `/${created.body.id}`)).status).toBe(200);
});

test('hides a token that is also for a project that the caller cannot read', async () => {
  const { project, user, ask } = await memberOfProject();
  const hidden = await makeProject(harness.db, { mode: 'private' });
  const body = { ...NEW, projects: [project, hidden.id] };
  const { id } = (await call(harness.app, 'POST', '/api/admin/api-tokens', { body })).body;
  const editor = await makeUser(harness.db, 'Editor');
  const seenBy = async (token: string) =>
    idsOf(await call(harness.app, 'GET', '/api/admin/api-tokens', { token }));

  expect(idsOf(await ask('GET'))).toEqual([]);
  expect((await ask('DELETE', `/${id}`)).status).toBe(404);
  expect(await seenBy(editor.token)).not.toContain(id);
  await makeMember(harness.db, editor, hidden.id, 'Reader');
  await makeMember(harness.db, user, hidden.id, 'Reader');
  expect(await seenBy(editor.token)).toContain(id);
  expect(idsOf(await ask('GET'))).toEqual([id]);
});
