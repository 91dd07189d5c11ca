import { once } from 'node:events';
import { get as httpGet } from 'node:http';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { strictSerializer } from '../../test/strict-serializer.ts';
import { streamHealthReport } from './report.ts';

const harness = useHarness();

const BASE_PATH = '/api/admin/projects';
const get = (path: string, token?: string) =>
  call(harness.app, 'GET', `${BASE_PATH}/${path}`, token === undefined ? {} : { token });
const post = (path: string, body?: unknown, token?: string) =>
  call(harness.app, 'POST', `${BASE_PATH}/${path}`, {
    ...(body === undefined ? {} : { body }),
    ...(token === undefined ? {} : { token }),
  });

/** Checks the report against its schema. In tests, a strict serializer does this for other responses, but the report is streamed. */
function expectToMatchSchema(report: unknown): void {
  const { buildSerializer } = strictSerializer.schemaController.compilersFactory;
  buildSerializer(harness.app.getSchemas())({ schema: { $ref: 'HealthReport#' } })(report);
}

/** Inserts features with every part a feature can have. */
async function insertFeaturesWithAllParts(project: string, user: TestUser): Promise<void> {
  const { db } = harness;
  await post(
    `${project}/features`,
    { name: "it's.a~flag!", description: 'ein "Häkchen" \\ 🚩\nund mehr' },
    user.token,
  );
  await post(`${project}/features`, { name: 'parent', type: 'kill-switch', impressionData: true });
  await post(`${project}/features`, { name: 'zz-bare' });
  const segment = (
    await call(harness.app, 'POST', '/api/admin/segments', {
      body: { name: `of ${project}`, constraints: [] },
    })
  ).body.id;
  const strategies = `${project}/features/it's.a~flag!/environments/production/strategies`;
  await post(`${project}/features/it's.a~flag!/environments/development/on`);
  const { body: firstStrategy } = await post(strategies, {
    name: 'flexibleRollout',
    title: 'A "title"',
    parameters: { rollout: '25', stickiness: 'userId', groupId: 'x' },
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['7', '"'] }],
    variants: [{ name: 'a', weight: 1000, weightType: 'variable', stickiness: 'userId' }],
    segments: [segment],
  });
  const secondStrategy = (await post(strategies, { name: 'default', disabled: true })).body;
  await post(`${strategies}/set-sort-order`, [
    { id: firstStrategy.id, sortOrder: 2 },
    { id: secondStrategy.id, sortOrder: 1 },
  ]);
  await sql`insert into tags (type, value) values ('simple', 'a "tag"'), ('simple', 'tag') on conflict do nothing`.execute(
    db,
  );
  await sql`insert into feature_tags (feature_name, type, value) values ('it''s.a~flag!', 'simple', 'tag'), ('it''s.a~flag!', 'simple', 'a "tag"')`.execute(
    db,
  );
  await sql`insert into feature_dependencies (child, parent, variants) values ('it''s.a~flag!', 'parent', '["blue"]')`.execute(
    db,
  );
  await sql`insert into feature_links (feature_name, url, title) values ('it''s.a~flag!', 'https://example.com/"', 'A link'), ('it''s.a~flag!', 'https://example.com/2', null)`.execute(
    db,
  );
  await call(harness.app, 'POST', `${BASE_PATH}/${project}/features/parent/lifecycle/complete`, {
    body: { status: 'kept', statusValue: 'blue "or" \\ green' },
  });
  // As if a server without lifecycle stages had created the feature during a rolling upgrade.
  await sql`delete from feature_lifecycles where feature_name = 'zz-bare'`.execute(db);
  await sql`insert into feature_collaborators (feature_name, user_id) values ('zz-bare', 999999)`.execute(db);
  await sql`update features set created_by_user_id = null where name = 'zz-bare'`.execute(db);
  await sql`insert into favorite_features (user_id, feature_name) values (${user.id}, 'it''s.a~flag!')`.execute(
    db,
  );
  await sql`
    update feature_environments set variants = '[{"name": "v", "weight": 1000}]'
    where feature_name = 'it''s.a~flag!' and environment = 'production'`.execute(db);
  await sql`
    insert into feature_last_seen values ('it''s.a~flag!', 'production', '2026-11-14T23:59:59.9994Z')`.execute(
    db,
  );
}

test('returns each feature as GET returns it, sorted by name, and matches the schema', async () => {
  const user = await makeUser(harness.db, 'Admin');
  const { id } = await makeProject(harness.db);
  await insertFeaturesWithAllParts(id, user);

  const { status, headers, body } = await get(`${id}/health-report`, user.token);

  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expectToMatchSchema(body);
  expect(body.features.map(({ name }: { name: string }) => name)).toEqual([
    "it's.a~flag!",
    'parent',
    'zz-bare',
  ]);
  const listedFeatures = (await get(`${id}/features`, user.token)).body.features;
  for (const [index, feature] of body.features.entries()) {
    expect(feature).toEqual((await get(`${id}/features/${feature.name}`, user.token)).body);
    expect(feature).toEqual(listedFeatures[index]);
  }
  expect(body.features[1].lifecycle).toMatchObject({ stage: 'completed', statusValue: 'blue "or" \\ green' });
  expect(body.features[2].lifecycle).toEqual({
    stage: 'initial',
    enteredStageAt: body.features[2].createdAt,
  });
  expect(body.features[0]).toMatchObject({ favorite: true, lastSeenAt: '2026-11-14T23:59:59.999Z' });
  expect(body.features[0].environments[1].strategies).toMatchObject([
    { name: 'default', disabled: true },
    { name: 'flexibleRollout', segments: [expect.any(Number)] },
  ]);
});

test('returns the current strategies after every kind of change', async () => {
  const { id } = await makeProject(harness.db);
  await post(`${id}/features`, { name: 'followed' });
  const strategies = `${id}/features/followed/environments/production/strategies`;
  const segments = await Promise.all(
    ['one', 'two'].map(
      async name =>
        (await call(harness.app, 'POST', '/api/admin/segments', { body: { name, constraints: [] } })).body.id,
    ),
  );
  const readFromReport = async () => (await get(`${id}/health-report`)).body.features[0].environments[1];
  const readEnvironment = async () => (await get(`${id}/features/followed/environments/production`)).body;
  const firstId = (await post(strategies, { name: 'default', segments: [segments[0]] })).body.id;
  await post(strategies, { name: 'default', title: 'second' });
  expect(await readFromReport()).toEqual(await readEnvironment());

  await call(harness.app, 'PUT', `${BASE_PATH}/${strategies}/${firstId}`, {
    body: { name: 'flexibleRollout', disabled: true, segments: [segments[1]] },
  });
  expect(await readFromReport()).toEqual(await readEnvironment());

  await call(harness.app, 'PUT', `${BASE_PATH}/${strategies}/${firstId}`, { body: { name: 'default' } });
  expect(await readFromReport()).toEqual(await readEnvironment());

  for (const { id: strategyId } of (await readEnvironment()).strategies)
    await call(harness.app, 'DELETE', `${BASE_PATH}/${strategies}/${strategyId}`);
  expect(await readFromReport()).toMatchObject({
    strategies: [],
    hasStrategies: false,
    hasEnabledStrategies: false,
  });
});

test('omits a deleted feature and a removed environment', async () => {
  const { id } = await makeProject(harness.db);
  for (const name of ['going', 'staying']) {
    await post(`${id}/features`, { name });
    for (const environmentName of ['development', 'production'])
      for (const _ of [1, 2])
        await post(`${id}/features/${name}/environments/${environmentName}/strategies`, { name: 'default' });
  }

  await post(`${id}/archive`, { features: ['going'] });
  expect((await post(`${id}/delete`, { features: ['going'] })).status).toBe(200);
  expect((await call(harness.app, 'DELETE', `${BASE_PATH}/${id}/environments/development`)).status).toBe(200);

  const [feature] = (await get(`${id}/health-report`)).body.features;
  expect(feature).toEqual((await get(`${id}/features/staying`)).body);
});

test('sends the Deprecation and Link headers', async () => {
  const { headers } = await get('default/health-report');

  expect(headers.deprecation).toMatch(/^@\d{10}$/);
  expect(headers.link).toBe('</api/admin/projects/default/health>; rel="successor-version"');
});

test('counts each member once and returns whether the project is a favorite of the caller', async () => {
  const { db } = harness;
  const { id } = await makeProject(db);
  const [alice, bob] = [await makeUser(db, 'Viewer'), await makeUser(db, 'Viewer')];
  await makeMember(db, alice, id, 'Member');
  await makeMember(db, alice, id, 'Owner');
  await makeMember(db, bob, id, 'Reader');
  await db.insertInto('favorite_projects').values({ user_id: bob.id, project: id }).execute();

  const asAlice = (await get(`${id}/health-report`, alice.token)).body;
  const asBob = (await get(`${id}/health-report`, bob.token)).body;

  expect(asAlice).toMatchObject({ members: 2, favorite: false });
  expect(asBob).toMatchObject({ members: 2, favorite: true });
  expect(asAlice.stats.projectMembersAddedCurrentWindow).toBe(2);
});

test('counts users with a direct or group role as members, but not service accounts', async () => {
  const { db } = harness;
  const { id } = await makeProject(db);
  const [directMember, groupMember, lateGroupMember, memberBothWays, earlyMember] = await Promise.all(
    ['direct', 'grouped', 'too', 'both', 'early'].map(() => makeUser(db, 'Viewer')),
  );
  const account = await call(harness.app, 'POST', '/api/admin/service-account', {
    body: { name: 'Robot', username: `robot-of-${id}`, rootRole: 3 },
  });
  const { body: group } = await call(harness.app, 'POST', '/api/admin/groups', {
    body: {
      name: `group-of-${id}`,
      users: [groupMember, lateGroupMember, memberBothWays].map(user => ({ user: { id: user?.id } })),
    },
  });
  const access = await post(`${id}/access`, {
    roles: [5],
    users: [directMember, memberBothWays, earlyMember].map(user => user?.id).concat(account.body.id),
    groups: [group.id],
  });
  expect([account.status, access.status]).toEqual([201, 200]);

  expect((await get(`${id}/health-report`)).body).toMatchObject({
    members: 5,
    stats: { projectMembersAddedCurrentWindow: 5 },
  });
  expect((await get(`${id}/insights`)).body.members).toEqual({ currentMembers: 5, change: 5 });

  // A second role does not add a member, and a member from before the window does not count as added.
  await sql`update user_roles set created_at = now() - interval '31 days' where user_id in (${earlyMember?.id}, ${memberBothWays?.id})`.execute(
    db,
  );

  expect((await get(`${id}/health-report`)).body).toMatchObject({
    members: 5,
    stats: { projectMembersAddedCurrentWindow: 3 },
  });
});

test('archived features count only in the statistics about creating and archiving', async () => {
  const { id } = await makeProject(harness.db);
  for (const name of ['kept', 'put-away']) await post(`${id}/features`, { name });
  await post(`${id}/stale`, { features: ['put-away'], stale: true });
  await post(`${id}/archive`, { features: ['put-away'] });

  const { body } = await get(`${id}/health-report`);

  expect(body).toMatchObject({ health: 100, activeCount: 1, staleCount: 0, potentiallyStaleCount: 0 });
  expect(body.features).toHaveLength(1);
  expect(body.stats).toMatchObject({ createdCurrentWindow: 2, archivedCurrentWindow: 1 });
});

/** Inserts an event dated the given number of days ago. */
async function insertPastEvent(
  daysAgo: number,
  type: string,
  event: { project: string; featureName?: string; environment?: string },
): Promise<void> {
  await sql`
    insert into events (created_at, group_id, type, created_by, project, feature_name, environment)
    values (now() - ${daysAgo} * interval '1 day', 'x', ${type}, 'x', ${event.project}, ${event.featureName ?? null},
      ${event.environment ?? null})`.execute(harness.db);
}

test('the current window covers the last 30 days, and the past window the 30 days before', async () => {
  const { id: project } = await makeProject(harness.db);
  for (const age of [1, 29, 31, 59, 61]) {
    await insertPastEvent(age, 'feature-created', { project, featureName: `aged-${age}` });
    await insertPastEvent(age - 0.5, 'feature-archived', { project, featureName: `aged-${age}` });
  }
  for (const age of [20, 31, 40, 59, 61]) await insertPastEvent(age, 'project-updated', { project });

  const { stats } = (await get(`${project}/health-report`)).body;

  expect(stats).toMatchObject({
    createdCurrentWindow: 2,
    createdPastWindow: 2,
    archivedCurrentWindow: 2,
    archivedPastWindow: 2,
    // project-created, project-updated, and two features that were created and archived.
    projectActivityCurrentWindow: 6,
    projectActivityPastWindow: 7,
  });
});

test('deleting, moving or reviving a feature does not change earlier statistics', async () => {
  const [{ id: project }, { id: otherProject }] = [
    await makeProject(harness.db),
    await makeProject(harness.db),
  ];
  for (const name of ['deleted-later', 'moved-later', 'revived-later'])
    await post(`${project}/features`, { name });
  for (const name of ['deleted-later', 'moved-later'])
    await post(`${project}/features/${name}/environments/production/on`);
  await post(`${project}/archive`, { features: ['deleted-later', 'revived-later'] });
  const readStats = async (projectId: string) => {
    const { projectActivityCurrentWindow: _, ...stats } = (await get(`${projectId}/health-report`)).body
      .stats;
    return stats;
  };
  const statsBefore = await readStats(project);
  expect(statsBefore).toMatchObject({ createdCurrentWindow: 3, archivedCurrentWindow: 2 });

  await post(`${project}/delete`, { features: ['deleted-later'] });
  await post(`${project}/features/moved-later/changeProject`, { newProjectId: otherProject });
  await post(`${project}/revive`, { features: ['revived-later'] });
  await post(`${project}/archive`, { features: ['revived-later'] });

  expect(await readStats(project)).toEqual(statsBefore);
  expect(await readStats(otherProject)).toMatchObject({
    createdCurrentWindow: 0,
    avgTimeToProdCurrentWindow: 0,
  });
});

test('time to production is the average for features first enabled in production within the window', async () => {
  const { id: project } = await makeProject(harness.db);
  const inProduction = (featureName: string) => ({ project, featureName, environment: 'production' });
  for (const [name, createdDaysAgo, ...enabledDaysAgo] of [
    ['slow', 12.2914, 2],
    // Only the first time that a feature is enabled counts.
    ['quick', 5, 3, 1],
    ['long-ago', 50, 31, 1],
    ['never', 20],
    ['deleted', 20, 18],
  ] as [string, number, ...number[]][]) {
    await insertPastEvent(createdDaysAgo, 'feature-created', { project, featureName: name });
    for (const age of enabledDaysAgo)
      await insertPastEvent(age, 'feature-environment-enabled', inProduction(name));
  }
  await insertPastEvent(4, 'feature-deleted', { project, featureName: 'deleted' });
  // Creates a new feature with the name of the deleted one.
  await insertPastEvent(3, 'feature-created', { project, featureName: 'deleted' });
  await insertPastEvent(2.5, 'feature-environment-enabled', {
    project,
    featureName: 'deleted',
    environment: 'development',
  });

  // The average of 10.2914, 2 and 2, rounded once.
  expect((await get(`${project}/health-report`)).body.stats.avgTimeToProdCurrentWindow).toBe(4.8);

  await insertPastEvent(1, 'feature-environment-enabled', inProduction('deleted'));

  // The same average, with one more feature that took 2 days.
  expect((await get(`${project}/health-report`)).body.stats.avgTimeToProdCurrentWindow).toBe(4.1);
});

test('the lead time in insights is the average over all features and is rounded only once', async () => {
  const { db } = harness;
  const { id } = await makeProject(db);
  for (const [name, days] of [
    ['lead-slow', 10.2914],
    ['lead-quick', 2],
  ] as const) {
    await post(`${id}/features`, { name });
    await post(`${id}/features/${name}/environments/production/on`);
    await sql`
      update features set created_at = first_enabled_at - ${days} * interval '1 day'
      from feature_environments
      where name = ${name} and feature_name = name and environment = 'production'`.execute(db);
  }

  const { leadTime } = (await get(`${id}/insights`)).body;

  expect(leadTime).toEqual({
    projectAverage: 6.1,
    features: [
      { name: 'lead-quick', timeToProduction: 2 },
      { name: 'lead-slow', timeToProduction: 10.3 },
    ],
  });
});

test('apart from cursor fetches, a report takes as many statements for 351 features as for 1', async () => {
  const { db } = harness;
  const { id } = await makeProject(db);
  await post(`${id}/features`, { name: 'first' });
  const countStatements = async () => {
    const statementsBefore = harness.statements.length;
    await get(`${id}/health-report`);
    return harness.statements.slice(statementsBefore).filter(text => !text.startsWith('fetch')).length;
  };
  await countStatements();
  const countForOne = await countStatements();
  await sql`insert into features (name, project, type) select 'many-' || n, ${id}, 'release' from generate_series(1, 350) as n`.execute(
    db,
  );
  await sql`insert into feature_lifecycles (feature_name, stage) select 'many-' || n, 'initial' from generate_series(1, 350) as n`.execute(
    db,
  );

  expect(await countStatements()).toBe(countForOne);
  expect((await get(`${id}/health-report`)).body.features).toHaveLength(351);
});

test('reads the overview and the features of a report from one snapshot', async () => {
  const { id } = await makeProject(harness.db);
  await post(`${id}/features`, { name: 'before-the-report' });
  const pieces = streamHealthReport(harness.db, SYSTEM, id, new Date());
  const head = String((await pieces.next()).value);

  await post(`${id}/features`, { name: 'after-the-head' });

  let report = head;
  for await (const piece of pieces) report += String(piece);
  expect(JSON.parse(report)).toMatchObject({ activeCount: 1, features: [{ name: 'before-the-report' }] });
});

test('a client that disconnects during a report leaves no open transaction', async () => {
  const { db, app } = harness;
  const { id } = await makeProject(db);
  await sql`
    insert into features (name, project, type, description)
    select 'long-' || n, ${id}, 'release', repeat('x', 4000) from generate_series(1, 5000) as n`.execute(db);
  await sql`insert into feature_lifecycles (feature_name, stage) select 'long-' || n, 'initial' from generate_series(1, 5000) as n`.execute(
    db,
  );
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const countOpenTransactions = async () =>
    (
      await sql<{ count: number }>`
        select count(*) from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`.execute(db)
    ).rows[0]?.count;

  const request = httpGet(`${address}${BASE_PATH}/${id}/health-report`, {
    headers: { authorization: ADMIN_TOKEN },
  });
  await once(request, 'response');
  await expect.poll(countOpenTransactions).toBe(1);
  request.destroy();

  await expect.poll(countOpenTransactions).toBe(0);
});
