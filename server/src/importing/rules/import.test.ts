import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { readFlagsmith } from '../flagsmith/read.ts';
import { EnvironmentDocument } from '../flagsmith/schema.ts';
import { fetchLaunchDarkly } from '../launchdarkly/fetch.ts';
import { readLaunchDarkly } from '../launchdarkly/read.ts';
import { Project } from '../launchdarkly/schema.ts';
import type { Flag } from './model.ts';
import { planImport } from './plan.ts';
import { checkPlan, writePlan } from './write.ts';

const harness = useHarness();
const limits = { features: 1_000, segments: 100 };
const names = (name: string) => (name === 'test' ? 'development' : name);

const read = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));

async function launchDarkly(): Promise<Flag[]> {
  const project = await read('../launchdarkly/fixtures/project.json');
  expect([...Value.Errors(Project, project)]).toEqual([]);
  return readLaunchDarkly(project as Project);
}

async function flagsmith(): Promise<Flag[]> {
  const document = await read('../flagsmith/fixtures/environment.json');
  expect([...Value.Errors(EnvironmentDocument, document)]).toEqual([]);
  return readFlagsmith(document as EnvironmentDocument, 'production');
}

async function importAll(flags: Flag[], project: string, product: string) {
  const plan = planImport(flags, { names });
  const target = { project, product, limits };
  expect(await checkPlan(harness.db, plan, target)).toEqual([]);
  await writePlan(harness.db, plan, target);
  return plan;
}

async function newProject(id: string): Promise<void> {
  await harness.app.inject({
    method: 'POST',
    url: '/api/admin/projects',
    headers: { authorization: ADMIN_TOKEN },
    payload: { id, name: id },
  });
}

const environmentOf = async (project: string, feature: string, environment: string) =>
  (
    await harness.app.inject({
      url: `/api/admin/projects/${project}/features/${feature}/environments/${environment}`,
      headers: { authorization: ADMIN_TOKEN },
    })
  ).json();

const lastEvent = async (): Promise<number> => {
  const { rows } = await sql<{ id: number }>`select coalesce(max(id), 0)::int as id from events`.execute(
    harness.db,
  );
  return rows[0]?.id ?? 0;
};

test('LaunchDarkly: rules, targets, segments and prerequisites are imported, and a second run writes nothing', async () => {
  await newProject('ld');
  const plan = await importAll(await launchDarkly(), 'ld', 'LaunchDarkly');

  const checkout = await environmentOf('ld', 'new-checkout', 'production');
  expect(checkout.enabled).toBe(true);
  expect(checkout.strategies.map((one: { title: string }) => one.title)).toEqual([
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
  expect((await environmentOf('ld', 'new-checkout', 'development')).enabled).toBe(false);
  const banner = await environmentOf('ld', 'banner', 'production');
  expect(banner.strategies.at(-1)).toMatchObject({
    parameters: { stickiness: 'organizationKey' },
    variants: [
      { name: 'Summer', weight: 250, payload: { type: 'string', value: 'summer sale' } },
      { name: 'none', weight: 750 },
    ],
  });
  expect(plan.unsupported).toEqual([
    'experiment in production: segment "everyone-we-know", which is a big segment',
    expect.stringMatching(/^not a name for a url\?: /),
  ]);
  expect((await environmentOf('ld', 'experiment', 'production')).enabled).toBe(false);
  // The results differ only if a context lacks the field that splits users, as the note says.
  expect(plan.notes.filter(note => note.includes('differs'))).toEqual([
    expect.stringMatching(/^banner in production: the result differs for \d+ of 1000 contexts/),
  ]);
  expect(plan.notes).toContainEqual(expect.stringContaining('Send "organizationKey" in every context'));

  const before = await lastEvent();
  await importAll(await launchDarkly(), 'ld', 'LaunchDarkly');
  expect(await lastEvent()).toBe(before);
});

test('Flagsmith: overrides of identities and segments are imported in their order', async () => {
  await newProject('fs');
  const plan = planImport(
    (await flagsmith()).map(flag => ({ ...flag, key: `fs-${flag.key}` })),
    { names },
  );
  const target = { project: 'fs', product: 'Flagsmith', limits };
  expect(await checkPlan(harness.db, plan, target)).toEqual([]);
  await writePlan(harness.db, plan, target);

  const checkout = await environmentOf('fs', 'fs-new-checkout', 'production');
  expect(checkout.strategies.map((one: { title: string }) => one.title)).toEqual([
    'Identity anna',
    'Swedes on new apps',
  ]);
  expect(checkout.strategies[1].constraints).toEqual([
    expect.objectContaining({ contextName: 'plan', operator: 'NOT_IN', values: ['spam', 'abuse'] }),
  ]);
  expect(checkout.strategies[1].segments).toHaveLength(1);
  const banner = await environmentOf('fs', 'fs-banner', 'production');
  expect(banner.strategies.at(-1).variants).toMatchObject([
    { name: 'summer', weight: 250 },
    { name: 'none', weight: 750 },
  ]);
  expect(plan.unsupported).toEqual(['fs-lucky in production: the segment operator PERCENTAGE_SPLIT']);
});

test('one flag that our rules reject does not end the import', async () => {
  await newProject('some');
  const flags = (await launchDarkly()).map(flag => ({ ...flag, key: `some-${flag.key}` }));
  const [first] = flags;
  const long = { field: 'country', operator: 'REGEX' as const, values: ['(?=x)'], negated: false };
  first?.environments.set('production', {
    on: true,
    off: 1,
    parents: [],
    rules: [{ title: 'x', when: [[long]], serve: { variation: 0 } }],
    otherwise: { variation: 1 },
  });
  const plan = planImport(flags.slice(0, 1), { names });
  expect(await checkPlan(harness.db, plan, { project: 'some', product: 'LaunchDarkly', limits })).toEqual([]);

  expect(plan.unsupported).toEqual([expect.stringMatching(/^some-new-checkout in production: Constraint: /)]);
  expect(plan.environments.get('production')?.features).toEqual([]);
});

test('reports an environment that does not exist before anything is written', async () => {
  const plan = planImport(await launchDarkly(), { names: () => 'nowhere' });
  const before = await lastEvent();

  const problems = await checkPlan(harness.db, plan, { project: 'default', product: 'LaunchDarkly', limits });
  expect(problems).toContainEqual({
    message: 'Project "default" does not have this environment',
    affectedItems: ['nowhere'],
  });
  expect(await lastEvent()).toBe(before);
});

test('freezes flags that split users', async () => {
  const plan = planImport(await launchDarkly(), { names, freezePartial: true });
  const enabled = plan.environments.get('production')?.featureEnvironments?.filter(one => one.enabled);

  expect(enabled).toEqual([]);
  expect(plan.notes).toContain('banner in production: disabled, because it splits users');
});

test('reads all pages of LaunchDarkly with one token and its pinned version', async () => {
  const { flags, segments } = (await read('../launchdarkly/fixtures/project.json')) as Project;
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    seen.push(`${request.headers.authorization} ${request.headers['ld-api-version']} ${url.pathname}`);
    const offset = Number(url.searchParams.get('offset') ?? 0);
    const page = (all: unknown[]) => ({ items: all.slice(offset, offset + 2), totalCount: all.length });
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
    expect(new Set(seen.map(line => line.split(' ').slice(0, 2).join(' ')))).toEqual(
      new Set(['api-token 20240415']),
    );
  } finally {
    server.close();
  }
});

const inSegment = (key: string, segment: string, values: Record<string, string[]>): Flag => ({
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

const segmentValues = async (feature: string, environment: string): Promise<unknown> => {
  const { rows } = await sql<{ name: string; values: string[] }>`
    select segments.name, segments.constraints -> 0 -> 'values' as values
    from segments join feature_strategy_segments on segment_id = segments.id
    join feature_strategies on feature_strategies.id = strategy_id
    where feature_name = ${feature} and environment = ${environment}`.execute(harness.db);
  return rows;
};

test('a segment that differs between environments becomes one segment for each environment', async () => {
  await newProject('differing');
  const flags = [inSegment('differing-flag', 'beta', { production: ['1'], development: ['2'] })];

  await importAll(flags, 'differing', 'LaunchDarkly');

  expect(await segmentValues('differing-flag', 'production')).toEqual([
    { name: 'beta-production', values: ['1'] },
  ]);
  expect(await segmentValues('differing-flag', 'development')).toEqual([
    { name: 'beta-development', values: ['2'] },
  ]);
});

test('a segment that exists here with different constraints ends the import before it writes', async () => {
  await newProject('taken');
  await importAll([inSegment('taken-1', 'testers', { production: ['1'] })], 'taken', 'LaunchDarkly');
  const before = await lastEvent();

  const plan = planImport([inSegment('taken-2', 'testers', { production: ['2'] })], { names });
  const problems = await checkPlan(harness.db, plan, { project: 'taken', product: 'LaunchDarkly', limits });

  expect(problems).toEqual([
    { message: expect.stringMatching(/^Segments exist here with different/), affectedItems: ['testers'] },
  ]);
  expect(await lastEvent()).toBe(before);
});

test('a segment that is too large, and a pattern that is not valid, reject only the flags that use them', async () => {
  await newProject('large');
  const users = Array.from({ length: 1_001 }, (_, at) => `user-${at}`);
  const pattern: Flag = inSegment('bad-pattern', 'unused', { production: [] });
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
    inSegment('with-many', 'many', { production: users }),
    pattern,
    inSegment('with-few', 'few', { production: ['1'] }),
  ];

  const plan = await importAll(flags, 'large', 'LaunchDarkly');

  expect(plan.unsupported).toEqual([
    expect.stringMatching(/^with-many in production: segment "many": .*1,?000/),
    expect.stringMatching(/^bad-pattern in production: Constraint: /),
  ]);
  expect((await environmentOf('large', 'with-few', 'production')).enabled).toBe(true);
});
