import { expect, test } from 'vitest';
import { readApiDocument } from '../../../test/api-document.ts';
import { useHarness } from '../../../test/harness.ts';
import { listAdminOperations, listOperations } from '../../../test/operations.ts';
import { call } from '../../../test/request.ts';
import { findUnknownPaths } from './ignored.ts';

const harness = useHarness();
const STRICT = { prefer: 'handling=strict' };

test.each([
  ['GET', 'search/events?projct=IS:payments&limit=1', undefined, 'projct'],
  ['GET', 'projects?x=1&y=2', undefined, 'x, y'],
  ['POST', 'projects', { name: 'With a limit', featureLimit: -1 }, 'featureLimit'],
  [
    'POST',
    'projects/default/features',
    { name: 'typos', impresionData: true, tags: [{ type: 'simple', value: 'one', colour: 'red' }] },
    'impresionData, tags[].colour',
  ],
] as const)('%s /%s lists the names that it ignores', async (method, path, body, expected) => {
  const { status, headers } = await call(harness.app, method, `/api/admin/${path}`, { body });

  expect(status).toBeLessThan(300);
  expect(headers['halyard-ignored']).toBe(expected);
  expect(headers).not.toHaveProperty('preference-applied');
});

test('the response to a request without unknown names has no Halyard-Ignored header', async () => {
  const { headers } = await call(harness.app, 'POST', '/api/admin/projects', {
    body: { name: 'All known', mode: 'open' },
    headers: STRICT,
  });

  expect(headers).not.toHaveProperty('halyard-ignored');
  expect(headers['preference-applied']).toBe('handling=strict');
});

test('the 404 for an unknown path has no Halyard-Ignored header, even with strict handling', async () => {
  for (const prefer of ['handling=lenient', 'handling=strict']) {
    const { status, headers } = await call(harness.app, 'POST', '/api/admin/nowhere?x=1', {
      body: { type: 'simple', value: 'x' },
      headers: { prefer },
    });
    expect(status).toBe(404);
    expect(headers).not.toHaveProperty('halyard-ignored');
  }
});

test('strict handling rejects unknown names together with every other violation, and changes nothing', async () => {
  const body = { id: 'strict one', name: 'Strict', featureLimit: -1 };

  const rejection = await call(harness.app, 'POST', '/api/admin/projects?dry=true', {
    body,
    headers: STRICT,
  });

  expect(rejection.status).toBe(400);
  expect(rejection.headers['preference-applied']).toBe('handling=strict');
  expect(rejection.body.details).toEqual([
    expect.objectContaining({ path: '/body/id' }),
    { message: 'Unknown query parameter "dry".', path: '/query/dry' },
    {
      message: 'Unknown field "featureLimit". Did you mean "featureNaming"?',
      path: '/body/featureLimit',
    },
  ]);
  const { body: list } = await call(harness.app, 'GET', '/api/admin/projects');
  expect(list.projects.map(({ name }: { name: string }) => name)).not.toContain('Strict');
});

test.each(['dryRun=true', 'dryrun=true', 'DRYRUN', 'dryRun=false'])(
  'a write without a dry run rejects ?%s and changes nothing',
  async query => {
    const name = query.split('=')[0];
    const rejection = await call(harness.app, 'POST', `/api/admin/projects?${query}`, {
      body: { id: 'not-planned', name: 'Not planned' },
    });

    expect(rejection).toMatchObject({
      status: 400,
      body: {
        details: [
          {
            message: `This operation does not support "${name}", so nothing was changed. Omit the parameter to make the change.`,
            path: `/query/${name}`,
          },
        ],
      },
    });
    expect((await call(harness.app, 'GET', '/api/admin/projects/not-planned')).status).toBe(404);
  },
);

test.each([
  ['POST', 'projects/default/features/x/environments/development/copy', { environment: 'production' }],
  ['PUT', 'projects/default', { name: 'Unplanned' }],
  ['PATCH', 'projects/default/features/x', []],
  ['DELETE', 'projects/default', undefined],
] as const)('%s /%s rejects dryRun', async (method, path, body) => {
  const response = await call(harness.app, method, `/api/admin/${path}?dryRun=true`, { body });

  expect(response.status).toBe(400);
  expect(response.body.details).toContainEqual(expect.objectContaining({ path: '/query/dryRun' }));
});

test('a POST that only reads ignores dryRun', async () => {
  const { status, headers } = await call(
    harness.app,
    'POST',
    '/api/admin/environments/validate?dryRun=true',
    {
      body: { name: 'unplanned' },
    },
  );

  expect([status, headers['halyard-ignored']]).toEqual([200, 'dryRun']);
});

test('rejects dryRun together with every other violation', async () => {
  const { body } = await call(harness.app, 'POST', '/api/admin/projects?dryRun=true', {
    body: { id: 'a b' },
  });

  expect(body.details.map(({ path }: { path: string }) => path)).toEqual([
    '/body/name',
    '/body/id',
    '/query/dryRun',
  ]);
});

test.each(['respond-async, handling=strict', 'handling=strict; wait=10', 'Handling="strict"'])(
  'applies strict handling if the Prefer header is %j',
  async prefer => {
    const { status } = await call(harness.app, 'GET', '/api/admin/projects?x=1', { headers: { prefer } });
    expect(status).toBe(400);
  },
);

test.each(['handling=lenient', 'handling=stricter', 'return=minimal'])(
  'does not apply strict handling if the Prefer header is %j',
  async prefer => {
    const { status } = await call(harness.app, 'GET', '/api/admin/projects?x=1', { headers: { prefer } });
    expect(status).toBe(200);
  },
);

test('the Halyard-Ignored header has a maximum length and contains only printable ASCII characters', async () => {
  const names = Array.from({ length: 300 }, (_, index) => `${index}-${'ü🚩, '.repeat(50)}`);
  const body = { name: 'Many', ...Object.fromEntries(names.map(name => [name, 1])) };

  const { status, headers } = await call(harness.app, 'POST', '/api/admin/projects', { body });

  expect(status).toBe(201);
  const header = String(headers['halyard-ignored']);
  expect(header.length).toBeLessThan(5_000);
  expect(header).toMatch(/^[!-~]+(, [!-~]+)*$/);
  expect(header.split(', ')).toHaveLength(21);
  expect(header.split(', ').at(-1)).toBe('...');
});

test('no example in the API document contains an ignored name', () => {
  const violations = listAdminOperations().flatMap(({ method, path, body, bodySchema = {} }) => {
    const places = findUnknownPaths(body, bodySchema, () => undefined);
    return places.map(unknownPath => `${method} ${path}: ${unknownPath.join('.')}`);
  });

  expect(violations).toEqual([]);
});

const IN_A_DAY = new Date(Date.now() + 86_400_000).toISOString();

test.each<[string, string, object, string, string]>([
  [
    'POST',
    'api-tokens',
    { tokenName: 'x', type: 'backend', enviroment: 'production' },
    '/body/enviroment',
    'Unknown field "enviroment". Did you mean "environment"?',
  ],
  [
    'POST',
    'api-tokens',
    { tokenName: 'x', type: 'backend', secret: 'x' },
    '/body/secret',
    'Unknown field "secret".',
  ],
  [
    'POST',
    'projects/default/api-tokens',
    { tokenName: 'x', type: 'backend', expireAt: IN_A_DAY },
    '/body/expireAt',
    'Unknown field "expireAt". Did you mean "expiresAt"?',
  ],
  [
    'POST',
    'roles',
    { name: 'r', permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', enviroment: 'development' }] },
    '/body/permissions/0/enviroment',
    'Unknown field "permissions.0.enviroment". Did you mean "environment"?',
  ],
  ['PUT', 'projects/default/access', { roles: [], group: [] }, '/body/group', 'Unknown field "group".'],
  [
    'POST',
    'projects/default/access',
    { roles: [], users: [], groups: [], rols: [] },
    '/body/rols',
    'Unknown field "rols". Did you mean "roles"?',
  ],
  [
    'POST',
    'auth/oidc/settings',
    { emailDomain: 'example.com' },
    '/body/emailDomain',
    'Unknown field "emailDomain". Did you mean "emailDomains"?',
  ],
  [
    'POST',
    'user-admin',
    { username: 'typist', rootRole: 3, passwrd: 'x' },
    '/body/passwrd',
    'Unknown field "passwrd". Did you mean "password"?',
  ],
  [
    'POST',
    'service-account',
    { name: 'robot', rootRole: 3, rootrole: 1 },
    '/body/rootrole',
    'Unknown field "rootrole". Did you mean "rootRole"?',
  ],
  [
    'POST',
    'invite-link/tokens',
    { name: 'x', expiresAt: IN_A_DAY, enable: false },
    '/body/enable',
    'Unknown field "enable".',
  ],
])(
  '%s /%s rejects an unknown field, because the operation grants access: %j',
  async (method, path, body, index, message) => {
    const response = await call(harness.app, method as 'POST', `/api/admin/${path}`, { body });

    expect(response).toMatchObject({ status: 400, body: { details: [{ message, path: index }] } });
  },
);

test.each<[string, string, object]>([
  [
    'POST',
    'api-tokens',
    { tokenName: 'both names', username: 'both names', type: 'client', secure: true, alias: null },
  ],
  [
    'POST',
    'roles',
    {
      name: 'As the Unleash console sends it',
      type: 'custom',
      permissions: [{ id: 4, name: 'UPDATE_FEATURE', displayName: 'x', type: 'project' }],
    },
  ],
  ['POST', 'user-admin', { username: 'from-a-console', rootRole: 3, sendEmail: false, inviteLink: '' }],
  ['POST', 'auth/oidc/settings', { enabled: false, enablePkce: true }],
])('%s /%s accepts the fields that Unleash clients send: %j', async (method, path, body) => {
  const response = await call(harness.app, method as 'POST', `/api/admin/${path}`, { body });

  expect([response.status < 300, response.body]).toEqual([true, expect.anything()]);
});

type DescribedOperation = {
  operationId: string;
  description: string;
  tags: string[];
  'x-returns-secret'?: boolean;
};

const listDescribedOperations = (): DescribedOperation[] =>
  Object.values(
    readApiDocument<{ paths: Record<string, Record<string, DescribedOperation>> }>().paths,
  ).flatMap(item => Object.values(item));
const isStrictlyDescribed = ({ description }: DescribedOperation) =>
  description.includes('Unknown fields are rejected with 400.');

test('the description of every operation that returns a secret, except for integrations, says that unknown fields are rejected', () => {
  const lenient = listDescribedOperations()
    .filter(operation => operation['x-returns-secret'] && !operation.tags.includes('Integrations'))
    .filter(operation => !isStrictlyDescribed(operation))
    .map(({ operationId }) => operationId);

  expect(lenient).toEqual([]);
});

const strictIds = new Set(
  listDescribedOperations()
    .filter(isStrictlyDescribed)
    .map(({ operationId }) => operationId),
);

test.each(listOperations().filter(({ id }) => strictIds.has(id)))(
  '$method $path rejects an unknown field with 400, as its description says',
  async ({ method, path, body }) => {
    const url = path.replace('{projectId}', 'default').replace(/\{\w+\}/g, '1');

    const response = await call(harness.app, method, url, { body: { ...(body as object), unheardOf: 1 } });

    expect(response.status).toBe(400);
    expect(response.body.details).toContainEqual({
      message: 'Unknown field "unheardOf".',
      path: '/body/unheardOf',
    });
  },
);
