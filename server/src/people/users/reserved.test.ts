import { expect, test } from 'vitest';
import { ADMIN_TOKEN_USER_ID, SYSTEM, SYSTEM_USER_ID } from '../../platform/actor.ts';
import { makeUser, PASSWORD } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { isReserved } from './reserved.ts';

const harness = useHarness();
const IN_A_DAY = new Date(Date.now() + 86_400_000).toISOString();

test.each([
  'system',
  'System',
  ' SYSTEM ',
  'admin token',
  'Admin-Token',
  'admin_token',
  'ＳＹＳＴＥＭ',
  'sys\u200btem',
  'sys\u00adtem',
  'admin\u00a0token',
  'single sign-on',
  'user 7',
  '\ua731ystem',
  'sʏꜱᴛᴇᴍ',
  'ѕуѕтем',
  'ЅҮЅТЕМ',
  'ꓢꓬꓢꓔꓰꓟ',
  'sy\u0301ste\u0300m',
  'admin token ci',
  'admin token "deploy"',
  'AdminToken: deploy',
  'аdmіn tоken',
  'admin tokеn\nx',
  'adm1n t0ken',
  'singIe sign-on',
  'υser 7',
])('%j is reserved', name => {
  expect(isReserved(name)).toBe(true);
});

test.each([
  'systematic',
  'my system',
  'admin',
  'Ada',
  'user',
  'user7',
  'user seven',
  'user 7 of 9',
  'root',
  'admin tokens',
  'Иванов',
  'Σωκράτης',
  '系统管理员',
  'Sørøys',
])('%j is not reserved', name => {
  expect(isReserved(name)).toBe(false);
});

test('reserves the names of actors that are not accounts', async () => {
  const { body } = await call(harness.app, 'GET', '/api/admin/event-creators');
  const names = (body as { id: number; name: string }[])
    .filter(({ id }) => [SYSTEM_USER_ID, ADMIN_TOKEN_USER_ID].includes(id))
    .map(({ name }) => name);

  for (const name of [...names, SYSTEM.name, 'admin token']) expect(isReserved(name)).toBe(true);
});

const rejectionAt = (path: string) => ({ status: 400, body: { details: [{ path }] } });

test.each(['name', 'username'])('rejects a user with a reserved %s', async field => {
  const response = await call(harness.app, 'POST', '/api/admin/user-admin', {
    body: { email: `${field}@example.com`, rootRole: 3, [field]: 'System' },
  });

  expect(response).toMatchObject(rejectionAt(`/body/${field}`));
});

test('rejects a reserved name in an update of a user, but accepts a different name', async () => {
  const { id } = await makeUser(harness.db, 'Viewer');
  const updateUser = (body: object) => call(harness.app, 'PUT', `/api/admin/user-admin/${id}`, { body });

  expect(await updateUser({ name: 'admin token' })).toMatchObject(rejectionAt('/body/name'));
  expect((await updateUser({ name: 'Ada' })).status).toBe(200);
});

test('accepts an update of a user whose name was already reserved, but not a different reserved name', async () => {
  const { id } = await makeUser(harness.db, 'Viewer');
  // The API rejects such a name, but an account from before a name was reserved can have it.
  await harness.db.updateTable('users').set({ name: 'System' }).where('id', '=', id).execute();
  const updateUser = (body: object) => call(harness.app, 'PUT', `/api/admin/user-admin/${id}`, { body });

  const withoutName = await updateUser({ email: `first-${id}@example.com` });
  const withSameName = await updateUser({ name: 'System', email: `second-${id}@example.com` });
  const rejection = await updateUser({ name: 'admin token', email: `third-${id}@example.com` });

  expect(withoutName).toMatchObject({
    status: 200,
    body: { name: 'System', email: `first-${id}@example.com` },
  });
  expect(withSameName).toMatchObject({
    status: 200,
    body: { name: 'System', email: `second-${id}@example.com` },
  });
  expect(rejection).toMatchObject(rejectionAt('/body/name'));
});

test.each(['system', 'Admin Token', 'admin', 'ɑdmin', 'root'])('rejects a signup as %s', async name => {
  const link = await call(harness.app, 'POST', '/api/admin/invite-link/tokens', {
    body: { name: 'open house', expiresAt: IN_A_DAY },
  });
  for (const field of ['name', 'username']) {
    const response = await call(harness.app, 'POST', `/invite/${link.body.secret}/signup`, {
      token: null,
      body: { email: 'mallory@example.com', password: PASSWORD, [field]: name },
    });
    expect(response).toMatchObject(rejectionAt(`/body/${field}`));
  }
});

test('rejects a reserved name for a service account at creation and update', async () => {
  const creation = await call(harness.app, 'POST', '/api/admin/service-account', {
    body: { name: 'robot', rootRole: 3 },
  });
  const rejectedCreation = await call(harness.app, 'POST', '/api/admin/service-account', {
    body: { name: 'robot two', username: 'SYSTEM', rootRole: 3 },
  });
  const rejectedUpdate = await call(harness.app, 'PUT', `/api/admin/service-account/${creation.body.id}`, {
    body: { name: 'admin token', rootRole: 3 },
  });

  expect(rejectedCreation).toMatchObject(rejectionAt('/body/username'));
  expect(rejectedUpdate).toMatchObject(rejectionAt('/body/name'));
});

test.each([
  ['\u0455ally', true],
  ['admin\u03bf', true],
  ['\u0438\u0432\u0430\u043d', false],
  ['zoë.müller', false],
])('the username %j is rejected for mixing alphabets: %s', async (username, isRejected) => {
  const body = { username, rootRole: 'Viewer' };
  const response = await call(harness.app, 'POST', '/api/admin/user-admin', { body });

  expect(response.status).toBe(isRejected ? 400 : 201);
  if (isRejected)
    expect(response.body.message).toContain('mixes Latin letters with Cyrillic or Greek letters');
});
