import { once } from 'node:events';
import { get as httpGet } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SYSTEM } from '../actor.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';
import { strictSerializer } from '../test/strict-serializer.ts';
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

/** The report goes out as text, past the serializer that all other answers go through in tests. */
function expectToFitItsSchema(report: unknown): void {
  const { buildSerializer } = strictSerializer.schemaController.compilersFactory;
  buildSerializer(harness.app.getSchemas())({ schema: { $ref: 'HealthReport#' } })(report);
}

/** Features with everything a feature can have. */
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
  await sql`insert into feature_lifecycles (feature_name, stage, status) values ('parent', 'completed', 'kept')`.execute(
    db,
  );
  await sql`insert into favorite_features (user_id, feature_name) values (${user.id}, 'it''s.a~flag!')`.execute(
    db,
  );
  await sql`
    update feature_environments set last_seen_at = '2026-11-14T23:59:59.9994Z', variants = '[{"name": "v", "weight": 1000}]'
    where feature_name = 'it''s.a~flag!' and environment = 'production'`.execute(db);
}

test('the report tells of each feature what reading it tells, by name, and fits its schema', async () => {
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
  for (const feature of body.features) {
    expect(feature).toEqual((await get(`${id}/features/${feature.name}`, user.token)).body);
  }
  expect(body.features[0]).toMatchObject({ favorite: true, lastSeenAt: '2026-11-14T23:59:59.999Z' });
  expect(body.features[0].environments[1].strategies).toMatchObject([
    { name: 'default', disabled: true },
    { name: 'flexibleRollout', segments: [expect.any(Number)] },
  ]);
});

test('what is sent of strategies follows every change of them', async () => {
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

test('a feature with strategies in several environments can be deleted, and an environment with strategies removed', async () => {
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
  const { rows } = await sql<{ name: string }>`
    select feature_name as name from strategy_texts where feature_name in ('going', 'staying')`.execute(
    harness.db,
  );
  expect(rows).toEqual([{ name: 'staying' }]);
});

test('the report says since when it is deprecated, and what to ask instead', async () => {
  const { headers } = await get('default/health-report');

  expect(headers.deprecation).toMatch(/^@\d{10}$/);
  expect(headers.link).toBe('</api/admin/projects/default/health>; rel="successor-version"');
});

test('members are users with a role, counted once, and favorite is the caller’s own', async () => {
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

test('archived features count nowhere but in the figures of archiving', async () => {
  const { id } = await makeProject(harness.db);
  for (const name of ['kept', 'put-away']) await post(`${id}/features`, { name });
  await post(`${id}/stale`, { features: ['put-away'], stale: true });
  await post(`${id}/archive`, { features: ['put-away'] });

  const { body } = await get(`${id}/health-report`);

  expect(body).toMatchObject({ health: 100, activeCount: 1, staleCount: 0, potentiallyStaleCount: 0 });
  expect(body.features).toHaveLength(1);
  expect(body.stats).toMatchObject({ createdCurrentWindow: 2, archivedCurrentWindow: 1 });
});

test('the windows are the last 30 days and the 30 days before', async () => {
  const { db } = harness;
  const { id } = await makeProject(db);
  const ages = [1, 29, 31, 59, 61];
  for (const age of ages) await post(`${id}/features`, { name: `aged-${age}` });
  for (const age of ages)
    await sql`update features set created_at = now() - ${age} * interval '1 day', archived_at = now() - (${age} - 0.5) * interval '1 day' where name = ${`aged-${age}`}`.execute(
      db,
    );
  await sql`
    insert into events (created_at, group_id, type, created_by, project)
    select now() - days * interval '1 day', 'x', 'project-updated', 'x', ${id} from unnest(array[20, 31, 40, 59, 61]) as days`.execute(
    db,
  );

  const { stats } = (await get(`${id}/health-report`)).body;

  expect(stats).toMatchObject({
    createdCurrentWindow: 2,
    createdPastWindow: 2,
    archivedCurrentWindow: 2,
    archivedPastWindow: 2,
    // project-created, five times feature-created and one that was written here.
    projectActivityCurrentWindow: 7,
    projectActivityPastWindow: 3,
  });
});

test('time to production counts features first activated in the window, in any production environment', async () => {
  const { db } = harness;
  const { id } = await makeProject(db);
  for (const name of ['slow', 'quick', 'long-ago', 'never', 'in-development'])
    await post(`${id}/features`, { name });
  for (const name of ['slow', 'quick', 'long-ago'])
    await post(`${id}/features/${name}/environments/production/on`);
  await post(`${id}/features/in-development/environments/development/on`);
  // Off and on again is not a first time.
  await post(`${id}/features/long-ago/environments/production/off`);
  await sql`update features set created_at = now() - interval '12 days' where name = 'slow'`.execute(db);
  await sql`update features set created_at = now() - interval '3 days' where name = 'quick'`.execute(db);
  await sql`update features set created_at = now() - interval '50 days' where name = 'long-ago'`.execute(db);
  await sql`update feature_environments set first_enabled_at = now() - interval '31 days' where feature_name = 'long-ago' and environment = 'production'`.execute(
    db,
  );
  await post(`${id}/features/long-ago/environments/production/on`);

  expect((await get(`${id}/health-report`)).body.stats.avgTimeToProdCurrentWindow).toBe(7.5);
  const { leadTime } = (await get(`${id}/insights`)).body;
  expect(leadTime.features.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    'long-ago',
    'quick',
    'slow',
  ]);
  expect(leadTime.projectAverage).toBeCloseTo((12 + 3 + 19) / 3, 1);
});

test('a report takes the same statements whatever its size, apart from one fetch for 50 features', async () => {
  const { db } = harness;
  const { id } = await makeProject(db);
  await post(`${id}/features`, { name: 'first' });
  const statements = async () => {
    await sleep(50);
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

test('head and features of a report are of one moment', async () => {
  const { id } = await makeProject(harness.db);
  await post(`${id}/features`, { name: 'before-the-report' });
  const pieces = healthReport(harness.db, SYSTEM, id, new Date());
  const head = String((await pieces.next()).value);

  await post(`${id}/features`, { name: 'after-the-head' });

  let report = head;
  for await (const piece of pieces) report += String(piece);
  expect(JSON.parse(report)).toMatchObject({ activeCount: 1, features: [{ name: 'before-the-report' }] });
});

test('a caller who goes away in the midst of a report leaves no transaction behind', async () => {
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
        where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`.execute(db)
    ).rows[0]?.count;

  const request = httpGet(`${address}${HERE}/${id}/health-report`, {
    headers: { authorization: ADMIN_TOKEN },
  });
  await once(request, 'response');
  await sleep(100);
  const held = await open();
  request.destroy();

  expect(held).toBe(1);
  await expect.poll(open, { timeout: 5_000 }).toBe(0);
});
