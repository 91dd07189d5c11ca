import { readFileSync } from 'node:fs';
import { withClient } from '../database.ts';
import { ADMIN_TOKEN, type Instance } from './instance.ts';

// Fills an Unleash instance with an example of everything that an import reads. It uses the API where the open-source edition has
// the operation, and SQL otherwise.

type ApiResponse = { status: number; body: Record<string, unknown> };
export type FillResult = {
  tokens: string[];
  personalTokens: string[];
  /** A second secret of one of the tokens. It is undefined if this version has no aliases. */
  alias: string | undefined;
  skippedParts: string[];
};

const FLAGS_PATH = '/api/admin/projects/default/features';
const SQL_FILE = new URL('fill.sql', import.meta.url);
/** The same value as in fill.sql. */
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

export async function fill(instance: Instance): Promise<FillResult> {
  const skippedParts: string[] = [];
  const headers = { authorization: ADMIN_TOKEN, 'content-type': 'application/json' };
  const send = async (
    method: string,
    path: string,
    body?: object,
    extraHeaders = {},
  ): Promise<ApiResponse> => {
    const response = await fetch(instance.url + path, {
      method,
      headers: { ...headers, ...extraHeaders },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) skippedParts.push(`${method} ${path} returned ${response.status}`);
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
    await post(FLAGS_PATH, {
      name,
      type,
      description: `The flag ${name}`,
      impressionData: name === 'dark-mode',
    });

  const rollout = (rollout: string, stickiness = 'default') => ({
    name: 'flexibleRollout',
    parameters: { rollout, stickiness, groupId: 'checkout-v2' },
  });
  const strategiesPath = `${FLAGS_PATH}/checkout-v2/environments/production/strategies`;
  const targetedStrategy = { ...rollout('25', 'userId'), title: 'A quarter', constraints: ALL_OPERATORS };
  const { status } = await post(strategiesPath, { ...targetedStrategy, segments });
  if (status >= 400) await post(strategiesPath, targetedStrategy);
  await post(strategiesPath, { name: 'default', constraints: [], parameters: {} });
  await post(strategiesPath, {
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
  await post(strategiesPath, { ...rollout('10'), disabled: true });
  await post(strategiesPath, { name: 'userWithId', parameters: { userIds: 'ada,ben' } });
  await post(strategiesPath, { name: 'byTeam', parameters: { teams: 'basket' } });
  await post(`${FLAGS_PATH}/dark-mode/environments/development/strategies`, { ...rollout('100') });
  await post(`${FLAGS_PATH}/old-basket/environments/production/strategies`, {
    name: 'remoteAddress',
    parameters: { IPs: '10.0.0.1,192.168.0.0/16' },
  });
  await send('PUT', `${FLAGS_PATH}/dark-mode/environments/development/variants`, [
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
    await post(`${FLAGS_PATH}/${name}/environments/${environment}/on`, {});
  await post('/api/admin/features/checkout-v2/tags', { type: 'team', value: 'basket' });
  await post('/api/admin/features/checkout-v2/tags', { type: 'simple', value: 'shop' });
  await post(`${FLAGS_PATH}/checkout-v2/link`, { url: 'https://example.com/checkout', title: 'Design' });
  await post(`${FLAGS_PATH}/checkout-v2/dependencies`, { feature: 'parent-flag', enabled: true });
  await send('PATCH', `${FLAGS_PATH}/old-basket`, [{ op: 'replace', path: '/stale', value: true }]);
  await send('DELETE', `${FLAGS_PATH}/kill-payments`);

  const tokens: string[] = [ADMIN_TOKEN];
  for (const [type, environment, projects] of [
    ['client', 'production', ['*']],
    ['client', 'development', ['default']],
    ['frontend', 'production', ['*']],
    ['backend', 'production', ['*']],
  ] as const) {
    const name = { username: `${type}-${environment}`, tokenName: `${type}-${environment}` };
    const fields = { type, environment, projects };
    // The name field depends on the version.
    let response = await post('/api/admin/api-tokens', { ...fields, tokenName: name.tokenName });
    if (response.status === 400)
      response = await post('/api/admin/api-tokens', { ...fields, username: name.username });
    if (typeof response.body.secret === 'string') tokens.push(response.body.secret);
  }
  const clientToken = tokens[1] ?? '';
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
    { authorization: clientToken },
  );
  const personalTokens = await fillAsUser(instance, skippedParts);
  const hasAlias = await fillBySql(instance);
  // Unleash's frontend API serves only flags that appear in its events, so each flag that was inserted with SQL needs an event.
  for (const name of [
    'odd-weights',
    'empty-list',
    'grandchild',
    'for-all',
    encodeURIComponent('Ünusual name'),
  ])
    await send('PATCH', `${FLAGS_PATH}/${name}`, [
      { op: 'replace', path: '/description', value: 'Written with SQL' },
    ]);
  return { tokens, personalTokens, alias: hasAlias ? ALIAS : undefined, skippedParts };
}

/** Version 4 has segments only in its enterprise edition. */
async function insertSegment(
  { databaseUrl }: Instance,
  name: string,
  constraints: readonly object[],
): Promise<number> {
  return await withClient(new URL(databaseUrl), async client => {
    const { rows } = await client.query(
      'insert into segments (name, description, created_by, constraints) values ($1, $2, $3, $4) returning id',
      [name, `All ${name}`, 'admin', JSON.stringify(constraints)],
    );
    return rows[0].id;
  });
}

/** Adds favorites and a personal access token, which only users can have. */
async function fillAsUser({ url }: Instance, skippedParts: string[]): Promise<string[]> {
  const login = await fetch(`${url}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: 'unleash4all' }),
  });
  const cookie = login.headers
    .getSetCookie()
    .map(header => header.split(';')[0])
    .join('; ');
  const post = async (path: string, body: object = {}) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { cookie, origin: url, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) skippedParts.push(`POST ${path} as a user returned ${response.status}`);
    return (await response.text()) || '{}';
  };
  await post(`${FLAGS_PATH}/checkout-v2/favorites`);
  await post('/api/admin/projects/default/favorites');
  const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const responseText = await post('/api/admin/user/tokens', { description: 'laptop', expiresAt });
  const { secret } = (responseText.startsWith('{') ? JSON.parse(responseText) : {}) as { secret?: string };
  return secret === undefined ? [] : [secret];
}

/** Runs the statements in fill.sql whose columns exist in this version. Returns whether tokens can have an alias. */
async function fillBySql({ databaseUrl }: Instance): Promise<boolean> {
  return await withClient(new URL(databaseUrl), async client => {
    const { rows } = await client.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
    );
    const columns = new Set(rows.map(row => row.name));
    for (const statement of readFileSync(SQL_FILE, 'utf8').split(';\n')) {
      const [, requiredColumns = ''] = /^-- needs (.*)$/m.exec(statement) ?? [];
      if (requiredColumns.split(' ').every(name => name === '' || columns.has(name)))
        await client.query(statement);
    }
    return columns.has('api_tokens.alias');
  });
}
