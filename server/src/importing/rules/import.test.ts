import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { Value } from 'typebox/value';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { readFlagsmith } from '../flagsmith/read.ts';
import { EnvironmentDocument } from '../flagsmith/schema.ts';
import { readFlipt } from '../flipt/read.ts';
import { Namespaces } from '../flipt/schema.ts';
import { fetchGrowthBook } from '../growthbook/fetch.ts';
import { readGrowthBook } from '../growthbook/read.ts';
import { Organization } from '../growthbook/schema.ts';
import { fetchLaunchDarkly } from '../launchdarkly/fetch.ts';
import { readLaunchDarkly } from '../launchdarkly/read.ts';
import { Project } from '../launchdarkly/schema.ts';
import type { Flag } from './model.ts';
import { planImport } from './plan.ts';
import { checkPlan, writePlan } from './write.ts';

const harness = useHarness();
const limits = { features: 1_000, segments: 100 };
const mapEnvironment = (name: string) => (name === 'test' ? 'development' : name);

const readFixture = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));

async function readLaunchDarklyFixture(): Promise<Flag[]> {
  const project = await readFixture('../launchdarkly/fixtures/project.json');
  expect([...Value.Errors(Project, project)]).toEqual([]);
  return readLaunchDarkly(project as Project);
}

async function readFlagsmithFixture(): Promise<Flag[]> {
  const document = await readFixture('../flagsmith/fixtures/environment.json');
  expect([...Value.Errors(EnvironmentDocument, document)]).toEqual([]);
  return readFlagsmith(document as EnvironmentDocument, 'production');
}

async function importAll(flags: Flag[], project: string, product: string) {
  const plan = planImport(flags, { mapEnvironment });
  const target = { project, product, limits };
  expect(await checkPlan(harness.db, plan, target)).toEqual([]);
  await writePlan(harness.db, plan, target);
  return plan;
}

async function createProject(id: string): Promise<void> {
  await harness.app.inject({
    method: 'POST',
    url: '/api/admin/projects',
    headers: { authorization: ADMIN_TOKEN },
    payload: { id, name: id },
  });
}

const readEnvironment = async (project: string, feature: string, environment: string) =>
  (
    await harness.app.inject({
      url: `/api/admin/projects/${project}/features/${feature}/environments/${environment}`,
      headers: { authorization: ADMIN_TOKEN },
    })
  ).json();

const readLastEventId = async (): Promise<number> => {
  const { rows } = await sql<{ id: number }>`select coalesce(max(id), 0)::int as id from events`.execute(
    harness.db,
  );
  return rows[0]?.id ?? 0;
};

test('LaunchDarkly: imports rules, targets, segments and prerequisites, and writes nothing in a second run', async () => {
  await createProject('ld');
  const plan = await importAll(await readLaunchDarklyFixture(), 'ld', 'LaunchDarkly');

  const checkout = await readEnvironment('ld', 'new-checkout', 'production');
  expect(checkout.enabled).toBe(true);
  expect(checkout.strategies.map((strategy: { title: string }) => strategy.title)).toEqual([
    'Individual targets',
    'Sweden',
    'Rule 3',
    'Rule 3',
  ]);
  expect(checkout.strategies[1]).toMatchObject({
    parameters: { rollout: '10' },
    constraints: [
      { contextName: 'userId', operator: 'NOT_IN', values: ['mallory'] },
      { contextName: 'country', operator: 'IN', values: ['SE'] },
      { contextName: 'appVersion', operator: 'SEMVER_GT', value: '2.0.0' },
    ],
  });
  expect((await readEnvironment('ld', 'new-checkout', 'development')).enabled).toBe(false);
  const banner = await readEnvironment('ld', 'banner', 'production');
  expect(banner.strategies.at(-1)).toMatchObject({
    parameters: { stickiness: 'organizationKey' },
    variants: [
      { name: 'Summer', weight: 250, payload: { type: 'string', value: 'summer sale' } },
      { name: 'none', weight: 750 },
    ],
  });
  expect(plan.unsupported).toEqual([
    'experiment in production: segment "everyone-we-know", which is a big segment',
    expect.stringMatching(/^not a name for a url\?: its key .*; rename it/),
  ]);
  expect((await readEnvironment('ld', 'experiment', 'production')).enabled).toBe(false);
  // The results differ only if a context lacks the field that splits users, which the note about "organizationKey" explains.
  expect(plan.notes.filter(note => note.includes('differs'))).toEqual([
    expect.stringMatching(/^banner in production: the result differs for \d+ of 1,000 contexts/),
  ]);
  expect(plan.notes).toContainEqual(expect.stringContaining('Send "organizationKey" in every context'));

  const lastIdBefore = await readLastEventId();
  await importAll(await readLaunchDarklyFixture(), 'ld', 'LaunchDarkly');
  expect(await readLastEventId()).toBe(lastIdBefore);
});

test('Flagsmith: imports identity and segment overrides in order of precedence', async () => {
  await createProject('fs');
  const plan = planImport(
    (await readFlagsmithFixture()).map(flag => ({ ...flag, key: `fs-${flag.key}` })),
    { mapEnvironment },
  );
  const target = { project: 'fs', product: 'Flagsmith', limits };
  expect(await checkPlan(harness.db, plan, target)).toEqual([]);
  await writePlan(harness.db, plan, target);

  const checkout = await readEnvironment('fs', 'fs-new-checkout', 'production');
  expect(checkout.strategies.map((strategy: { title: string }) => strategy.title)).toEqual([
    'Identity anna',
    'Swedes on new apps',
  ]);
  expect(checkout.strategies[1].constraints).toEqual([
    expect.objectContaining({ contextName: 'plan', operator: 'NOT_IN', values: ['spam', 'abuse'] }),
  ]);
  expect(checkout.strategies[1].segments).toHaveLength(1);
  const banner = await readEnvironment('fs', 'fs-banner', 'production');
  expect(banner.strategies.at(-1).variants).toMatchObject([
    { name: 'summer', weight: 250 },
    { name: 'none', weight: 750 },
  ]);
  expect(plan.unsupported).toEqual(['fs-lucky in production: the segment operator "PERCENTAGE_SPLIT"']);
});

async function readGrowthBookFixture(): Promise<Flag[]> {
  const organization = await readFixture('../growthbook/fixtures/features.json');
  expect([...Value.Errors(Organization, organization)]).toEqual([]);
  return readGrowthBook(organization as Organization);
}

test('GrowthBook: imports rules, saved groups and prerequisites, and writes nothing in a second run', async () => {
  await createProject('gb');
  const prefix = (flags: Flag[]) =>
    flags.map(flag => ({
      ...flag,
      key: `gb-${flag.key}`,
      environments: new Map(
        [...flag.environments].map(([name, targeting]) => [
          name,
          'parents' in targeting
            ? {
                ...targeting,
                parents: targeting.parents.map(parent => ({ ...parent, key: `gb-${parent.key}` })),
              }
            : targeting,
        ]),
      ),
    }));
  const plan = await importAll(prefix(await readGrowthBookFixture()), 'gb', 'GrowthBook');

  const checkout = await readEnvironment('gb', 'gb-new-checkout', 'production');
  expect(checkout.enabled).toBe(true);
  expect(checkout.strategies).toMatchObject([
    {
      title: 'Swedes on new apps',
      // Users outside the share continue with the next rule, so the strategy of the next rule does not exclude Swedes.
      parameters: { rollout: '10', stickiness: 'userId' },
      constraints: [
        { contextName: 'userId', operator: 'NOT_IN', values: ['mallory', 'trudy'] },
        { contextName: 'country', operator: 'IN', values: ['SE'] },
        { contextName: 'appVersion', operator: 'SEMVER_GT', value: '2.0.0' },
      ],
    },
    {
      title: 'Rule 3',
      parameters: { rollout: '100' },
      constraints: [
        { contextName: 'userId', operator: 'NOT_IN' },
        { contextName: 'plan', operator: 'NOT_IN', values: ['free', 'trial'] },
        { contextName: 'country', operator: 'NOT_IN', values: ['NO'] },
      ],
    },
    {
      title: 'Rule 3',
      constraints: [
        { contextName: 'userId', operator: 'NOT_IN' },
        { contextName: 'age', operator: 'NUM_GTE', value: '18' },
        { contextName: 'country', operator: 'NOT_IN', values: ['NO'] },
      ],
    },
  ]);
  expect((await readEnvironment('gb', 'gb-new-checkout', 'development')).enabled).toBe(false);
  const banner = await readEnvironment('gb', 'gb-banner', 'production');
  expect(banner.strategies[0]).toMatchObject({
    parameters: { stickiness: 'companyId' },
    variants: [
      { name: 'summer-sale', weight: 250, payload: { type: 'string', value: 'summer sale' } },
      { name: 'none', weight: 750 },
    ],
  });
  expect(plan.unsupported).toEqual([
    'gb-price-test in production: a rule of type "experiment-ref"',
    'gb-with-attribute in production: the operator "$elemMatch"',
  ]);
  expect(plan.notes).toContain(
    'gb-new-checkout in production: Send "age" in every context: without it, the source may compare 0 with the number in the condition, but in Halyard the condition is false',
  );
  expect(plan.notes).toContainEqual(
    expect.stringMatching(/^gb-banner in production: Halyard hashes users differently/),
  );
  expect(plan.notes.filter(note => note.includes('the result differs'))).toEqual([]);

  const lastIdBefore = await readLastEventId();
  await importAll(prefix(await readGrowthBookFixture()), 'gb', 'GrowthBook');
  expect(await readLastEventId()).toBe(lastIdBefore);
});

async function readFliptFixture(): Promise<Flag[]> {
  const text = await readFile(new URL('../flipt/fixtures/features.yaml', import.meta.url), 'utf8');
  const namespaces = parseAllDocuments(text).map(document => document.toJS());
  expect([...Value.Errors(Namespaces, namespaces)]).toEqual([]);
  return readFlipt(namespaces as Namespaces).map(flag => ({ ...flag, key: `flipt-${flag.key}` }));
}

test('Flipt: imports rollouts, segments and distributions, and writes nothing in a second run', async () => {
  await createProject('flipt');
  const plan = await importAll(await readFliptFixture(), 'flipt', 'Flipt');

  const checkout = await readEnvironment('flipt', 'flipt-new-checkout', 'production');
  expect(checkout.strategies.map((strategy: { title: string }) => strategy.title)).toEqual([
    'Swedes on new plans',
    'Swedes on new plans',
    'Rollout 3',
  ]);
  expect(checkout.strategies[1].constraints).toMatchObject([
    { contextName: 'userId', operator: 'NOT_IN', values: ['mallory', 'trudy'] },
    { contextName: 'seats', operator: 'NUM_GTE', value: '10' },
  ]);
  expect(checkout.strategies[2]).toMatchObject({ parameters: { rollout: '20' } });
  const banner = await readEnvironment('flipt', 'flipt-banner', 'production');
  expect(banner.enabled).toBe(true);
  expect(banner.strategies.map(({ variants }: { variants: object[] }) => variants)).toMatchObject([
    [
      { name: 'summer', weight: 250, payload: { type: 'json', value: '{"text":"summer sale"}' } },
      { name: 'none', weight: 750, payload: { type: 'string', value: 'none' } },
    ],
    [{ name: 'summer', weight: 1000 }],
    [{ name: 'summer', weight: 1000 }],
    [{ name: 'none', weight: 1000 }],
  ]);
  expect((await readEnvironment('flipt', 'flipt-banner', 'development')).enabled).toBe(false);
  expect(plan.unsupported).toEqual([
    'flipt-returning in production: the operator "notempty" for STRING_COMPARISON_TYPE',
    'flipt-newcomers in production: the operator "gte" for DATETIME_COMPARISON_TYPE',
  ]);
  expect(plan.notes.filter(note => note.includes('the result differs'))).toEqual([]);
  expect(plan.notes).toContainEqual(
    expect.stringMatching(/^flipt-new-checkout in production: Halyard hashes users differently/),
  );

  const lastIdBefore = await readLastEventId();
  await importAll(await readFliptFixture(), 'flipt', 'Flipt');
  expect(await readLastEventId()).toBe(lastIdBefore);
});

test('reports a flag that validation rejects, and omits it from the plan', async () => {
  await createProject('some');
  const flags = (await readLaunchDarklyFixture()).map(flag => ({ ...flag, key: `some-${flag.key}` }));
  const [firstFlag] = flags;
  const invalidComparison = {
    field: 'country',
    operator: 'REGEX' as const,
    values: ['(?=x)'],
    negated: false,
  };
  firstFlag?.environments.set('production', {
    on: true,
    off: 1,
    parents: [],
    rules: [{ title: 'x', when: [[invalidComparison]], serve: { variation: 0 } }],
    otherwise: { variation: 1 },
  });
  const plan = planImport(flags.slice(0, 1), { mapEnvironment });
  expect(await checkPlan(harness.db, plan, { project: 'some', product: 'LaunchDarkly', limits })).toEqual([]);

  expect(plan.unsupported).toEqual([expect.stringMatching(/^some-new-checkout in production: Constraint: /)]);
  expect(plan.environments.get('production')?.features).toEqual([]);
});

test('reports an environment that does not exist, and writes nothing', async () => {
  const plan = planImport(await readLaunchDarklyFixture(), { mapEnvironment: () => 'nowhere' });
  const lastIdBefore = await readLastEventId();

  const problems = await checkPlan(harness.db, plan, { project: 'default', product: 'LaunchDarkly', limits });
  expect(problems).toContainEqual({
    message: 'Project "default" does not have this environment',
    affectedItems: ['nowhere'],
  });
  expect(await readLastEventId()).toBe(lastIdBefore);
});

test('freezePartial disables flags that split users', async () => {
  const plan = planImport(await readLaunchDarklyFixture(), { mapEnvironment, freezePartial: true });
  const enabledFlags = plan.environments
    .get('production')
    ?.featureEnvironments?.filter(featureEnvironment => featureEnvironment.enabled);

  expect(enabledFlags).toEqual([]);
  expect(plan.notes).toContain('banner in production: disabled, because it splits users');
});

test("reads all pages of LaunchDarkly's API with one token and a pinned API version", async () => {
  const { flags, segments } = (await readFixture('../launchdarkly/fixtures/project.json')) as Project;
  const requestPaths: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    requestPaths.push(
      `${request.headers.authorization} ${request.headers['ld-api-version']} ${url.pathname}`,
    );
    const offset = Number(url.searchParams.get('offset') ?? 0);
    const page = (items: unknown[]) => ({ items: items.slice(offset, offset + 2), totalCount: items.length });
    const body = url.pathname.endsWith('/environments')
      ? { items: [{ key: 'production' }, { key: 'test' }] }
      : page(
          url.pathname.includes('/flags/') ? flags : (segments[url.pathname.split('/').at(-1) ?? ''] ?? []),
        );
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  try {
    await new Promise(resolve => server.once('listening', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    expect(await fetchLaunchDarkly(address, 'api-token', 'shop')).toEqual({ flags, segments });
    expect(new Set(requestPaths.map(line => line.split(' ').slice(0, 2).join(' ')))).toEqual(
      new Set(['api-token 20240415']),
    );
  } finally {
    server.close();
  }
});

test("reads all pages of GrowthBook's API with the token, in one project", async () => {
  const { features, savedGroups } = (await readFixture(
    '../growthbook/fixtures/features.json',
  )) as Organization;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    requests.push(`${request.headers.authorization} ${url.pathname} ${url.searchParams.get('projectId')}`);
    const [name, list] = url.pathname.endsWith('/features')
      ? ['features', features]
      : ['savedGroups', savedGroups];
    const offset = Number(url.searchParams.get('offset'));
    const body = { [name as string]: list.slice(offset, offset + 3), total: list.length };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise(resolve => server.once('listening', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  expect(await fetchGrowthBook(address, 'secret', 'prj_1')).toEqual({ features, savedGroups });
  expect(requests).toEqual([
    'Bearer secret /api/v1/features prj_1',
    'Bearer secret /api/v1/features prj_1',
    'Bearer secret /api/v1/saved-groups null',
  ]);
});

const flagInSegment = (key: string, segment: string, values: Record<string, string[]>): Flag => ({
  key,
  description: '',
  tags: [],
  type: 'release',
  variations: [
    { name: 'on', enabled: true },
    { name: 'off', enabled: false },
  ],
  environments: new Map(
    Object.entries(values).map(([environment, users]) => [
      environment,
      {
        on: true,
        off: 1,
        parents: [],
        rules: [
          {
            title: 'Members',
            when: [
              [
                {
                  segment,
                  comparisons: [{ field: 'userId', operator: 'IN', values: users, negated: false }],
                },
              ],
            ],
            serve: { variation: 0 },
          },
        ],
        otherwise: { variation: 1 },
      },
    ]),
  ),
});

const readSegments = async (feature: string, environment: string): Promise<unknown> => {
  const { rows } = await sql<{ name: string; values: string[] }>`
    select segments.name, segments.constraints -> 0 -> 'values' as values
    from segments join feature_strategy_segments on segment_id = segments.id
    join feature_strategies on feature_strategies.id = strategy_id
    where feature_name = ${feature} and environment = ${environment}`.execute(harness.db);
  return rows;
};

test('splits a segment that differs between environments into one segment per environment', async () => {
  await createProject('differing');
  const flags = [flagInSegment('differing-flag', 'beta', { production: ['1'], development: ['2'] })];

  await importAll(flags, 'differing', 'LaunchDarkly');

  expect(await readSegments('differing-flag', 'production')).toEqual([
    { name: 'beta-production', values: ['1'] },
  ]);
  expect(await readSegments('differing-flag', 'development')).toEqual([
    { name: 'beta-development', values: ['2'] },
  ]);
});

test('reports a segment that exists in Halyard with different constraints, and writes nothing', async () => {
  await createProject('taken');
  await importAll([flagInSegment('taken-1', 'testers', { production: ['1'] })], 'taken', 'LaunchDarkly');
  const lastIdBefore = await readLastEventId();

  const plan = planImport([flagInSegment('taken-2', 'testers', { production: ['2'] })], { mapEnvironment });
  const problems = await checkPlan(harness.db, plan, { project: 'taken', product: 'LaunchDarkly', limits });

  expect(problems).toEqual([
    {
      message: expect.stringMatching(/^Segments exist in Halyard with different/),
      affectedItems: ['testers'],
    },
  ]);
  expect(await readLastEventId()).toBe(lastIdBefore);
});

test('reports the position of a flag without a key, and imports the other flags', async () => {
  await createProject('nameless');
  const flags = ['nameless-1', '', 'nameless-2'].map(key =>
    flagInSegment(key, 'nameless', { production: ['1'] }),
  );

  const plan = await importAll(flags, 'nameless', 'LaunchDarkly');

  expect(plan.unsupported).toEqual(['entry 2 of the flags: it has no key; give it one, or delete it']);
  expect((await readEnvironment('nameless', 'nameless-2', 'production')).enabled).toBe(true);
});

test('rejects only the flags that use an oversized segment or an invalid pattern', async () => {
  await createProject('large');
  const users = Array.from({ length: 1_001 }, (_, index) => `user-${index}`);
  const pattern: Flag = flagInSegment('bad-pattern', 'unused', { production: [] });
  pattern.environments.set('production', {
    on: true,
    off: 1,
    parents: [],
    rules: [
      {
        title: 'x',
        when: [[{ field: 'country', operator: 'REGEX', values: ['('], negated: false }]],
        serve: { variation: 0 },
      },
    ],
    otherwise: { variation: 1 },
  });
  const flags = [
    flagInSegment('with-many', 'many', { production: users }),
    pattern,
    flagInSegment('with-few', 'few', { production: ['1'] }),
  ];

  const plan = await importAll(flags, 'large', 'LaunchDarkly');

  expect(plan.unsupported).toEqual([
    expect.stringMatching(/^with-many in production: segment "many": .*1,?000/),
    expect.stringMatching(/^bad-pattern in production: Constraint: /),
  ]);
  expect((await readEnvironment('large', 'with-few', 'production')).enabled).toBe(true);
});

test('a date in a LaunchDarkly attribute is unsupported, because SDKs compare only the current time', () => {
  const clause = { attribute: 'signedUpAt', op: 'after', values: ['2026-01-01'] };
  const environment = {
    on: true,
    rules: [{ variation: 0, clauses: [clause] }],
    fallthrough: { variation: 1 },
  };
  const flag = {
    key: 'for-newcomers',
    variations: [{ value: true }, { value: false }],
    environments: { production: environment },
  };

  const { unsupported } = planImport(readLaunchDarkly({ flags: [flag], segments: { production: [] } }), {
    mapEnvironment,
  });

  expect(unsupported).toEqual(['for-newcomers in production: a date in the attribute "signedUpAt"']);
});
