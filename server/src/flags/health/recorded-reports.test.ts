import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeApiToken, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

/**
 * Unleash's health reports, recorded once. Halyard's reports differ in these points:
 * - health and technicalDebt are current; in Unleash, an hourly job updates them (it reported 100 with 2 of 6 features stale);
 * - stats are current; in Unleash, a daily job updates them, and it had not run;
 * - features are sorted by name and have all fields; in Unleash, they are unsorted and have eight fields, plus tags if there are any;
 * - environments have changeRequestsEnabled;
 * - missing values are omitted, because the contract (`docs/contract.md`) does not allow null there; in Unleash, they are null;
 * - all errors have the same shape, with id and details, and an invalid token is rejected like a missing token.
 */
const harness = useHarness();
const tokens: Record<string, string> = {};

const strategy = { name: 'flexibleRollout', parameters: { rollout: '50' } };

const FLAGS = [
  { name: 'checkout-v2', type: 'release', description: 'New checkout page', tags: ['frontend', 'q4'] },
  {
    name: 'dark-mode',
    type: 'experiment',
    description: 'Dark theme, 100%_ready "quoted"',
    impressionData: true,
    tags: ['frontend'],
  },
  { name: 'kill.search', type: 'kill-switch', description: 'Disables search' },
  { name: 'old-banner', type: 'release', description: 'Old banner' },
  { name: 'legacy-export', type: 'operational', description: 'Old export' },
  { name: 'parent-flag', type: 'release', description: "It's 50%_off; DROP TABLE" },
];
const STRATEGIES = [
  ['checkout-v2', 'development'],
  ['checkout-v2', 'production'],
  ['dark-mode', 'development'],
  ['dark-mode', 'production'],
  ['kill.search', 'production'],
  ['parent-flag', 'development'],
];
const ENABLED = [
  ['checkout-v2', 'development'],
  ['kill.search', 'production'],
  ['parent-flag', 'development'],
];

beforeAll(async () => {
  const { app, db } = harness;
  const send = (method: 'POST' | 'PUT', path: string, body?: unknown) =>
    call(app, method, `/api/admin/projects/${path}`, body === undefined ? {} : { body });
  await sql`update environments set sort_order = case name when 'development' then 2 else 3 end`.execute(db);
  await sql`update projects set description = 'Default project' where id = 'default'`.execute(db);
  for (const { tags = [], ...flag } of FLAGS) {
    await send('POST', 'default/features', flag);
    for (const value of tags) {
      await sql`insert into tags (type, value) values ('simple', ${value}) on conflict do nothing`.execute(
        db,
      );
      await sql`insert into feature_tags (feature_name, type, value) values (${flag.name}, 'simple', ${value})`.execute(
        db,
      );
    }
  }
  for (const [name, environment] of STRATEGIES)
    await send('POST', `default/features/${name}/environments/${environment}/strategies`, strategy);
  for (const [name, environment] of ENABLED)
    await send('POST', `default/features/${name}/environments/${environment}/on`);
  await sql`
    update feature_environments set variants = '[{"name": "blue", "weight": 1000}]'
    where feature_name = 'dark-mode' and environment = 'production'`.execute(db);
  await send('POST', 'default/stale', { features: ['old-banner', 'legacy-export'], stale: true });

  await makeProject(db, {
    id: 'payments',
    name: 'Payments',
    description: 'Second project',
    defaultStickiness: 'userId',
  });
  await send('PUT', 'payments/settings', {
    featureLimit: 50,
    featureNaming: {
      pattern: '^[a-z][a-z0-9.-]{2,40}$',
      example: 'pay.checkout-v2',
      description: 'lowercase, dots and dashes',
    },
  });
  await send('POST', 'payments/features', { name: 'pay.checkout-v2', description: 'Payments checkout' });
  await send('POST', 'payments/features/pay.checkout-v2/environments/development/strategies', strategy);
  await makeProject(db, {
    id: 'empty',
    name: 'Empty',
    description: 'No flags',
    environments: ['development'],
  });

  tokens.viewer = (await makeUser(db, 'Viewer')).token;
  tokens.client = (
    await makeApiToken(db, { tokenName: 'client', type: 'client', environment: 'development' })
  ).secret;
});

const expectedEnvironment = (name: string, enabled: boolean, hasStrategies: boolean, variantCount = 0) => ({
  name,
  enabled,
  type: name,
  sortOrder: name === 'development' ? 2 : 3,
  variantCount,
  hasStrategies,
  hasEnabledStrategies: hasStrategies,
});
const expectedFlag = (
  name: string,
  development: [boolean, boolean],
  production: [boolean, boolean, number?],
) => {
  const { tags = [], ...fields } = FLAGS.find(flag => flag.name === name) ?? { tags: [] };
  return {
    impressionData: false,
    ...fields,
    favorite: false,
    stale: ['old-banner', 'legacy-export'].includes(name),
    environments: [
      expectedEnvironment('development', ...development),
      expectedEnvironment('production', ...production),
    ],
    tags: tags.map(value => ({ value, type: 'simple' })),
  };
};
const EMPTY = {
  name: 'Empty',
  description: 'No flags',
  mode: 'open',
  featureLimit: null,
  featureNaming: {},
  defaultStickiness: 'default',
  health: 100,
  technicalDebt: 0,
  favorite: false,
  environments: [{ environment: 'development' }],
  features: [],
  members: 0,
  version: 1,
  potentiallyStaleCount: 0,
  activeCount: 0,
  staleCount: 0,
  stats: { avgTimeToProdCurrentWindow: 0, archivedCurrentWindow: 0, projectActivityPastWindow: 0 },
};

type Case = { name: string; project: string; token?: string | null; status: number; body: object };
const CASES: Case[] = [
  {
    name: 'project with stale flags',
    project: 'default',
    status: 200,
    body: {
      name: 'Default',
      description: 'Default project',
      mode: 'open',
      featureLimit: null,
      featureNaming: {},
      defaultStickiness: 'default',
      // Unleash reported 100 and 0.
      health: 67,
      technicalDebt: 33,
      favorite: false,
      environments: [{ environment: 'development' }, { environment: 'production' }],
      features: [
        expectedFlag('checkout-v2', [true, true], [false, true]),
        expectedFlag('dark-mode', [false, true], [false, true, 1]),
        expectedFlag('kill.search', [false, false], [true, true]),
        expectedFlag('legacy-export', [false, false], [false, false]),
        expectedFlag('old-banner', [false, false], [false, false]),
        expectedFlag('parent-flag', [true, true], [false, false]),
      ],
      members: 0,
      version: 1,
      potentiallyStaleCount: 0,
      activeCount: 4,
      staleCount: 2,
      // Unleash reported 0, because the daily job had not run.
      stats: { createdCurrentWindow: 6, createdPastWindow: 0 },
    },
  },
  {
    name: 'second project (limit, naming)',
    project: 'payments',
    status: 200,
    body: {
      name: 'Payments',
      description: 'Second project',
      mode: 'open',
      featureLimit: 50,
      featureNaming: {
        pattern: '^[a-z][a-z0-9.-]{2,40}$',
        example: 'pay.checkout-v2',
        description: 'lowercase, dots and dashes',
      },
      defaultStickiness: 'userId',
      health: 100,
      technicalDebt: 0,
      environments: [{ environment: 'development' }, { environment: 'production' }],
      features: [
        {
          type: 'release',
          description: 'Payments checkout',
          favorite: false,
          name: 'pay.checkout-v2',
          stale: false,
          impressionData: false,
          environments: [
            expectedEnvironment('development', false, true),
            expectedEnvironment('production', false, false),
          ],
        },
      ],
      members: 0,
      version: 1,
      potentiallyStaleCount: 0,
      activeCount: 1,
      staleCount: 0,
    },
  },
  { name: 'project without flags', project: 'empty', status: 200, body: EMPTY },
  { name: 'missing project', project: 'nope', status: 404, body: { name: 'NotFoundError' } },
  {
    name: 'no token',
    project: 'default',
    token: null,
    status: 401,
    body: { name: 'AuthenticationRequired' },
  },
  // Unleash responds with UnauthorizedError.
  {
    name: 'wrong token',
    project: 'default',
    token: '*:*.bad',
    status: 401,
    body: { name: 'AuthenticationRequired' },
  },
  // Unleash responds with only a message.
  { name: 'client token', project: 'default', token: 'client', status: 403, body: { name: 'NoAccessError' } },
  { name: 'viewer PAT', project: 'empty', token: 'viewer', status: 200, body: EMPTY },
  {
    name: 'project id with special characters',
    project: "a'b%25",
    status: 404,
    body: { name: 'NotFoundError' },
  },
  { name: 'unknown query parameter', project: 'empty', status: 200, body: EMPTY },
];

test.each(CASES)('recorded: $name', async ({ name, project, token, status, body }) => {
  const query = name === 'unknown query parameter' ? '?foo=1' : '';
  const response = await call(harness.app, 'GET', `/api/admin/projects/${project}/health-report${query}`, {
    ...(token === undefined ? {} : { token: token === null ? null : (tokens[token] ?? token) }),
  });

  expect(response).toMatchObject({ status, body });
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
});

test('the health, which Unleash updates hourly, is always current in Halyard', async () => {
  const report = (await call(harness.app, 'GET', '/api/admin/projects/default/health-report')).body;

  expect(report.health).toBe(
    Math.round(100 - (100 * (report.staleCount + report.potentiallyStaleCount)) / report.features.length),
  );
  expect(report.activeCount + report.staleCount).toBe(report.features.length);
});
