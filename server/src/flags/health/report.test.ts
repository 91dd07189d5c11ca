import { once } from 'node:events';
import { get as httpGet } from 'node:http';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { strictSerializer } from '../../test/strict-serializer.ts';
import { healthReport } from './report.ts';

const harness = useHarness();

const HERE = '/api/admin/projects';
const get = (path: string, token?: string) =>
  call(harness.app, 'GET', `${HERE}/${path}`, token === undefined ? {} : { token });
const post = (path: string, body?: unknown, token?: string) =>
  call(harness.app, 'POST', `${HERE}/${path}`, {
    ...(body === undefined ? {} : { body }),
    ...(token === undefined ? {} : { token }),
  });

/** The report is streamed as text and bypasses the strict serializer that checks other responses in tests. */
function expectToFitItsSchema(report: unknown): void {
  const { buildSerializer } = strictSerializer.schemaController.compilersFactory;
  buildSerializer(harness.app.getSchemas())({ schema: { $ref: 'HealthReport#' } })(report);
}

/** Inserts features with every part a feature can have. */
async function fill(project: string, user: TestUser): Promise<void> {
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
  const { body: first } = await post(strategies, {
    name: 'flexibleRollout',
    title: 'A "title"',
    parameters: { rollout: '25', stickiness: 'userId', groupId: 'x' },
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['7', '"'] }],
    variants: [{ name: 'a', weight: 1000, weightType: 'variable', stickiness: 'userId' }],
    segments: [segment],
  });
  const last = (await post(strategies, { name: 'default', disabled: true })).body;
  await post(`${strategies}/set-sort-order`, [
    { id: first.id, sortOrder: 2 },
    { id: last.id, sortOrder: 1 },
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
  await call(harness.app, 'POST', `${HERE}/${project}/features/parent/lifecycle/complete`, {
    body: { status: 'kept', statusValue: 'blue "or" \\ green' },
  });
  // During a rolling upgrade, a server of an older version writes no lifecycle stages.
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

test('returns each feature as GET returns it, by name, and matches the schema', async () => {
  const user = await makeUser(harness.db, 'Admin');
  const { id } = await makeProject(harness.db);
  await fill(id, user);

  const { status, headers, body } = await get(`${id}/health-report`, user.token);

  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expectToFitItsSchema(body);
  expect(body.features.map(({ name }: { name: string }) => name)).toEqual([
    "it's.a~flag!",
    'parent',
    'zz-bare',
  ]);
  const listed = (await get(`${id}/features`, user.token)).body.features;
  for (const [at, feature] of body.features.entries()) {
    expect(feature).toEqual((await get(`${id}/features/${feature.name}`, user.token)).body);
    expect(feature).toEqual(listed[at]);
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
  const inReport = async () => (await get(`${id}/health-report`)).body.features[0].environments[1];
  const read = async () => (await get(`${id}/features/followed/environments/production`)).body;
  const first = (await post(strategies, { name: 'default', segments: [segments[0]] })).body.id;
  await post(strategies, { name: 'default', title: 'second' });
  expect(await inReport()).toEqual(await read());

  await call(harness.app, 'PUT', `${HERE}/${strategies}/${first}`, {
    body: { name: 'flexibleRollout', disabled: true, segments: [segments[1]] },
  });
  expect(await inReport()).toEqual(await read());

  await call(harness.app, 'PUT', `${HERE}/${strategies}/${first}`, { body: { name: 'default' } });
  expect(await inReport()).toEqual(await read());

  for (const { id: gone } of (await read()).strategies)
    await call(harness.app, 'DELETE', `${HERE}/${strategies}/${gone}`);
  expect(await inReport()).toMatchObject({
    strategies: [],
    hasStrategies: false,
    hasEnabledStrategies: false,
  });
});

test('reflects deleting a feature and removing an environment with strategies', async () => {
  const { id } = await makeProject(harness.db);
  for (const name of ['going', 'staying']) {
    await post(`${id}/features`, { name });
    for (const place of ['development', 'production'])
      for (const _ of [1, 2])
        await post(`${id}/features/${name}/environments/${place}/strategies`, { name: 'default' });
  }

  await post(`${id}/archive`, { features: ['going'] });
  expect((await post(`${id}/delete`, { features: ['going'] })).status).toBe(200);
  expect((await call(harness.app, 'DELETE', `${HERE}/${id}/environments/development`)).status).toBe(200);

  const [feature] = (await get(`${id}/health-report`)).body.features;
  expect(feature).toEqual((await get(`${id}/features/staying`)).body);
});

test('sends the Deprecation and Link headers', async () => {
  const { headers } = await get('default/health-report');

  expect(headers.deprecation).toMatch(/^@\d{10}$/);
  expect(headers.link).toBe('</api/admin/projects/default/health>; rel="successor-version"');
});

test('counts each member once and returns the favorite mark of the caller', async () => {
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

test('members and members added count users with a role, directly or through a group, and no service accounts', async () => {
  const { db } = harness;
  const { id } = await makeProject(db);
  const [direct, grouped, too, both, early] = await Promise.all(
    ['direct', 'grouped', 'too', 'both', 'early'].map(() => makeUser(db, 'Viewer')),
  );
  const account = await call(harness.app, 'POST', '/api/admin/service-account', {
    body: { name: 'Robot', username: `robot-of-${id}`, rootRole: 3 },
  });
  const { body: group } = await call(harness.app, 'POST', '/api/admin/groups', {
    body: { name: `group-of-${id}`, users: [grouped, too, both].map(user => ({ user: { id: user?.id } })) },
  });
  const access = await post(`${id}/access`, {
    roles: [5],
    users: [direct, both, early].map(user => user?.id).concat(account.body.id),
    groups: [group.id],
  });
  expect([account.status, access.status]).toEqual([201, 200]);

  expect((await get(`${id}/health-report`)).body).toMatchObject({
    members: 5,
    stats: { projectMembersAddedCurrentWindow: 5 },
  });
  expect((await get(`${id}/insights`)).body.members).toEqual({ currentMembers: 5, change: 5 });

  // A second role does not add a member, and a member from before the window was not added in it.
  await sql`update user_roles set created_at = now() - interval '31 days' where user_id in (${early?.id}, ${both?.id})`.execute(
    db,
  );

  expect((await get(`${id}/health-report`)).body).toMatchObject({
    members: 5,
    stats: { projectMembersAddedCurrentWindow: 3 },
  });
});

test('archived features count only in the archived statistics', async () => {
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
async function happened(
  daysAgo: number,
  type: string,
  event: { project: string; featureName?: string; environment?: string },
): Promise<void> {
  await sql`
    insert into events (created_at, group_id, type, created_by, project, feature_name, environment)
    values (now() - ${daysAgo} * interval '1 day', 'x', ${type}, 'x', ${event.project}, ${event.featureName ?? null},
      ${event.environment ?? null})`.execute(harness.db);
}

test('the windows are the last 30 days and the previous 30 days', async () => {
  const { id: project } = await makeProject(harness.db);
  for (const age of [1, 29, 31, 59, 61]) {
    await happened(age, 'feature-created', { project, featureName: `aged-${age}` });
    await happened(age - 0.5, 'feature-archived', { project, featureName: `aged-${age}` });
  }
  for (const age of [20, 31, 40, 59, 61]) await happened(age, 'project-updated', { project });

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

test('deleting, moving or reviving a feature later does not change past statistics', async () => {
  const [{ id: project }, { id: other }] = [await makeProject(harness.db), await makeProject(harness.db)];
  for (const name of ['deleted-later', 'moved-later', 'revived-later'])
    await post(`${project}/features`, { name });
  for (const name of ['deleted-later', 'moved-later'])
    await post(`${project}/features/${name}/environments/production/on`);
  await post(`${project}/archive`, { features: ['deleted-later', 'revived-later'] });
  const figures = async (of: string) => {
    const { projectActivityCurrentWindow: _, ...stats } = (await get(`${of}/health-report`)).body.stats;
    return stats;
  };
  const before = await figures(project);
  expect(before).toMatchObject({ createdCurrentWindow: 3, archivedCurrentWindow: 2 });

  await post(`${project}/delete`, { features: ['deleted-later'] });
  await post(`${project}/features/moved-later/changeProject`, { newProjectId: other });
  await post(`${project}/revive`, { features: ['revived-later'] });
  await post(`${project}/archive`, { features: ['revived-later'] });

  expect(await figures(project)).toEqual(before);
  expect(await figures(other)).toMatchObject({ createdCurrentWindow: 0, avgTimeToProdCurrentWindow: 0 });
});

test('time to production counts features first enabled in the window, in any production environment', async () => {
  const { id: project } = await makeProject(harness.db);
  const production = (featureName: string) => ({ project, featureName, environment: 'production' });
  for (const [name, createdDaysAgo, ...enabledDaysAgo] of [
    ['slow', 12.2914, 2],
    // Disabling and enabling again does not count.
    ['quick', 5, 3, 1],
    ['long-ago', 50, 31, 1],
    ['never', 20],
    ['deleted', 20, 18],
  ] as [string, number, ...number[]][]) {
    await happened(createdDaysAgo, 'feature-created', { project, featureName: name });
    for (const age of enabledDaysAgo) await happened(age, 'feature-environment-enabled', production(name));
  }
  await happened(4, 'feature-deleted', { project, featureName: 'deleted' });
  // A new feature with the name of a deleted one.
  await happened(3, 'feature-created', { project, featureName: 'deleted' });
  await happened(2.5, 'feature-environment-enabled', {
    project,
    featureName: 'deleted',
    environment: 'development',
  });

  // The average of 10.2914, 2 and 2, rounded once.
  expect((await get(`${project}/health-report`)).body.stats.avgTimeToProdCurrentWindow).toBe(4.8);

  await happened(1, 'feature-environment-enabled', production('deleted'));

  // The same with another 2 days.
  expect((await get(`${project}/health-report`)).body.stats.avgTimeToProdCurrentWindow).toBe(4.1);
});

test('the lead time of insights is the average over all features, rounded once', async () => {
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

test('a report costs a fixed number of statements plus one fetch for every 50 features', async () => {
  const { db } = harness;
  const { id } = await makeProject(db);
  await post(`${id}/features`, { name: 'first' });
  const statements = async () => {
    const before = harness.statements.length;
    await get(`${id}/health-report`);
    return harness.statements.slice(before).filter(text => !text.startsWith('fetch')).length;
  };
  await statements();
  const ofOne = await statements();
  await sql`insert into features (name, project, type) select 'many-' || n, ${id}, 'release' from generate_series(1, 350) as n`.execute(
    db,
  );
  await sql`insert into feature_lifecycles (feature_name, stage) select 'many-' || n, 'initial' from generate_series(1, 350) as n`.execute(
    db,
  );

  expect(await statements()).toBe(ofOne);
  expect((await get(`${id}/health-report`)).body.features).toHaveLength(351);
});

test('reads the overview and the features of a report from one snapshot', async () => {
  const { id } = await makeProject(harness.db);
  await post(`${id}/features`, { name: 'before-the-report' });
  const pieces = healthReport(harness.db, SYSTEM, id, new Date());
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
  const open = async () =>
    (
      await sql<{ count: number }>`
        select count(*) from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`.execute(db)
    ).rows[0]?.count;

  const request = httpGet(`${address}${HERE}/${id}/health-report`, {
    headers: { authorization: ADMIN_TOKEN },
  });
  await once(request, 'response');
  await expect.poll(open).toBe(1);
  request.destroy();

  await expect.poll(open).toBe(0);
});
