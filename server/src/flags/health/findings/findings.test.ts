import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { makeMember, makeProject, makeUser, markSeen } from '../../../test/factories.ts';
import { useHarness } from '../../../test/harness.ts';
import { call } from '../../../test/request.ts';
import { waitForLockWaiters } from '../../../test/waiting.ts';
import type { Finding } from './schema.ts';

const harness = useHarness();
let project: string;
let count = 0;
const uniqueName = (prefix: string) => `${prefix}-${++count}`;

const path = (suffix: string) => `/api/admin/projects/${project}${suffix}`;
const readHealth = async (query = '', token?: string) =>
  (await call(harness.app, 'GET', path(`/health${query}`), token === undefined ? {} : { token })).body;
const findFeatures = async (rule: string) =>
  (await readHealth(`?rule=IS:${rule}`)).findings.map(({ feature }: Finding) => feature);
const post = (suffix: string, body?: unknown) =>
  call(harness.app, 'POST', path(suffix), body === undefined ? {} : { body });
const snooze = (id: string, body: unknown, token?: string) =>
  call(harness.app, 'PUT', path(`/health/findings/${id.replace(':', '/')}/snooze`), {
    body,
    ...(token === undefined ? {} : { token }),
  });
const unsnooze = (id: string) =>
  call(harness.app, 'DELETE', path(`/health/findings/${id.replace(':', '/')}/snooze`));
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function create(fields: { type?: string; age?: number; enabledIn?: string[] } = {}): Promise<string> {
  const name = uniqueName('flag');
  await post('/features', { name, type: fields.type ?? 'release' });
  for (const environmentName of fields.enabledIn ?? [])
    await post(`/features/${name}/environments/${environmentName}/on`);
  await backdate(name, fields.age ?? 0);
  return name;
}

/** Moves all timestamps of the feature into the past. */
async function backdate(name: string, days: number): Promise<void> {
  const age = sql`${days} * interval '1 day'`;
  await sql`update features set created_at = created_at - ${age} where name = ${name}`.execute(harness.db);
  await sql`update feature_environments set switched_at = switched_at - ${age} where feature_name = ${name}`.execute(
    harness.db,
  );
}

const markFeatureSeen = (name: string) => markSeen(harness.db, name);

beforeEach(async () => {
  ({ id: project } = await makeProject(harness.db));
});

test('a healthy project has a health of 100 and no findings, and the response lists every rule', async () => {
  await create();

  const body = await readHealth();

  expect(body).toMatchObject({
    project,
    health: 100,
    technicalDebt: 0,
    counts: { features: 1, stale: 0, potentiallyStale: 0 },
    debtBudget: { limit: null, used: 0, exceeded: false },
    findings: [],
    total: 0,
  });
  expect(body.rules.map(({ rule }: { rule: string }) => rule)).toEqual([
    'stale',
    'past-lifetime',
    'enabled-everywhere',
    'disabled-everywhere',
    'never-seen',
    'outside-production',
    'constant-result',
    'archived-in-use',
    'no-strategies',
    'unreadable-strategy',
    'imported-as-is',
    'archived-parent',
    'duplicate-of-clone',
    'no-owner',
    'unused-segment',
  ]);
});

test('returns when a stale feature was marked, its last change, and the points that archiving it would add', async () => {
  const alice = await makeUser(harness.db, 'Admin', uniqueName('alice'));
  const name = await create({ enabledIn: ['production'] });
  for (let n = 0; n < 3; n++) await create();
  await call(harness.app, 'POST', path('/stale'), {
    body: { features: [name], stale: true },
    token: alice.token,
  });

  const { health: score, findings } = await readHealth();

  expect(score).toBe(75);
  expect(findings).toMatchObject([
    {
      id: `stale:${name}`,
      rule: 'stale',
      feature: name,
      segment: null,
      points: 25,
      snooze: null,
      evidence: {
        since: expect.stringMatching(/Z$/),
        type: 'release',
        lastSeenAt: null,
        environments: [
          { name: 'development', enabled: false, hasEnabledStrategies: false },
          {
            name: 'production',
            enabled: true,
            hasEnabledStrategies: true,
            toggledAt: expect.stringMatching(/Z$/),
          },
        ],
        lastChange: { type: 'feature-stale-on', by: alice.username },
      },
    },
  ]);
});

test('finds a feature past its lifetime until it is marked as stale, but never one with a permanent type', async () => {
  const [oldFeature, youngFeature, keptFeature] = [
    await create({ age: 41 }),
    await create({ age: 39 }),
    await create({ type: 'kill-switch', age: 900 }),
  ];
  expect(await findFeatures('past-lifetime')).toEqual([oldFeature]);
  expect((await readHealth('?rule=IS:past-lifetime')).findings[0]).toMatchObject({
    points: 33.33,
    evidence: { lifetimeDays: 40, ageDays: 41 },
  });
  void [youngFeature, keptFeature];

  await post('/stale', { features: [oldFeature], stale: true });

  expect(await findFeatures('past-lifetime')).toEqual([]);
  expect(await findFeatures('stale')).toEqual([oldFeature]);
});

test('finds features that have been enabled or disabled everywhere for 30 days, unless their type is permanent', async () => {
  const everywhere = ['development', 'production'];
  const enabledFeature = await create({ age: 31, enabledIn: everywhere });
  const disabledFeature = await create({ age: 31 });
  await create({ age: 31, enabledIn: ['production'] });
  await create({ age: 29, enabledIn: everywhere });
  await create({ age: 31, enabledIn: everywhere, type: 'permission' });
  await create({ age: 31, type: 'kill-switch' });
  const toggledFeature = await create({ age: 31 });
  await post(`/features/${toggledFeature}/environments/production/on`);
  await post(`/features/${toggledFeature}/environments/production/off`);

  expect(await findFeatures('enabled-everywhere')).toEqual([enabledFeature]);
  expect(await findFeatures('disabled-everywhere')).toEqual([disabledFeature]);
});

test('the never-seen rule is inconclusive until an SDK has been seen in the project', async () => {
  const [oldFeature, usedFeature] = [await create({ age: 8 }), await create({ age: 8 })];
  await create({ age: 6 });
  const readRule = async () =>
    (await readHealth()).rules.find(({ rule }: { rule: string }) => rule === 'never-seen');
  expect(await findFeatures('never-seen')).toEqual([]);
  expect(await readRule()).toMatchObject({ conclusive: false });

  await markFeatureSeen(usedFeature);

  expect(await findFeatures('never-seen')).toEqual([oldFeature]);
  expect(await readRule()).toMatchObject({ conclusive: true, findings: 1 });
});

test('finds a feature without enabled strategies after a week', async () => {
  const bare = await create({ age: 8 });
  const disabledFeature = await create({ age: 8 });
  await post(`/features/${disabledFeature}/environments/production/strategies`, {
    name: 'default',
    disabled: true,
  });
  const ready = await create({ age: 8 });
  await post(`/features/${ready}/environments/production/strategies`, { name: 'default' });
  await create({ age: 6 });

  expect((await findFeatures('no-strategies')).toSorted()).toEqual([bare, disabledFeature].toSorted());
});

test('finds a feature that depends on archived features, and lists them', async () => {
  const [child, parent, activeParent] = [await create(), await create(), await create()];
  for (const parentName of [parent, activeParent])
    await sql`insert into feature_dependencies (child, parent) values (${child}, ${parentName})`.execute(
      harness.db,
    );
  expect(await findFeatures('archived-parent')).toEqual([]);

  await sql`update features set archived_at = now() where name = ${parent}`.execute(harness.db);

  expect((await readHealth('?rule=IS:archived-parent')).findings).toMatchObject([
    { feature: child, evidence: { archivedParents: [parent] }, points: 0 },
  ]);
});

test('finds a copy that is still identical to its source after 30 days', async () => {
  const [source, copy] = [await create({ age: 40 }), await create({ age: 35 })];
  await sql`
    insert into events (created_at, group_id, type, created_by, project, feature_name, data)
    values (now() - interval '31 days', 'x', 'feature-created', 'x', ${project}, ${copy},
      ${JSON.stringify({ name: copy, clonedFrom: { project, feature: source } })}::jsonb)`.execute(
    harness.db,
  );
  const add = (name: string, rollout: string) =>
    post(`/features/${name}/environments/production/strategies`, {
      name: 'flexibleRollout',
      parameters: { rollout },
    });
  await add(source, '50');
  expect(await findFeatures('duplicate-of-clone')).toEqual([]);

  const sameStrategy = (await add(copy, '50')).body;
  expect((await readHealth('?rule=IS:duplicate-of-clone')).findings).toMatchObject([
    { feature: copy, evidence: { clonedFrom: source } },
  ]);

  await call(
    harness.app,
    'PUT',
    path(`/features/${copy}/environments/production/strategies/${sameStrategy.id}`),
    {
      body: { name: 'flexibleRollout', parameters: { rollout: '51' } },
    },
  );
  expect(await findFeatures('duplicate-of-clone')).toEqual([]);
});

test('finds an unused segment of the project and lists the features that refer to it', async () => {
  const name = uniqueName('segment');
  const { id } = (
    await call(harness.app, 'POST', '/api/admin/segments', { body: { name, project, constraints: [] } })
  ).body;
  const findUnusedSegments = async () => (await readHealth('?rule=IS:unused-segment')).findings;
  expect(await findUnusedSegments()).toMatchObject([
    { id: `unused-segment:${id}`, feature: null, segment: { id, name }, evidence: { references: [] } },
  ]);

  const featureName = await create();
  const strategy = { name: 'default', segments: [id] };
  await post(`/features/${featureName}/environments/production/strategies`, strategy);
  expect(await findUnusedSegments()).toEqual([]);

  await post('/archive', { features: [featureName] });
  expect(await findUnusedSegments()).toMatchObject([{ evidence: { references: [featureName] } }]);
});

test('returns pages of findings in a stable order, each with the total', async () => {
  const names = [];
  for (let n = 0; n < 5; n++) names.push(await create({ age: 41 }));
  const response = await readHealth('?rule=IS_ANY_OF:past-lifetime,disabled-everywhere&limit=1000');

  const pages = [];
  for (const offset of [0, 4, 8])
    pages.push(
      await readHealth(`?rule=IS_ANY_OF:past-lifetime,disabled-everywhere&limit=4&offset=${offset}`),
    );

  expect(response.total).toBe(10);
  expect(pages.map(page => page.total)).toEqual([10, 10, 10]);
  expect(pages.flatMap(page => page.findings)).toEqual(response.findings);
  expect((await readHealth(`?feature=IS:${names[0]}&rule=IS:past-lifetime`)).total).toBe(1);
  expect((await readHealth('?rule=IS:stale')).total).toBe(0);
});

test('rejects invalid filters and lists every violation', async () => {
  const response = await call(
    harness.app,
    'GET',
    path('/health?rule=IS:nonsense&snoozed=maybe&limit=0&offset=-1&feature=x'),
  );

  expect(response.status).toBe(400);
  expect(response.body.details.map((detail: { path: string }) => detail.path).toSorted()).toEqual([
    '/query/feature',
    '/query/limit',
    '/query/offset',
    '/query/rule',
    '/query/snoozed',
  ]);
});

test('a snoozed finding is not listed until the snooze ends, and the snooze is recorded', async () => {
  const name = await create({ age: 41 });
  const id = `past-lifetime:${name}`;
  const snoozedUntil = inDays(10);

  const response = await snooze(id, { reason: 'A campaign', until: snoozedUntil });

  expect(response).toMatchObject({
    status: 200,
    body: { reason: 'A campaign', until: snoozedUntil, createdBy: 'admin token' },
  });
  expect(await findFeatures('past-lifetime')).toEqual([]);
  const body = await readHealth('?snoozed=true');
  // Snoozing does not change the feature.
  expect(body.findings).toMatchObject([
    {
      id,
      snooze: { reason: 'A campaign', until: snoozedUntil },
      evidence: { lastChange: { type: 'feature-created' } },
    },
  ]);
  expect(body.health).toBe(0);
  expect(body.rules[1]).toMatchObject({ rule: 'past-lifetime', findings: 0, snoozed: 1, points: 0 });
  expect((await readHealth('?snoozed=all&rule=IS:past-lifetime')).total).toBe(1);
  const { events } = (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${name}&limit=1`))
    .body;
  expect(events).toMatchObject([
    {
      type: 'health-finding-snoozed',
      project,
      data: { rule: 'past-lifetime', feature: name, reason: 'A campaign', until: snoozedUntil },
      preData: null,
    },
  ]);

  await sql`update health_snoozes set until = now() - interval '1 second' where feature_name = ${name}`.execute(
    harness.db,
  );
  expect(await findFeatures('past-lifetime')).toEqual([name]);
});

test('snoozing again replaces the snooze, and unsnoozing ends it', async () => {
  const name = await create({ age: 41 });
  const id = `past-lifetime:${name}`;
  const snoozedUntil = inDays(10);
  const listSnoozeEvents = async () =>
    (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${name}`)).body.events
      .filter(({ type }: { type: string }) => type.startsWith('health-'))
      .map(({ type, data, preData }: Record<string, unknown>) => [type, data, preData]);

  await snooze(id, { reason: 'first', until: snoozedUntil });
  await snooze(id, { reason: 'first', until: snoozedUntil });
  await snooze(id, { reason: 'second', until: snoozedUntil });
  await unsnooze(id);
  await unsnooze(id);

  const state = (reason: string) => ({ rule: 'past-lifetime', feature: name, reason, until: snoozedUntil });
  expect(await listSnoozeEvents()).toEqual([
    ['health-finding-unsnoozed', null, state('second')],
    ['health-finding-snoozed', state('second'), state('first')],
    ['health-finding-snoozed', state('first'), null],
  ]);
  expect(await findFeatures('past-lifetime')).toEqual([name]);
});

test('a segment with a snoozed finding can be deleted', async () => {
  const { id } = (
    await call(harness.app, 'POST', '/api/admin/segments', {
      body: { name: uniqueName('segment'), project, constraints: [] },
    })
  ).body;

  expect((await snooze(`unused-segment:${id}`, { reason: 'soon', until: inDays(1) })).status).toBe(200);
  expect((await readHealth('?rule=IS:unused-segment')).total).toBe(0);
  expect((await call(harness.app, 'DELETE', `/api/admin/segments/${id}`)).status).toBe(204);
});

test.each([
  ['a time in the past', { reason: 'x', until: '2020-01-01T00:00:00Z' }, 400],
  ['a time more than 366 days ahead', { reason: 'x', until: inDays(367) }, 400],
  ['a leap second', { reason: 'x', until: '2016-12-31T23:59:60Z' }, 400],
  ['a missing reason', { until: inDays(1) }, 400],
  ['an unknown field', { reason: 'x', until: inDays(1), forever: true }, 400],
])('rejects a snooze with %s', async (_, body, status) => {
  const name = await create({ age: 41 });

  expect((await snooze(`past-lifetime:${name}`, body)).status).toBe(status);
});

test('responds with 404 when snoozing a finding that does not exist', async () => {
  const name = await create();
  const body = { reason: 'x', until: inDays(1) };

  expect((await snooze(`past-lifetime:${name}`, body)).status).toBe(404);
  expect((await snooze('past-lifetime:nope', body)).status).toBe(404);
  expect((await snooze('unused-segment:999999', body)).status).toBe(404);
  expect((await snooze('unused-segment:99999999999', body)).status).toBe(404);
  expect((await snooze(`nonsense:${name}`, body)).status).toBe(400);
});

test('snoozing waits for a concurrent change to the feature and sees its result', async () => {
  const name = await create({ age: 41 });
  let hasResponse = false;
  let pendingSnooze: Promise<{ status: number }> | undefined;

  await harness.db.transaction().execute(async tx => {
    await sql`select from features where name = ${name} for update`.execute(tx);
    pendingSnooze = snooze(`past-lifetime:${name}`, { reason: 'x', until: inDays(1) }).then(response => {
      hasResponse = true;
      return response;
    });
    await waitForLockWaiters(harness.db);
    expect(hasResponse).toBe(false);
    await sql`update features set stale = true where name = ${name}`.execute(tx);
  });

  expect((await pendingSnooze)?.status).toBe(404);
});

test('a member can snooze findings, but a reader cannot', async () => {
  const name = await create({ age: 41 });
  const [member, reader] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
  await makeMember(harness.db, member, project, 'Member');
  await makeMember(harness.db, reader, project, 'Reader');
  const body = { reason: 'x', until: inDays(1) };

  expect((await snooze(`past-lifetime:${name}`, body, reader.token)).status).toBe(403);
  expect((await snooze(`past-lifetime:${name}`, body, member.token)).status).toBe(200);
});

test('the number of statements does not depend on the number of findings', async () => {
  await create({ age: 41 });
  const countStatements = async () => {
    const statementsBefore = harness.statements.length;
    await readHealth('?limit=1000');
    return harness.statements.length - statementsBefore;
  };
  await countStatements();
  const countForOne = await countStatements();
  for (let n = 0; n < 10; n++) await create({ age: 41 });

  expect(await countStatements()).toBe(countForOne);
});
