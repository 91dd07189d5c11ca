import { beforeAll, expect, test } from 'vitest';
import { useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';

/**
 * The operations that the Terraform provider for Unleash calls, in the order of plan, apply, a second apply and destroy. The provider
 * fails if a success has a different status than listed here, or if a response lacks a required field.
 */
const OPERATIONS = `
POST api-tokens, GET api-tokens, PUT api-tokens/{}, DELETE api-tokens/{}
POST context, GET context/{}, PUT context/{}, DELETE context/{}
POST environments, GET environments/{}, PUT environments/update/{}, DELETE environments/{}
POST projects, GET projects, PUT projects/{}, DELETE projects/{}, PUT projects/{}/settings
POST projects/{}/environments, DELETE projects/{}/environments/{}, GET environments/project/{}
GET projects/{}/change-requests/config, PUT projects/{}/environments/{}/change-requests/config
GET projects/{}/access, PUT projects/{}/access
POST user-admin, GET user-admin/{}, PUT user-admin/{}, DELETE user-admin/{}, GET user-admin/search
POST groups, GET groups, GET groups/{}, PUT groups/{}, DELETE groups/{}
POST roles, GET roles, GET roles/{}, PUT roles/{}, DELETE roles/{}, GET permissions
GET service-account, POST service-account, PUT service-account/{}, DELETE service-account/{}
GET service-account/{}/token, POST service-account/{}/token, DELETE service-account/{}/token/{}
GET auth/oidc/settings, POST auth/oidc/settings, GET auth/saml/settings, POST auth/saml/settings`
  .trim()
  .split(/, |\n/);

const harness = useHarness();

// biome-ignore lint/suspicious/noExplicitAny: later steps read any field from the responses of earlier steps
type State = Record<string, any>;
type Step = {
  title: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below /api/admin. `{name}` is replaced with the value of that name in the state. */
  path: string;
  body?: (state: State) => object;
  status: number | number[];
  /** Fields that the response must have. `list[].field` means the field in each item of the list. */
  required?: string[];
  /** Values that the first read must return, because otherwise the next plan would not be empty. */
  shows?: (state: State) => object;
  /** The values that the read after the second apply must return. */
  showsChanged?: (state: State) => object;
  /** The values that the provider stores from the response. */
  keep?: (body: State, state: State) => State;
};

const buildUrl = (path: string, state: State): string =>
  `/api/admin/${path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(state[name])))}`;

/** Returns a resource from a list, as the provider does. Fails if the list does not contain it. */
const requireInList = (list: State[], key: string, value: unknown): State => {
  const foundItem = list.find(item => item[key] === value);
  if (!foundItem) throw new Error(`the list has no ${key} ${value}, so the provider would drop the resource`);
  return {};
};

/** Matches a response whose list contains the item. */
const listWith = (list: string, item: State): State => ({
  [list]: expect.arrayContaining([expect.objectContaining(item)]),
});

const PERMISSION = ['id', 'name', 'displayName', 'type'];
const TOKEN = ['secret', 'tokenName', 'type', 'projects', 'createdAt', 'identifier', 'secure'];
const NEW_TOKEN = {
  tokenName: 'frontend_token',
  type: 'frontend',
  projects: ['sample'],
  environment: 'staging',
};
const ROLE = ['version', 'roles.id', 'roles.type', 'roles.name'];

const SSO = {
  enabled: true,
  discoverUrl: 'https://login.example.com/.well-known/openid-configuration',
  clientId: 'halyard',
  autoCreate: true,
  emailDomains: 'example.com,example.org',
  defaultRootRole: 'Editor',
  enableSingleSignOut: false,
  acrValues: 'phr',
  idTokenSigningAlgorithm: 'RS256',
  enableGroupSyncing: true,
  groupJsonPath: 'groups',
  addGroupsScope: true,
};

/** Halyard has neither change requests nor SAML, so the API only lets you disable them. */
const DISABLED = {
  changeRequests: { changeRequestsEnabled: false },
  saml: { enabled: false },
};

const readChangeRequestConfig: Step = {
  title: 'reads where change requests are enabled',
  method: 'GET',
  path: 'projects/{project}/change-requests/config',
  status: 200,
  required: ['[].environment', '[].type', '[].changeRequestEnabled'],
  keep: (configs, { environment }) => requireInList(configs as State[], 'environment', environment),
};

const APPLY: Step[] = [
  {
    title: 'configures single sign-on',
    method: 'POST',
    path: 'auth/oidc/settings',
    body: () => ({ ...SSO, secret: 'the secret of the client' }),
    status: 200,
    shows: () => SSO,
  },
  {
    title: 'reads the SAML settings',
    method: 'GET',
    path: 'auth/saml/settings',
    status: 200,
    shows: () => DISABLED.saml,
  },
  {
    title: 'configures SAML',
    method: 'POST',
    path: 'auth/saml/settings',
    body: () => ({ ...DISABLED.saml, certificate: '', entityId: '', signOnUrl: '', autoCreate: false }),
    status: 200,
    shows: () => DISABLED.saml,
  },
  {
    title: 'reads the roles',
    method: 'GET',
    path: 'roles',
    status: 200,
    required: ['version', 'roles', 'roles[].id', 'roles[].type', 'roles[].name'],
    keep: ({ roles }) => ({
      owner: roles.find((role: State) => role.name === 'Owner').id,
      editor: roles.find((role: State) => role.name === 'Editor').id,
    }),
  },
  {
    title: 'reads the permissions',
    method: 'GET',
    path: 'permissions',
    status: 200,
    required: [
      'version',
      ...PERMISSION.flatMap(field => [
        `permissions.root[].${field}`,
        `permissions.project[].${field}`,
        `permissions.environments[].permissions[].${field}`,
      ]),
    ],
  },
  {
    title: 'creates an environment',
    method: 'POST',
    path: 'environments',
    body: () => ({ name: 'staging', type: 'preproduction' }),
    status: 201,
    required: ['name', 'type', 'enabled', 'protected', 'sortOrder'],
    keep: ({ name }) => ({ environment: name }),
  },
  {
    title: 'creates a context field',
    method: 'POST',
    path: 'context',
    body: () => ({ name: 'region', description: 'Where', stickiness: true, legalValues: [{ value: 'eu' }] }),
    status: 201,
    required: ['name'],
    keep: ({ name }) => ({ field: name }),
  },
  {
    title: 'creates a root role',
    method: 'POST',
    path: 'roles',
    body: () => ({
      name: 'A custom role',
      type: 'root-custom',
      description: 'A custom test root role',
      permissions: [{ name: 'CREATE_PROJECT' }, { name: 'UPDATE_PROJECT' }],
    }),
    status: 200,
    required: ROLE,
    keep: ({ roles }) => ({ rootRole: roles.id }),
  },
  {
    title: 'creates a project role',
    method: 'POST',
    path: 'roles',
    body: () => ({
      name: 'Custom project role',
      type: 'custom',
      description: 'A custom test project role',
      permissions: [
        { name: 'CREATE_FEATURE' },
        { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' },
      ],
    }),
    status: 200,
    required: ROLE,
    keep: ({ roles }) => ({ projectRole: roles.id }),
  },
  {
    title: 'creates a user',
    method: 'POST',
    path: 'user-admin',
    body: ({ rootRole }) => ({
      username: 'terraform-user',
      email: 'user@example.com',
      name: 'A user',
      password: 'correct horse battery staple',
      rootRole,
      sendEmail: false,
    }),
    status: 201,
    required: ['id'],
    keep: ({ id }) => ({ user: id }),
  },
  {
    title: 'searches for the user',
    method: 'GET',
    path: 'user-admin/search?q=user@example.com',
    status: 200,
    keep: (users, { user }) => requireInList(users as State[], 'id', user),
  },
  {
    title: 'creates a group',
    method: 'POST',
    path: 'groups',
    body: ({ user, editor }) => ({
      name: 'Example Team',
      description: 'A team',
      mappingsSSO: ['ExampleSSOGroup'],
      rootRole: editor,
      users: [{ user: { id: user } }],
    }),
    status: 201,
    required: ['id', 'name'],
    keep: ({ id }) => ({ group: id }),
  },
  {
    title: 'reads the group it created',
    method: 'GET',
    path: 'groups/{group}',
    status: 200,
    required: ['id', 'name', 'users[].user.id', 'mappingsSSO', 'rootRole'],
  },
  {
    title: 'creates a service account',
    method: 'POST',
    path: 'service-account',
    body: ({ editor }) => ({ name: 'something unique', username: 'something unique', rootRole: editor }),
    status: 201,
    required: ['id', 'name', 'username', 'rootRole'],
    keep: ({ id }) => ({ account: id }),
  },
  {
    title: 'creates a service account token',
    method: 'POST',
    path: 'service-account/{account}/token',
    body: () => ({ description: 'a token', expiresAt: '2048-01-01T00:00:00Z' }),
    status: 201,
    required: ['id', 'createdAt', 'description', 'expiresAt', 'secret'],
    keep: ({ id }) => ({ accountToken: id }),
  },
  {
    title: 'creates a project',
    method: 'POST',
    path: 'projects',
    body: () => ({ id: 'sample', name: 'sample-project', description: 'A project' }),
    status: 201,
    required: ['id', 'name'],
    keep: ({ id }) => ({ project: id }),
  },
  {
    title: 'updates the project settings',
    method: 'PUT',
    path: 'projects/{project}/settings',
    body: () => ({ mode: 'protected', featureNaming: { pattern: 'a.*', example: 'ab' }, linkTemplates: [] }),
    status: 200,
  },
  {
    title: 'adds an environment to the project',
    method: 'POST',
    path: 'projects/{project}/environments',
    body: () => ({ environment: 'staging' }),
    // A new project already has the enabled environments. The provider accepts 409 too.
    status: [200, 409],
  },
  {
    title: 'disables change requests in the environment',
    method: 'PUT',
    path: 'projects/{project}/environments/{environment}/change-requests/config',
    body: () => DISABLED.changeRequests,
    status: [204, 409],
  },
  {
    title: 'lists the project environments',
    method: 'GET',
    path: 'environments/project/{project}',
    status: 200,
    required: ['version', 'environments[].name'],
  },
  readChangeRequestConfig,
  {
    title: 'sets the project access',
    method: 'PUT',
    path: 'projects/{project}/access',
    body: ({ owner, projectRole, user, group, account }) => ({
      roles: [
        { id: owner, users: [user], groups: null },
        { id: projectRole, users: [account], groups: [group] },
      ],
    }),
    status: 200,
  },
  {
    title: 'creates an API token',
    method: 'POST',
    path: 'api-tokens',
    body: () => NEW_TOKEN,
    status: 201,
    required: TOKEN,
    keep: ({ secret, identifier }) => ({ secret, identifier }),
  },
  {
    title: 'creates an API token without an environment',
    method: 'POST',
    path: 'api-tokens',
    body: () => ({ tokenName: 'client_token', type: 'client', project: 'sample' }),
    status: 201,
    required: TOKEN,
    shows: () => ({ environment: 'development' }),
    keep: ({ identifier, secret }) => ({ otherToken: identifier, otherSecret: secret }),
  },
];

const PLAN: Step[] = [
  {
    title: 'reads the single sign-on settings',
    method: 'GET',
    path: 'auth/oidc/settings',
    status: 200,
    shows: () => SSO,
  },
  {
    title: 'reads the SAML settings',
    method: 'GET',
    path: 'auth/saml/settings',
    status: 200,
    shows: () => DISABLED.saml,
  },
  {
    title: 'finds the project',
    method: 'GET',
    path: 'projects',
    status: 200,
    required: ['version', 'projects[].id', 'projects[].name'],
    shows: () => listWith('projects', { id: 'sample', name: 'sample-project', description: 'A project' }),
    showsChanged: () => listWith('projects', { id: 'sample', name: 'renamed-project', description: 'x' }),
    keep: ({ projects }, { project }) => requireInList(projects, 'id', project),
  },
  {
    title: 'lists the project environments',
    method: 'GET',
    path: 'environments/project/{project}',
    status: 200,
    keep: ({ environments }, { environment }) => requireInList(environments, 'name', environment),
  },
  readChangeRequestConfig,
  {
    title: 'reads the environment',
    method: 'GET',
    path: 'environments/{environment}',
    status: 200,
    required: ['name', 'type', 'enabled', 'protected', 'sortOrder'],
    shows: () => ({ name: 'staging', type: 'preproduction', enabled: true, protected: false }),
    showsChanged: () => ({ name: 'staging', type: 'test', sortOrder: 7 }),
  },
  {
    title: 'reads the field',
    method: 'GET',
    path: 'context/{field}',
    status: 200,
    required: ['name'],
    shows: () => ({ name: 'region', description: 'Where', stickiness: true, legalValues: [{ value: 'eu' }] }),
    showsChanged: () => ({ description: 'Where it is', stickiness: true, legalValues: [{ value: 'eu' }] }),
  },
  {
    title: 'reads the project role',
    method: 'GET',
    path: 'roles/{projectRole}',
    status: 200,
    required: ['id', 'type', 'name', ...PERMISSION.map(field => `permissions[].${field}`)],
    shows: () => ({
      type: 'custom',
      permissions: [
        { name: 'CREATE_FEATURE' },
        { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' },
      ],
    }),
  },
  {
    title: 'reads the root role',
    method: 'GET',
    path: 'roles/{rootRole}',
    status: 200,
    required: ['id', 'type', 'name', 'description'],
    shows: () => ({
      name: 'A custom role',
      type: 'root-custom',
      permissions: [{ name: 'CREATE_PROJECT' }, { name: 'UPDATE_PROJECT' }],
    }),
    showsChanged: () => ({ name: 'Renamed custom role', permissions: [{ name: 'CREATE_SEGMENT' }] }),
  },
  {
    title: 'reads the user',
    method: 'GET',
    path: 'user-admin/{user}',
    status: 200,
    required: ['id'],
    shows: ({ user, rootRole }) => ({
      id: user,
      username: 'terraform-user',
      email: 'user@example.com',
      name: 'A user',
      rootRole,
    }),
    showsChanged: ({ editor }) => ({ email: 'renamed@example.com', name: 'Renamed', rootRole: editor }),
  },
  { title: 'reads the groups', method: 'GET', path: 'groups', status: 200, required: ['groups[].name'] },
  {
    title: 'reads the group',
    method: 'GET',
    path: 'groups/{group}',
    status: 200,
    required: ['id', 'name'],
    shows: ({ user, editor }) => ({
      name: 'Example Team',
      mappingsSSO: ['ExampleSSOGroup'],
      rootRole: editor,
      users: [{ user: { id: user } }],
    }),
    showsChanged: () => ({ name: 'Renamed Team', mappingsSSO: [], rootRole: null, users: [] }),
  },
  {
    title: 'finds the service account',
    method: 'GET',
    path: 'service-account',
    status: 200,
    required: ['serviceAccounts[].id', 'serviceAccounts[].rootRole'],
    shows: ({ account, editor }) =>
      listWith('serviceAccounts', { id: account, name: 'something unique', rootRole: editor }),
    showsChanged: ({ account, editor }) =>
      listWith('serviceAccounts', { id: account, name: 'renamed', rootRole: editor }),
    keep: ({ serviceAccounts }, { account }) => requireInList(serviceAccounts, 'id', account),
  },
  {
    title: 'finds the service account token',
    method: 'GET',
    path: 'service-account/{account}/token',
    status: 200,
    required: ['pats[].id', 'pats[].createdAt', 'pats[].description', 'pats[].expiresAt'],
    keep: ({ pats }, { accountToken }) => requireInList(pats, 'id', accountToken),
  },
  {
    title: 'reads the project access',
    method: 'GET',
    path: 'projects/{project}/access',
    status: 200,
    required: ['roles[].id', 'users[].id', 'users[].roles', 'groups[].id', 'groups[].roles'],
    shows: ({ user, account, group, owner, projectRole }) => ({
      users: [
        { id: user, roles: [owner] },
        { id: account, roles: [projectRole] },
      ],
      groups: [{ id: group, roles: [projectRole] }],
    }),
    showsChanged: ({ user, owner }) => ({ users: [{ id: user, roles: [owner] }], groups: [] }),
  },
  {
    title: 'finds the API token by its secret in the list',
    method: 'GET',
    path: 'api-tokens',
    status: 200,
    required: TOKEN.map(field => `tokens[].${field}`),
    shows: ({ secret }) => listWith('tokens', { ...NEW_TOKEN, secret, expiresAt: null }),
    showsChanged: ({ secret }) =>
      listWith('tokens', { ...NEW_TOKEN, secret, expiresAt: '2049-01-01T12:00:00.000Z' }),
    keep: ({ tokens }, { secret }) => requireInList(tokens, 'secret', secret),
  },
  {
    title: 'finds the other API token by its secret in the list',
    method: 'GET',
    path: 'api-tokens',
    status: 200,
    shows: ({ otherSecret }) =>
      listWith('tokens', { secret: otherSecret, tokenName: 'client_token', environment: 'development' }),
    keep: ({ tokens }, { otherSecret }) => requireInList(tokens, 'secret', otherSecret),
  },
];

const CHANGE: Step[] = [
  {
    title: 'updates the environment',
    method: 'PUT',
    path: 'environments/update/{environment}',
    body: () => ({ type: 'test', sortOrder: 7 }),
    status: 200,
    required: ['name', 'type', 'enabled', 'protected', 'sortOrder'],
  },
  {
    title: 'updates the field',
    method: 'PUT',
    path: 'context/{field}',
    body: () => ({ description: 'Where it is', stickiness: true, legalValues: [{ value: 'eu' }] }),
    status: 200,
  },
  {
    title: 'updates a role',
    method: 'PUT',
    path: 'roles/{rootRole}',
    body: () => ({
      name: 'Renamed custom role',
      type: 'root-custom',
      description: 'A custom test root role',
      permissions: [{ name: 'CREATE_SEGMENT' }],
    }),
    status: 200,
    required: ROLE,
  },
  {
    title: 'updates the user',
    method: 'PUT',
    path: 'user-admin/{user}',
    body: ({ editor }) => ({ email: 'renamed@example.com', name: 'Renamed', rootRole: editor }),
    status: 200,
    required: ['id'],
  },
  {
    title: 'updates the group',
    method: 'PUT',
    path: 'groups/{group}',
    body: () => ({ name: 'Renamed Team', description: null, mappingsSSO: [], rootRole: null, users: [] }),
    status: 200,
    required: ['id', 'name'],
  },
  {
    title: 'updates the service account',
    method: 'PUT',
    path: 'service-account/{account}',
    body: ({ editor }) => ({ name: 'renamed', rootRole: editor }),
    status: 200,
    required: ['id', 'rootRole'],
  },
  {
    title: 'updates the project',
    method: 'PUT',
    path: 'projects/{project}',
    body: () => ({ name: 'renamed-project', description: 'x' }),
    status: 200,
  },
  {
    title: 'changes the project access',
    method: 'PUT',
    path: 'projects/{project}/access',
    body: ({ owner, user }) => ({ roles: [{ id: owner, users: [user], groups: [] }] }),
    status: 200,
  },
  {
    title: 'changes the expiry of the API token, by its identifier',
    method: 'PUT',
    path: 'api-tokens/{identifier}',
    body: () => ({ expiresAt: '2048-01-01T12:00:00Z' }),
    status: 200,
  },
  {
    title: 'changes the expiry of the API token, by its secret',
    method: 'PUT',
    path: 'api-tokens/{secret}',
    body: () => ({ expiresAt: '2049-01-01T12:00:00Z' }),
    status: 200,
  },
];

/** Changes made outside Terraform, after which each resource differs from what the second apply wrote. */
const DRIFT: Pick<Step, 'title' | 'method' | 'path' | 'body'>[] = [
  {
    title: 'the environment',
    method: 'PUT',
    path: 'environments/update/{environment}',
    body: () => ({ type: 'development' }),
  },
  {
    title: 'the field',
    method: 'PUT',
    path: 'context/{field}',
    body: () => ({ description: 'Where it is', stickiness: true, legalValues: [] }),
  },
  {
    title: 'the root role',
    method: 'PUT',
    path: 'roles/{rootRole}',
    body: () => ({ name: 'A third name', type: 'root-custom', permissions: [] }),
  },
  { title: 'the user', method: 'PUT', path: 'user-admin/{user}', body: () => ({ name: 'Somebody' }) },
  {
    title: 'the group',
    method: 'PUT',
    path: 'groups/{group}',
    body: ({ user }) => ({ name: 'Renamed Team', users: [{ user: { id: user } }] }),
  },
  {
    title: 'the service account',
    method: 'PUT',
    path: 'service-account/{account}',
    body: () => ({ name: 'something else', rootRole: 1 }),
  },
  {
    title: 'the project',
    method: 'PUT',
    path: 'projects/{project}',
    body: () => ({ name: 'third-project', description: 'x' }),
  },
  {
    title: 'the access',
    method: 'PUT',
    path: 'projects/{project}/access',
    body: ({ owner, user, account }) => ({ roles: [{ id: owner, users: [user, account], groups: [] }] }),
  },
  {
    title: 'the API token',
    method: 'PUT',
    path: 'api-tokens/{identifier}',
    body: () => ({ expiresAt: '2040-01-01T00:00:00.000Z' }),
  },
];

const DESTROY: Step[] = [
  {
    title: 'disables single sign-on',
    method: 'POST',
    path: 'auth/oidc/settings',
    body: () => ({ enabled: false }),
    status: 200,
  },
  {
    title: 'deletes the API token, by its secret',
    method: 'DELETE',
    path: 'api-tokens/{secret}',
    status: 200,
  },
  {
    title: 'deletes the other API token, by its identifier',
    method: 'DELETE',
    path: 'api-tokens/{otherToken}',
    status: 200,
  },
  {
    title: 'disables change requests',
    method: 'PUT',
    path: 'projects/{project}/environments/{environment}/change-requests/config',
    body: () => ({ ...DISABLED.changeRequests, requiredApprovals: 0 }),
    status: 204,
  },
  {
    title: 'removes the environment from the project',
    method: 'DELETE',
    path: 'projects/{project}/environments/{environment}',
    status: 200,
  },
  {
    title: 'deletes the service account token',
    method: 'DELETE',
    path: 'service-account/{account}/token/{accountToken}',
    status: 200,
  },
  { title: 'deletes the service account', method: 'DELETE', path: 'service-account/{account}', status: 200 },
  { title: 'deletes the group', method: 'DELETE', path: 'groups/{group}', status: 200 },
  { title: 'deletes the project', method: 'DELETE', path: 'projects/{project}', status: 200 },
  { title: 'deletes the user', method: 'DELETE', path: 'user-admin/{user}', status: 200 },
  { title: 'deletes the project role', method: 'DELETE', path: 'roles/{projectRole}', status: 200 },
  { title: 'deletes the root role', method: 'DELETE', path: 'roles/{rootRole}', status: 200 },
  { title: 'deletes the field', method: 'DELETE', path: 'context/{field}', status: 200 },
  { title: 'deletes the environment', method: 'DELETE', path: 'environments/{environment}', status: 200 },
];

/** Reads that must return 404, because the provider then drops the resource from its state. */
const GONE: Step[] = [
  { title: 'the user', method: 'GET', path: 'user-admin/{user}', status: 404 },
  { title: 'the group', method: 'GET', path: 'groups/{group}', status: 404 },
  { title: 'the role', method: 'GET', path: 'roles/{projectRole}', status: 404 },
  { title: 'the field', method: 'GET', path: 'context/{field}', status: 404 },
  { title: 'the environment', method: 'GET', path: 'environments/{environment}', status: 404 },
];

const state: State = {};

/** The token of a service account that can read the secrets of the API tokens it creates. */
let terraformToken: string;

beforeAll(async () => {
  const account = { name: 'Terraform', rootRole: 1, readsTokenSecrets: true };
  const { id } = (await call(harness.app, 'POST', '/api/admin/service-account', { body: account })).body;
  const { body } = await call(harness.app, 'POST', `/api/admin/service-account/${id}/token`, {
    body: { description: 'apply', expiresAt: '2048-01-01T00:00:00Z' },
  });
  terraformToken = body.secret;
});

/** Returns the values at a path such as `roles[].id`, with undefined for each missing field. */
function valuesAt(value: unknown, path: string): unknown[] {
  return path.split('.').reduce<unknown[]>(
    (currentValues, part) => {
      const name = part.replace('[]', '');
      const inner =
        name === ''
          ? currentValues
          : currentValues.map(currentValue => (currentValue as State | undefined)?.[name]);
      return part.endsWith('[]') ? inner.flat() : inner;
    },
    [value],
  );
}

test('the steps cover all operations that the provider calls', () => {
  const coveredOperations = [...APPLY, ...PLAN, ...CHANGE, ...DESTROY].map(
    ({ method, path }) => `${method} ${path.replace(/\?.*/, '').replace(/\{\w+\}/g, '{}')}`,
  );

  expect(OPERATIONS).toHaveLength(51);
  expect([...new Set(coveredOperations)].toSorted()).toEqual(OPERATIONS.toSorted());
});

type Phase = 'apply' | 'plan' | 'apply again' | 'plan again' | 'destroy' | 'gone';

async function runStep(phase: Phase, step: Step): Promise<void> {
  const { method, path, body, status, required = [], keep } = step;
  const response = await call(harness.app, method, buildUrl(path, state), {
    token: terraformToken,
    ...(body ? { body: body(state) } : {}),
  });

  const { message } = response.body ?? {};
  expect({ status: [status].flat().includes(response.status), message }).toMatchObject({ status: true });
  for (const field of required) expect(valuesAt(response.body, field)).not.toContain(undefined);
  const shows =
    phase === 'apply' || phase === 'plan' ? step.shows : phase === 'plan again' && step.showsChanged;
  if (shows) expect(response.body).toMatchObject(shows(state));
  if (keep) Object.assign(state, keep(response.body, state));
}

const toTestCases = (phase: Phase, steps: Step[]) => steps.map(step => [phase, step.title, step] as const);

test.each([
  ...toTestCases('apply', APPLY),
  ...toTestCases('plan', PLAN),
  ...toTestCases('apply again', CHANGE),
  ...toTestCases('plan again', PLAN),
])('%s: %s', async (phase, _title, step) => await runStep(phase, step));

test('a plan detects every change made outside Terraform, and an apply reverts it', async () => {
  for (const { title, method, path, body } of DRIFT) {
    const { status } = await call(harness.app, method, buildUrl(path, state), { body: body?.(state) });
    expect([title, status]).toEqual([title, 200]);
  }

  const reads = PLAN.flatMap(({ title, path, showsChanged }) =>
    showsChanged ? [{ title, path, showsChanged }] : [],
  );
  expect(reads).toHaveLength(DRIFT.length);
  for (const { path, showsChanged } of reads) {
    const { body } = await call(harness.app, 'GET', buildUrl(path, state), { token: terraformToken });
    expect(body).not.toMatchObject(showsChanged(state));
  }

  for (const step of CHANGE) await runStep('apply again', step);
  for (const step of PLAN) await runStep('plan again', step);
});

test.each([...toTestCases('destroy', DESTROY), ...toTestCases('gone', GONE)])(
  '%s: %s',
  async (phase, _title, step) => await runStep(phase, step),
);

test('a read shows the changed expiry of a token, and omits a revoked token', async () => {
  const create = await call(harness.app, 'POST', '/api/admin/api-tokens', {
    token: terraformToken,
    body: { tokenName: 'drifting', type: 'client', environment: 'development', projects: ['*'] },
  });
  const { secret, identifier } = create.body;
  const read = async () => {
    const { body } = await call(harness.app, 'GET', '/api/admin/api-tokens', { token: terraformToken });
    return body.tokens.find((token: State) => token.secret === secret);
  };
  const changeOutsideTerraform = (method: 'PUT' | 'DELETE', body?: object) =>
    call(harness.app, method, `/api/admin/api-tokens/${identifier}`, { body });

  await changeOutsideTerraform('PUT', { expiresAt: '2040-01-01T00:00:00.000Z' });
  expect(await read()).toMatchObject({ expiresAt: '2040-01-01T00:00:00.000Z' });
  await changeOutsideTerraform('DELETE');
  expect(await read()).toBeUndefined();
});
