import { expect, test } from 'vitest';
import { makeProject, makeUser } from '../../../test/factories.ts';
import { useHarness } from '../../../test/harness.ts';
import { call } from '../../../test/request.ts';

const harness = useHarness();
const LONG = 'x'.repeat(300);

/** Each body violates its schema in one place and rules of the operation in others. */
const CASES: [method: 'POST' | 'PUT', path: string, body: object, paths: string[]][] = [
  [
    'POST',
    'addons',
    { provider: 'nope', enabled: 'yes', parameters: {}, events: ['nope'] },
    ['/body/enabled', '/body/provider', '/body/events/0'],
  ],
  [
    'POST',
    'addons/validate',
    { provider: 'webhook', enabled: 'yes', parameters: {}, events: ['nope', 'feature-created', 'no'] },
    ['/body/enabled', '/body/parameters/url', '/body/events/0', '/body/events/2'],
  ],
  [
    'PUT',
    'addons/1',
    { provider: 'nope', enabled: 'yes', parameters: {}, events: ['nope'] },
    ['/body/enabled', '/body/provider', '/body/events/0'],
  ],
  [
    'POST',
    'api-tokens',
    { tokenName: 'x', type: 'nope', environment: 'nope', project: 'nope' },
    ['/body/type', '/body/environment', '/body/projects'],
  ],
  [
    'POST',
    'projects/default/api-tokens',
    { type: 'nope', environment: 'nope' },
    ['/body/type', '/body/tokenName', '/body/environment'],
  ],
  [
    'POST',
    'user-admin',
    { email: 'nope', rootRole: 'nope', password: 'password' },
    ['/body/email', '/body/password', '/body/rootRole'],
  ],
  ['PUT', 'user-admin/1', { email: 'nope', rootRole: 'nope' }, ['/body/email', '/body/rootRole']],
  [
    'POST',
    'user/tokens',
    { description: LONG, expiresAt: '2020-01-01T00:00:00Z' },
    ['/body/description', '/body/expiresAt'],
  ],
  ['POST', 'service-account', { name: LONG, rootRole: 777 }, ['/body/name', '/body/rootRole']],
  [
    'POST',
    'groups',
    { name: 1, rootRole: 777, users: [{ user: { id: 888 } }] },
    ['/body/name', '/body/users/0/user/id', '/body/rootRole'],
  ],
  [
    'POST',
    'roles',
    { name: 1, type: 'root-custom', permissions: [{ name: 'NOPE' }] },
    ['/body/name', '/body/permissions/0/name'],
  ],
  [
    'POST',
    'segments',
    { name: 1, constraints: [{ contextName: 'userId', operator: 'NUM_EQ', value: 'x' }] },
    ['/body/name', '/body/constraints/0/value'],
  ],
  [
    'POST',
    'strategies',
    {
      name: 1,
      parameters: [
        { name: 'a', type: 'string' },
        { name: 'a', type: 'string' },
      ],
    },
    ['/body/name', '/body/parameters/1/name'],
  ],
  [
    'POST',
    'context',
    { name: 1, legalValues: [{ value: 'a' }, { value: 'a' }] },
    ['/body/name', '/body/legalValues/1/value'],
  ],
  [
    'POST',
    'invite-link/tokens',
    { name: 1, expiresAt: '2020-01-01T00:00:00Z' },
    ['/body/name', '/body/expiresAt'],
  ],
  ['POST', 'projects', { name: 1, environments: ['nope'] }, ['/body/name', '/body/environments']],
  [
    'PUT',
    'projects/default/settings',
    { featureLimit: -1, featureNaming: { pattern: '(' } },
    ['/body/featureLimit', '/body/featureNaming/pattern'],
  ],
  ['POST', 'tags', { type: 'nope', value: 1 }, ['/body/value', '/body/type']],
  [
    'POST',
    'projects/default/features',
    { name: 1, type: 'nope', tags: [{ type: 'nope', value: 'one' }] },
    ['/body/name', '/body/type', '/body/tags/0/type'],
  ],
  [
    'POST',
    'projects/default/features/any/environments/development/strategies',
    { name: 'nope', title: 1, constraints: [{ contextName: 'userId', operator: 'NUM_EQ', value: 'x' }] },
    ['/body/title', '/body/name', '/body/constraints/0/value'],
  ],
  [
    'POST',
    'projects/default/environments/development/default-strategy',
    { name: 'nope', title: 1, segments: [777] },
    ['/body/title', '/body/name', '/body/segments'],
  ],
];

test.each(CASES)(
  '%s /%s lists violations of the schema and of the rules together',
  async (method, path, body, paths) => {
    const { token } = await makeUser(harness.db, 'Admin');
    const response = await call(harness.app, method, `/api/admin/${path}`, { body, token });

    expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
    const found = response.body.details.map((detail: { path: string }) => detail.path);
    expect([...new Set(found)].toSorted()).toEqual(paths.toSorted());
    expect(response.body.message).toContain(String(response.body.details.length));
  },
);

test('violations from different steps of an operation are listed together', async () => {
  const body = { username: 'somebody', rootRole: 'nope', password: 'password' };

  const { status, body: error } = await call(harness.app, 'POST', '/api/admin/user-admin', { body });

  expect(status).toBe(400);
  expect(new Set(error.details.map((detail: { path: string }) => detail.path))).toEqual(
    new Set(['/body/password', '/body/rootRole']),
  );
  const messages = error.details.map((detail: { message: string }) => detail.message);
  expect(messages).toEqual([...new Set(messages)]);
});

test('a name that breaks the naming pattern is listed with every other violation', async () => {
  const { id } = await makeProject(harness.db);
  await call(harness.app, 'PUT', `/api/admin/projects/${id}/settings`, {
    body: { featureNaming: { pattern: 'pay\\..+' } },
  });
  const create = async (body: object) =>
    await call(harness.app, 'POST', `/api/admin/projects/${id}/features`, { body });
  const tags = [
    { type: 'nope', value: 'x' },
    { type: 'nope', value: 'long enough' },
  ];

  const ruleRejection = await create({ name: 'foo', type: 'relase' });
  const schemaRejection = await create({ name: 'foo', type: 'relase', tags });
  const patternRejection = await create({ name: 'foo' });

  const listPaths = ({ body }: typeof ruleRejection) =>
    body.details.map((detail: { path?: string }) => detail.path);
  expect(ruleRejection).toMatchObject({ status: 400, body: { name: 'PatternError' } });
  expect(ruleRejection.body.message).toContain('2 violations');
  expect(listPaths(ruleRejection)).toEqual(['/body/name', '/body/type']);
  expect(schemaRejection).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(listPaths(schemaRejection).toSorted()).toEqual([
    '/body/name',
    '/body/tags/0/type',
    '/body/tags/0/value',
    '/body/tags/1/type',
    '/body/type',
  ]);
  expect(patternRejection.body).toMatchObject({ name: 'PatternError', details: [{}] });
  expect(patternRejection.body.message).toContain('pay\\..+');
});

test('a rule treats a private project like a missing one', async () => {
  const { id } = await makeProject(harness.db, { mode: 'private' });
  const { id: user, token } = await makeUser(harness.db, 'Viewer');
  const role = {
    name: 'Token maker',
    type: 'root-custom',
    permissions: [{ name: 'CREATE_CLIENT_API_TOKEN' }],
  };
  const { id: rootRole } = (await call(harness.app, 'POST', '/api/admin/roles', { body: role })).body.roles;
  await call(harness.app, 'PUT', `/api/admin/user-admin/${user}`, { body: { rootRole } });
  const messageFor = async (project: string) => {
    const body = { tokenName: 'x', type: 'nope', environment: 'development', project };
    const { body: error } = await call(harness.app, 'POST', '/api/admin/api-tokens', { body, token });
    return JSON.stringify(error.details).replaceAll(project, 'PROJECT');
  };

  expect(await messageFor(id)).toBe(await messageFor('missing'));
  expect(await messageFor(id)).toContain('/body/projects');
});

test('rejects a request without a token before checking its body', async () => {
  const body = { tokenName: 'x', type: 'nope', environment: 'nope' };

  const { status, body: error } = await call(harness.app, 'POST', '/api/admin/api-tokens', {
    body,
    token: null,
  });

  expect(status).toBe(401);
  expect(error.details).toHaveLength(1);
});
