import pg from 'pg';
import { ADMIN_TOKEN, type Instance } from './instance.ts';

// Fills an Unleash instance with an example of everything that an import reads: through its API where the open-source edition has
// the operation, otherwise with SQL.

type Sent = { status: number; body: Record<string, unknown> };
export type Filled = {
  tokens: string[];
  personalTokens: string[];
  /** A second secret of one of the tokens. Undefined: this version has none. */
  alias: string | undefined;
  skipped: string[];
};

const FLAG = '/api/admin/projects/default/features';
const ALIAS = 'an-old-secret-of-a-proxy-0123456789';
const ALL_OPERATORS = [
  { contextName: 'userId', operator: 'IN', values: ['7', '11'] },
  { contextName: 'userId', operator: 'NOT_IN', values: ['13'], inverted: false },
  { contextName: 'email', operator: 'STR_ENDS_WITH', values: ['@example.com'], caseInsensitive: true },
  { contextName: 'email', operator: 'STR_CONTAINS', values: ['a'], inverted: true },
  { contextName: 'age', operator: 'NUM_GTE', value: '18' },
  { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2024-01-01T00:00:00.000Z' },
  { contextName: 'version', operator: 'SEMVER_GT', value: '1.2.3' },
];

export async function fill(instance: Instance): Promise<Filled> {
  const skipped: string[] = [];
  const headers = { authorization: ADMIN_TOKEN, 'content-type': 'application/json' };
  const send = async (method: string, path: string, body?: object, extra = {}): Promise<Sent> => {
    const response = await fetch(instance.url + path, {
      method,
      headers: { ...headers, ...extra },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) skipped.push(`${method} ${path} returned ${response.status}`);
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
  };
  const post = (path: string, body: object) => send('POST', path, body);

  await post('/api/admin/user-admin', {
    email: 'ada@example.com',
    name: 'Ada',
    rootRole: 1,
    sendEmail: false,
  });
  await post('/api/admin/user-admin', { username: 'ben', name: 'Ben', rootRole: 2, sendEmail: false });
  await post('/api/admin/context', {
    name: 'country',
    description: 'ISO code',
    stickiness: true,
    sortOrder: 7,
    legalValues: [{ value: 'SE', description: 'Sweden' }, { value: 'NO' }],
  });
  // Version 4 rejects a constraint on a field that does not exist.
  for (const name of ['email', 'age', 'version']) await post('/api/admin/context', { name });
  await post('/api/admin/tag-types', { name: 'team', description: 'Who owns it', icon: 'T' });
  await post('/api/admin/tags', { type: 'team', value: 'basket' });
  await post('/api/admin/strategies', {
    name: 'byTeam',
    description: 'For some teams',
    parameters: [{ name: 'teams', type: 'list', description: 'Names', required: true }],
  });
  const segments: unknown[] = [];
  for (const [name, constraints] of [
    ['beta-users', [{ contextName: 'userId', operator: 'IN', values: ['1', '2', '3'] }]],
    ['nordics', [{ contextName: 'country', operator: 'IN', values: ['SE', 'NO'] }]],
  ] as const)
    segments.push(
      (await post('/api/admin/segments', { name, description: `All ${name}`, constraints })).body.id ??
        (await insertSegment(instance, name, constraints)),
    );

  for (const [name, type] of [
    ['checkout-v2', 'release'],
    ['dark-mode', 'experiment'],
    ['old-basket', 'operational'],
    ['kill-payments', 'kill-switch'],
    ['no-strategy', 'release'],
    ['parent-flag', 'release'],
  ] as const)
    await post(FLAG, { name, type, description: `The flag ${name}`, impressionData: name === 'dark-mode' });

  const rollout = (rollout: string, stickiness = 'default') => ({
    name: 'flexibleRollout',
    parameters: { rollout, stickiness, groupId: 'checkout-v2' },
  });
  const strategies = `${FLAG}/checkout-v2/environments/production/strategies`;
  const targeted = { ...rollout('25', 'userId'), title: 'A quarter', constraints: ALL_OPERATORS };
  const { status } = await post(strategies, { ...targeted, segments });
  if (status >= 400) await post(strategies, targeted);
  await post(strategies, { name: 'default', constraints: [], parameters: {} });
  await post(strategies, {
    ...rollout('50', 'country'),
    variants: [
      {
        name: 'blue',
        weight: 300,
        weightType: 'fix',
        stickiness: 'country',
        payload: { type: 'string', value: '#00f' },
      },
      { name: 'red', weight: 700, weightType: 'variable', stickiness: 'country' },
    ],
  });
  await post(strategies, { ...rollout('10'), disabled: true });
  await post(strategies, { name: 'userWithId', parameters: { userIds: 'ada,ben' } });
  await post(strategies, { name: 'byTeam', parameters: { teams: 'basket' } });
  await post(`${FLAG}/dark-mode/environments/development/strategies`, { ...rollout('100') });
  await post(`${FLAG}/old-basket/environments/production/strategies`, {
    name: 'remoteAddress',
    parameters: { IPs: '10.0.0.1,192.168.0.0/16' },
  });
  await send('PUT', `${FLAG}/dark-mode/environments/development/variants`, [
    { name: 'a', weight: 500, weightType: 'variable', stickiness: 'default' },
    {
      name: 'b',
      weight: 500,
      weightType: 'variable',
      stickiness: 'default',
      payload: { type: 'json', value: '{"size":3}' },
      overrides: [{ contextName: 'userId', values: ['42'] }],
    },
  ]);
  for (const [name, environment] of [
    ['checkout-v2', 'production'],
    ['dark-mode', 'development'],
    ['old-basket', 'production'],
    ['no-strategy', 'production'],
    ['parent-flag', 'production'],
  ])
    await post(`${FLAG}/${name}/environments/${environment}/on`, {});
  await post('/api/admin/features/checkout-v2/tags', { type: 'team', value: 'basket' });
  await post('/api/admin/features/checkout-v2/tags', { type: 'simple', value: 'shop' });
  await post(`${FLAG}/checkout-v2/link`, { url: 'https://example.com/checkout', title: 'Design' });
  await post(`${FLAG}/checkout-v2/dependencies`, { feature: 'parent-flag', enabled: true });
  await send('PATCH', `${FLAG}/old-basket`, [{ op: 'replace', path: '/stale', value: true }]);
  await send('DELETE', `${FLAG}/kill-payments`);

  const tokens: string[] = [ADMIN_TOKEN];
  for (const [type, environment, projects] of [
    ['client', 'production', ['*']],
    ['client', 'development', ['default']],
    ['frontend', 'production', ['*']],
    ['backend', 'production', ['*']],
  ] as const) {
    const name = { username: `${type}-${environment}`, tokenName: `${type}-${environment}` };
    const fields = { type, environment, projects };
    // Versions differ in what the name field is called.
    let made = await post('/api/admin/api-tokens', { ...fields, tokenName: name.tokenName });
    if (made.status === 400)
      made = await post('/api/admin/api-tokens', { ...fields, username: name.username });
    if (typeof made.body.secret === 'string') tokens.push(made.body.secret);
  }
  const client = tokens[1] ?? '';
  await send(
    'POST',
    '/api/client/metrics',
    {
      appName: 'shop',
      instanceId: 'one',
      bucket: {
        start: new Date(Date.now() - 60_000).toISOString(),
        stop: new Date().toISOString(),
        toggles: { 'checkout-v2': { yes: 12, no: 5, variants: { blue: 4 } } },
      },
    },
    { authorization: client },
  );
  const personalTokens = await fillAsUser(instance, skipped);
  const hasAlias = await fillBySql(instance);
  // Unleash evaluates for browsers from what its events named, so it must have an event of each flag that SQL has written.
  for (const name of [
    'odd-weights',
    'empty-list',
    'grandchild',
    'for-all',
    encodeURIComponent('Ünusual name'),
  ])
    await send('PATCH', `${FLAG}/${name}`, [
      { op: 'replace', path: '/description', value: 'Written with SQL' },
    ]);
  return { tokens, personalTokens, alias: hasAlias ? ALIAS : undefined, skipped };
}

/** Version 4 has segments only in its enterprise edition. */
async function insertSegment(
  { databaseUrl }: Instance,
  name: string,
  constraints: readonly object[],
): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    'insert into segments (name, description, created_by, constraints) values ($1, $2, $3, $4) returning id',
    [name, `All ${name}`, 'admin', JSON.stringify(constraints)],
  );
  await client.end();
  return rows[0].id;
}

/** What only a user can have: favorites and a personal token. */
async function fillAsUser({ url }: Instance, skipped: string[]): Promise<string[]> {
  const login = await fetch(`${url}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: 'unleash4all' }),
  });
  const cookie = login.headers
    .getSetCookie()
    .map(one => one.split(';')[0])
    .join('; ');
  const post = async (path: string, body: object = {}) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { cookie, origin: url, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) skipped.push(`POST ${path} as a user returned ${response.status}`);
    return (await response.text()) || '{}';
  };
  await post(`${FLAG}/checkout-v2/favorites`);
  await post('/api/admin/projects/default/favorites');
  const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const made = await post('/api/admin/user/tokens', { description: 'laptop', expiresAt });
  const { secret } = (made.startsWith('{') ? JSON.parse(made) : {}) as { secret?: string };
  return secret === undefined ? [] : [secret];
}

/** What the open edition cannot do, and what only older versions allowed. Returns whether tokens can have an alias. */
async function fillBySql({ databaseUrl }: Instance): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
  );
  const has = new Set(rows.map(row => row.name));
  const run = async (needs: string[], text: string) => {
    if (needs.every(one => has.has(one))) await client.query(text);
  };
  await run(
    [],
    `insert into environments (name, type, sort_order, enabled) values ('staging', 'test', 50, true)`,
  );
  await run(
    [],
    `insert into environments (name, type, sort_order, enabled) values ('closed', 'test', 60, false)`,
  );
  await run([], `insert into projects (id, name, description) values ('payments', 'Payments', 'Money')`);
  await run(
    [],
    `insert into project_environments (project_id, environment_name) values ('payments', 'staging'), ('payments', 'production')`,
  );
  await run(
    ['project_settings.feature_limit', 'project_settings.feature_naming_pattern'],
    `insert into project_settings (project, default_stickiness, project_mode, feature_limit, feature_naming_pattern, feature_naming_example)
     values ('payments', 'userId', 'protected', 50, 'pay\\..+', 'pay.cards')`,
  );
  await run(
    ['project_environments.default_strategy'],
    `update project_environments set default_strategy = '{"name":"flexibleRollout","parameters":{"rollout":"10","stickiness":"userId","groupId":"x"},"constraints":[],"segments":[]}'
     where project_id = 'payments' and environment_name = 'production'`,
  );
  await run(
    [],
    `insert into features (name, project, type, description) values ('pay.cards', 'payments', 'release', 'Cards')`,
  );
  await run(
    [],
    `insert into feature_environments (feature_name, environment, enabled) values ('pay.cards', 'staging', true), ('pay.cards', 'production', false)`,
  );
  await run(
    [],
    `insert into feature_strategies (id, feature_name, project_name, environment, strategy_name, parameters, constraints, sort_order)
     values ('01HV8YB4ZC6Q1J3M5N7P9R1T3V', 'pay.cards', 'payments', 'staging', 'gradualRolloutUserId', '{"percentage":"30","groupId":"cards"}', '[]', 0),
            ('01HV8YB4ZC6Q1J3M5N7P9R1T3W', 'pay.cards', 'payments', 'staging', 'default', '{}', '[]', 9999),
            ('01HV8YB4ZC6Q1J3M5N7P9R1T3X', 'pay.cards', 'payments', 'staging', 'userWithId', '{"userIds":"1,2"}', '[]', 9999)
     on conflict do nothing`,
  );
  await run(
    ['segments.segment_project_id'],
    `insert into segments (name, description, constraints, segment_project_id, created_by)
     values ('payers', 'Pay', '[{"contextName":"userId","operator":"IN","values":["9"]}]', 'payments', 'admin')`,
  );
  await run(
    [],
    `insert into feature_strategy_segment (feature_strategy_id, segment_id)
     select strategies.id, segments.id from feature_strategies as strategies, segments
     where feature_name = 'checkout-v2' and parameters ->> 'stickiness' = 'userId' and segments.name in ('beta-users', 'nordics')
     on conflict do nothing`,
  );
  // With SQL, because the API looks up the receiver.
  await run(
    [],
    `insert into addons (provider, description, enabled, parameters, events, projects, environments) values
     ('webhook', 'To the chat', true, '{"url":"https://chat.example.com/hook","authorization":"Bearer a-secret"}',
      '["feature-created","feature-archived"]', '["default"]', '["production"]'),
     ('slack', null, false, '{"url":"https://hooks.slack.example.com/T/1","defaultChannel":"flags"}',
      '["feature-environment-enabled"]', '[]', '[]'),
     ('jira-comment', null, true, '{"baseUrl":"x"}', '["feature-created"]', '[]', '[]')`,
  );
  await run(
    ['api_tokens.alias'],
    `update api_tokens set alias = '${ALIAS}' where secret like 'default:development.%'`,
  );
  // Rows that our validation rejects.
  await run(
    [],
    `insert into features (name, project, type) values ('odd-weights', 'default', 'release'), ('empty-list', 'default', 'release'),
     ('grandchild', 'default', 'release'), ('Ünusual name', 'default', 'release'), ('for-all', 'default', 'release')`,
  );
  await run(
    [],
    `insert into feature_environments (feature_name, environment, enabled, variants) values
     ('odd-weights', 'production', true, '[{"name":"a","weight":400,"weightType":"fix","stickiness":"default"},{"name":"b","weight":500,"weightType":"fix","stickiness":"default"}]'),
     ('empty-list', 'production', true, '[]'), ('grandchild', 'production', true, '[]'), ('for-all', 'production', true, '[]')`,
  );
  await run(
    [],
    `insert into feature_strategies (id, feature_name, project_name, environment, strategy_name, parameters, constraints, sort_order) values
     ('11111111-1111-4111-8111-111111111111', 'odd-weights', 'default', 'production', 'default', '{}', '[]', 0),
     ('22222222-2222-4222-8222-222222222222', 'empty-list', 'default', 'production', 'default', '{}', '[{"contextName":"userId","operator":"IN","values":[]}]', 0),
     ('33333333-3333-4333-8333-333333333333', 'grandchild', 'default', 'production', 'default', '{}', '[]', 0)`,
  );
  await run(
    ['dependent_features.child'],
    `insert into dependent_features (parent, child, enabled) values ('checkout-v2', 'grandchild', true) on conflict do nothing`,
  );
  await run(
    [],
    `insert into roles (id, name, description, type) values (40, 'Releaser', 'Releases', 'custom'), (41, 'Auditor', 'Reads', 'root-custom')`,
  );
  await run(
    ['role_permission.permission'],
    `insert into role_permission (role_id, permission, environment) values
     (40, 'UPDATE_FEATURE_ENVIRONMENT', 'production'), (40, 'CREATE_FEATURE', null), (41, 'READ_ROLE', null)`,
  );
  await run(
    ['role_permission.permission_id'],
    `insert into role_permission (role_id, permission_id, environment)
     select 40, id, case when type = 'environment' then 'production' end from permissions where permission in ('UPDATE_FEATURE_ENVIRONMENT', 'CREATE_FEATURE')
     union all select 41, id, null from permissions where permission = 'READ_ROLE'`,
  );
  await run(
    [],
    `insert into groups (id, name, description, created_by, mappings_sso) values (30, 'Shop team', 'The shop', 'admin', '["shop@idp"]')`,
  );
  await run(
    [],
    `insert into group_user (group_id, user_id, created_by) select 30, id, 'admin' from users where username = 'ben'`,
  );
  await run(
    [],
    `insert into group_role (group_id, role_id, created_by, project) values (30, 5, 'admin', 'default')`,
  );
  await run(
    [],
    `insert into role_user (role_id, user_id, project) select 40, id, 'payments' from users where email = 'ada@example.com'`,
  );
  await run(
    ['users.is_service'],
    `insert into users (name, username, is_service) values ('Deployer', 'deployer', true)`,
  );
  await run(
    ['users.is_service'],
    `insert into role_user (role_id, user_id, project) select 2, id, 'default' from users where username = 'deployer'`,
  );
  await run(
    ['users.is_service'],
    `insert into personal_access_tokens (secret, description, user_id, expires_at)
     select 'user:0123456789abcdef0123456789abcdef0123456789abcdef01234567', 'ci', id, now() + interval '1 year' from users where username = 'deployer'`,
  );
  await run(
    ['change_requests.id'],
    `insert into change_requests (environment, state, project, created_by) values ('production', 'Draft', 'default', 1)`,
  );
  await client.end();
  return has.has('api_tokens.alias');
}
