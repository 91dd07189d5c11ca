import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeMember, makeUser, markSeen, type TestUser } from './factories.ts';
import { useHarness } from './harness.ts';
import { call } from './request.ts';
import { insertRichFeature, insertSegment } from './rich-feature.ts';

// The contract: the response fields of the Unleash API on which clients rely. A trailing ! marks a required field, and a trailing ?
// a field that may be null. All other fields are absent if they have no value.

type Shape = { [field: string]: string | Shape };

const SHAPES: Record<string, Shape> = {
  Event: {
    id: 'integer!',
    createdAt: 'timestamp!',
    type: 'string!',
    createdBy: 'string!',
    createdByUserId: 'number?',
    environment: 'string?',
    project: 'string?',
    featureName: 'string?',
    data: 'object?',
    preData: 'object?',
    tags: '[Tag]?',
    label: 'string?',
    summary: 'string?',
    ip: 'string?',
  },
  Tag: { value: 'string!', type: 'string!' },
  EventSearch: { events: '[Event]!', total: 'integer!' },
  Report: {
    version: 'integer',
    name: 'string',
    description: 'string',
    defaultStickiness: 'string',
    mode: 'string',
    featureLimit: 'integer?',
    members: 'integer',
    health: 'integer',
    environments: '[ProjectEnvironment]!',
    features: '[Feature]!',
    updatedAt: 'timestamp',
    createdAt: 'timestamp',
    favorite: 'boolean',
    stats: {
      avgTimeToProdCurrentWindow: 'number',
      createdCurrentWindow: 'number',
      createdPastWindow: 'number',
      archivedCurrentWindow: 'number',
      archivedPastWindow: 'number',
      projectActivityCurrentWindow: 'number',
      projectActivityPastWindow: 'number',
      projectMembersAddedCurrentWindow: 'number',
    },
    featureNaming: { pattern: 'string', example: 'string', description: 'string' },
    potentiallyStaleCount: 'integer',
    activeCount: 'integer',
    staleCount: 'integer',
  },
  ProjectEnvironment: {
    environment: 'string',
    changeRequestsEnabled: 'boolean',
    defaultStrategy: {
      name: 'string',
      title: 'string',
      disabled: 'boolean',
      sortOrder: 'number',
      constraints: '[Constraint]',
      variants: '[StrategyVariant]',
      parameters: 'object',
      segments: '[integer]',
    },
  },
  Feature: {
    name: 'string',
    type: 'string',
    description: 'string',
    archived: 'boolean',
    project: 'string',
    enabled: 'boolean',
    stale: 'boolean',
    favorite: 'boolean',
    impressionData: 'boolean',
    createdAt: 'timestamp',
    createdBy: { id: 'number', name: 'string', imageUrl: 'url' },
    archivedAt: 'timestamp',
    lastSeenAt: 'timestamp',
    environments: '[FeatureEnvironment]',
    variants: '[Variant]',
    tags: '[Tag]?',
    children: '[string]',
    lifecycle: { stage: 'string', enteredStageAt: 'timestamp' },
    dependencies: '[Dependency]',
    collaborators: { users: '[Person]' },
  },
  Person: { id: 'number', name: 'string', imageUrl: 'url' },
  Dependency: { feature: 'string', enabled: 'boolean', variants: '[string]' },
  FeatureEnvironment: {
    name: 'string',
    featureName: 'string',
    environment: 'string',
    type: 'string',
    enabled: 'boolean',
    sortOrder: 'number',
    variantCount: 'number',
    strategies: '[Strategy]',
    variants: '[Variant]',
    lastSeenAt: 'timestamp',
    hasStrategies: 'boolean',
    hasEnabledStrategies: 'boolean',
  },
  Strategy: {
    id: 'string',
    name: 'string',
    title: 'string',
    disabled: 'boolean',
    featureName: 'string',
    sortOrder: 'number',
    segments: '[integer]',
    constraints: '[Constraint]',
    variants: '[StrategyVariant]',
    parameters: 'object',
  },
  Constraint: {
    contextName: 'string',
    operator: 'string',
    caseInsensitive: 'boolean',
    inverted: 'boolean',
    values: '[string]',
    value: 'string',
  },
  StrategyVariant: {
    name: 'string',
    weight: 'number',
    weightType: 'string',
    stickiness: 'string',
    payload: { type: 'string', value: 'string' },
  },
  Variant: {
    name: 'string',
    weight: 'number',
    weightType: 'string',
    stickiness: 'string',
    payload: { type: 'string', value: 'string' },
    overrides: '[Override]',
  },
  Override: { contextName: 'string', values: '[string]' },
  IntegrationEvents: { integrationEvents: '[IntegrationEvent]!' },
  IntegrationEvent: {
    id: 'string',
    integrationId: 'integer',
    createdAt: 'timestamp',
    state: 'string',
    stateDetails: 'string',
    event: 'Event',
    details: 'object',
  },
};

const IS: Record<string, (value: unknown) => boolean> = {
  string: value => typeof value === 'string',
  boolean: value => typeof value === 'boolean',
  number: value => typeof value === 'number',
  integer: value => Number.isInteger(value),
  timestamp: value => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value)),
  url: value => URL.canParse(String(value)),
  object: value => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** Compares a value with a shape. Paths have no indexes, so that items of one list are reported together. */
function inspect(value: unknown, shape: string | Shape, path: string, found: FoundFields): void {
  if (typeof shape === 'object') {
    if (!IS.object?.(value)) return void found.wrong.add(`${path} is not an object`);
    for (const [field, kind] of Object.entries(shape)) {
      const fieldValue = (value as Record<string, unknown>)[field];
      const rule = typeof kind === 'string' ? (/[!?]$/.exec(kind)?.[0] ?? '') : '';
      const inner = typeof kind === 'string' ? kind.replace(/[!?]$/, '') : kind;
      const fieldPath = `${path}.${field}`;
      if (fieldValue === undefined) {
        found.absent.add(fieldPath);
        if (rule === '!') found.wrong.add(`${fieldPath} is missing`);
      } else if (fieldValue === null) {
        if (rule !== '?') found.wrong.add(`${fieldPath} is null`);
      } else inspect(fieldValue, inner, fieldPath, found);
    }
    return;
  }
  const item = /^\[(.*)\]$/.exec(shape)?.[1];
  if (item !== undefined) {
    if (!Array.isArray(value)) return void found.wrong.add(`${path} is not an array`);
    for (const element of value) inspect(element, SHAPES[item] ?? item, path, found);
    return;
  }
  const knownShape = SHAPES[shape];
  if (knownShape) inspect(value, knownShape, path, found);
  else if (!IS[shape]?.(value)) found.wrong.add(`${path} is not a valid ${shape}: ${JSON.stringify(value)}`);
}

type FoundFields = { wrong: Set<string>; absent: Set<string> };
const inspectBody = (value: unknown, shape: string): FoundFields => {
  const found = { wrong: new Set<string>(), absent: new Set<string>() };
  inspect(value, SHAPES[shape] ?? shape, shape, found);
  return found;
};

const harness = useHarness();
let user: TestUser;

const api = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) =>
  call(harness.app, method, `/api/admin/${path}`, {
    token: user.token,
    ...(body === undefined ? {} : { body }),
  });

const variant = {
  name: 'blue',
  weight: 1000,
  weightType: 'variable' as const,
  stickiness: 'userId',
  payload: { type: 'string' as const, value: 'x' },
};
const strategy = {
  name: 'flexibleRollout',
  title: 'A quarter',
  disabled: false,
  sortOrder: 1,
  parameters: { rollout: '25', stickiness: 'userId', groupId: 'x' },
  constraints: [
    {
      contextName: 'userId',
      operator: 'IN' as const,
      values: ['7'],
      value: '7',
      inverted: false,
      caseInsensitive: false,
    },
  ],
  variants: [variant],
};

beforeAll(async () => {
  const { db } = harness;
  user = await makeUser(db, 'Admin');
  await api('POST', 'projects', { id: 'rich', name: 'Rich', description: 'Everything' });
  await api('POST', 'projects', { id: 'bare', name: 'Bare' });
  await makeMember(db, user, 'bare', 'Member');
  await api('PUT', 'projects/rich/settings', {
    featureLimit: 50,
    featureNaming: { pattern: '.+', example: 'a', description: 'Anything' },
  });
  const segment = await insertSegment(db, 'beta');
  for (const environment of ['development', 'production'])
    await api('POST', `projects/rich/environments/${environment}/default-strategy`, {
      ...strategy,
      segments: [segment],
    });
  await api('POST', 'projects/bare/environments/production/default-strategy', { name: 'default' });
  await insertRichFeature(db, { name: 'parent', project: 'rich', description: 'A parent' });
  const richEnvironment = {
    enabled: true,
    variants: [{ ...variant, overrides: [{ contextName: 'userId', values: ['7'] }] }],
    strategies: [{ ...strategy, segments: [segment] }],
  };
  await insertRichFeature(db, {
    name: 'full',
    project: 'rich',
    description: 'Everything a feature can have',
    tags: [{ type: 'simple', value: 'tag' }],
    dependencies: [{ feature: 'parent', enabled: true, variants: ['blue'] }],
    links: ['https://example.com'],
    environments: { development: richEnvironment, production: richEnvironment },
  });
  await insertRichFeature(db, {
    name: 'empty',
    project: 'bare',
    environments: { production: { strategies: [{}] } },
  });
  for (const name of ['full', 'parent']) await markSeen(db, name);
  await sql`update features set created_by_user_id = ${user.id} where name = any('{full,parent}')`.execute(
    db,
  );
  await api('PUT', 'projects/rich/features/full', { impressionData: true });
});

test('events in search results have the fields in the contract', async () => {
  const { body } = await api('GET', 'search/events?limit=1000');

  const { wrong, absent } = inspectBody(body, 'EventSearch');
  expect(body.total).toBeGreaterThan(5);
  expect([...wrong]).toEqual([]);
  expect([...absent]).toEqual([]);
});

test('the report of a project that has everything contains every field in the contract', async () => {
  const { body } = await api('GET', 'projects/rich/health-report');

  const { wrong, absent } = inspectBody(body, 'Report');
  expect([...wrong]).toEqual([]);
  // Archived features are not in a report.
  expect([...absent]).toEqual(['Report.features.archivedAt']);
});

test('the report of a project with a bare feature omits fields without a value', async () => {
  const { body } = await api('GET', 'projects/bare/health-report');

  const { wrong, absent } = inspectBody(body, 'Report');
  expect([...wrong]).toEqual([]);
  expect([...absent].toSorted()).toEqual(
    [
      'Report.environments.defaultStrategy',
      'Report.environments.defaultStrategy.sortOrder',
      'Report.environments.defaultStrategy.title',
      'Report.featureNaming.description',
      'Report.featureNaming.example',
      'Report.featureNaming.pattern',
      'Report.features.archivedAt',
      'Report.features.createdBy',
      'Report.features.description',
      'Report.features.environments.lastSeenAt',
      'Report.features.environments.strategies.title',
      'Report.features.lastSeenAt',
    ].toSorted(),
  );
});

test('a clone and its source have the fields in the contract', async () => {
  const { status, body } = await api('POST', 'projects/rich/features/full/clone', { name: 'copy' });
  const bareClone = await api('POST', 'projects/bare/features/empty/clone', { name: 'bare-copy' });
  await call(harness.app, 'DELETE', '/api/admin/projects/bare/features/empty');
  const archivedFeature = await api('GET', 'projects/bare/features/empty');

  expect([status, bareClone.status, archivedFeature.status]).toEqual([200, 200, 200]);
  for (const feature of [body, bareClone.body, archivedFeature.body])
    expect([...inspectBody(feature, 'Feature').wrong]).toEqual([]);
  expect([...inspectBody(body, 'Feature').absent]).toEqual([
    'Feature.archivedAt',
    'Feature.lastSeenAt',
    'Feature.environments.lastSeenAt',
  ]);
  expect([...inspectBody(archivedFeature.body, 'Feature').absent]).not.toContain('Feature.archivedAt');
});

test.each([
  'projects/bare/features',
  'projects/rich/features',
  'search/features?project=IS_ANY_OF:bare,rich',
  'search/features?project=IS:bare&archived=IS:true',
])('the features in %s have the fields in the contract', async path => {
  const { body } = await api('GET', path);

  expect(body.features.length).toBeGreaterThan(0);
  expect([...inspectBody(body.features, '[Feature]').wrong]).toEqual([]);
});

test("an integration's delivery records have the fields in the contract", async () => {
  const { body: integration } = await api('POST', 'addons', {
    provider: 'webhook',
    enabled: true,
    parameters: { url: 'https://receiver.invalid/' },
    events: ['feature-metadata-updated'],
  });
  await api('PUT', 'projects/rich/features/full', { description: 'Delivered' });

  const { body } = await api('GET', `addons/${integration.id}/events`);

  const { wrong, absent } = inspectBody(body, 'IntegrationEvents');
  expect(body.integrationEvents).toHaveLength(1);
  expect([...wrong]).toEqual([]);
  expect([...absent]).toEqual([]);
});
