import { expect, test } from 'vitest';
import { makeProject, makeUser } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';

const harness = useHarness();
const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: object, etag?: string) =>
  call(harness.app, method, `/api/admin/${url}`, {
    ...(body === undefined ? {} : { body }),
    headers: etag === undefined ? {} : { 'if-match': etag },
  });

type Resource = {
  /** Creates the resource and returns its path. */
  create: () => Promise<string>;
  /** The body of an update. */
  body: (text: string) => object;
  /** Where the update is sent, if not to the path. */
  put?: (path: string) => string;
  /** How the update is sent, if not with PUT. */
  method?: 'POST' | 'PUT';
  isDeletable?: boolean;
};

const RESOURCES: Record<string, Resource> = {
  role: {
    create: async () => {
      const { body } = await send('POST', 'roles', {
        name: 'Releases',
        permissions: [],
        type: 'root-custom',
      });
      return `roles/${body.roles.id}`;
    },
    body: text => ({ name: 'Releases', description: text, permissions: [], type: 'root-custom' }),
  },
  group: {
    create: async () => `groups/${(await send('POST', 'groups', { name: 'Checkout' })).body.id}`,
    body: text => ({ name: 'Checkout', description: text }),
  },
  user: {
    create: async () => `user-admin/${(await makeUser(harness.db, 'Viewer')).id}`,
    body: text => ({ name: text }),
  },
  'tag type': {
    create: async () => {
      await send('POST', 'tag-types', { name: 'team', icon: '' });
      return 'tag-types/team';
    },
    body: text => ({ description: text, icon: '' }),
  },
  'strategy type': {
    create: async () => {
      await send('POST', 'strategies', { name: 'byTeam', parameters: [] });
      return 'strategies/byTeam';
    },
    body: text => ({ description: text, parameters: [] }),
  },
  'context field': {
    create: async () => {
      await send('POST', 'context', { name: 'plan' });
      return 'context/plan';
    },
    body: text => ({ description: text, legalValues: [] }),
  },
  project: {
    create: async () => `projects/${(await makeProject(harness.db)).id}`,
    body: text => ({ name: 'Payments', description: text }),
  },
  'project settings': {
    create: async () => `projects/${(await makeProject(harness.db)).id}`,
    body: text => ({ featureLimit: text.length }),
    put: path => `${path}/settings`,
    isDeletable: false,
  },
  environment: {
    create: async () => {
      await send('POST', 'environments', { name: 'staging', type: 'test' });
      return 'environments/staging';
    },
    body: text => ({ type: text }),
    put: path => path.replace('environments/', 'environments/update/'),
  },
  'feature type': {
    create: async () => 'feature-types/release',
    body: text => ({ lifetimeDays: text.length }),
    put: path => `${path}/lifetime`,
    isDeletable: false,
  },
  'service account': {
    create: async () => {
      const { body } = await send('POST', 'service-account', { name: 'Deploys', rootRole: 3 });
      return `service-account/${body.id}`;
    },
    body: text => ({ name: text }),
  },
  'API token': {
    create: async () => {
      const { body } = await send('POST', 'api-tokens', { tokenName: 'checkout', type: 'client' });
      return `api-tokens/${body.id}`;
    },
    body: text => ({ expiresAt: `20${40 + text.length}-01-01T00:00:00.000Z` }),
  },
  'OIDC configuration': {
    create: async () => 'auth/oidc/settings',
    body: text => ({ clientId: text }),
    method: 'POST',
    isDeletable: false,
  },
  'list of allowed origins': {
    create: async () => 'ui-config',
    body: text => ({ frontendApiOrigins: [`https://${text}.example.com`] }),
    put: path => `${path}/cors`,
    method: 'POST',
    isDeletable: false,
  },
};

test.each(Object.entries(RESOURCES))(
  'a %s is changed only if If-Match has its ETag',
  async (_, { create, body, put = path => path, method = 'PUT', isDeletable = true }) => {
    const change = (path: string, text: string, etag?: string) => send(method, put(path), body(text), etag);
    const path = await create();
    const etag = async () => String((await send('GET', path)).headers.etag);
    const first = await etag();
    expect(first).toMatch(/^"/);

    expect((await change(path, 'first', first)).status).toBeLessThan(300);
    const outdatedResponse = await change(path, 'another', first);
    expect(outdatedResponse).toMatchObject({ status: 412, body: { name: 'PreconditionFailedError' } });
    expect((await change(path, 'no-header')).status).toBeLessThan(300);
    if (!isDeletable) return;
    expect((await send('DELETE', path, undefined, first)).status).toBe(412);
    expect((await send('DELETE', path, undefined, await etag())).status).toBe(200);
  },
);

test.each(['project', 'user'])('reading a %s with its ETag returns 304', async name => {
  const path = (await RESOURCES[name]?.create()) ?? '';
  const { headers } = await send('GET', path);

  const notModified = await call(harness.app, 'GET', `/api/admin/${path}`, {
    headers: { 'if-none-match': String(headers.etag) },
  });
  expect(notModified.status).toBe(304);
});

test('adding a project to the favorites changes nothing that If-Match compares', async () => {
  const { token } = await makeUser(harness.db, 'Admin');
  const { id } = await makeProject(harness.db);
  const { headers } = await call(harness.app, 'GET', `/api/admin/projects/${id}`, { token });
  await call(harness.app, 'POST', `/api/admin/projects/${id}/favorites`, { token });

  const saveResponse = await call(harness.app, 'PUT', `/api/admin/projects/${id}`, {
    token,
    body: { name: 'Payments' },
    headers: { 'if-match': String(headers.etag) },
  });
  expect(saveResponse.status).toBe(200);
});

test('a saved view is changed only if If-Match has its ETag', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');
  const sendView = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, name?: string, etag?: string) =>
    call(harness.app, method, `/api/admin/user/views${url}`, {
      token,
      ...(name && { body: { name, page: '/events', query: 'type=IS:feature-created' } }),
      ...(etag && { headers: { 'if-match': etag } }),
    });
  const { body: created } = await sendView('POST', '', 'Mine');
  const url = `/${created.id}`;
  const read = await sendView('GET', url);
  expect(read.body).toEqual(created);
  const first = String(read.headers.etag);

  expect((await sendView('PUT', url, 'Ours', first)).status).toBe(200);
  expect((await sendView('PUT', url, 'Theirs', first)).status).toBe(412);
  expect((await sendView('DELETE', url, undefined, first)).status).toBe(412);
  const current = await sendView('GET', url);
  expect(current.body.name).toBe('Ours');
  expect((await sendView('DELETE', url, undefined, String(current.headers.etag))).status).toBe(200);
});

test('a new OIDC secret changes the ETag, although its mask stays the same', async () => {
  const save = (secret: string) => send('POST', 'auth/oidc/settings', { secret });
  await save('the first secret');
  const before = await send('GET', 'auth/oidc/settings');

  await save('the second secret');

  const after = await send('GET', 'auth/oidc/settings');
  expect(after.body).toEqual(before.body);
  expect(after.headers.etag).not.toBe(before.headers.etag);
});

test('the password login setting is saved only if If-Match has its ETag', async () => {
  const { headers } = await send('GET', 'auth/simple/settings');
  const outdatedResponse = await send('POST', 'auth/simple/settings', { disabled: false }, '"outdated"');
  const saveResponse = await send('POST', 'auth/simple/settings', { disabled: false }, String(headers.etag));
  expect([outdatedResponse.status, saveResponse.status]).toEqual([412, 200]);
});

test('the ETag of several API tokens with the same name matches none of them', async () => {
  const created = [];
  for (let n = 0; n < 2; n++)
    created.push((await send('POST', 'api-tokens', { tokenName: 'twice', type: 'client' })).body.id);
  const { headers, body } = await send('GET', 'api-tokens/twice');
  expect(body.tokens).toHaveLength(2);

  const revocation = await send('DELETE', `api-tokens/${created[0]}`, undefined, String(headers.etag));
  expect(revocation.status).toBe(412);
});
