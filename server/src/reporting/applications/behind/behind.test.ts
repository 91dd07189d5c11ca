import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { makeApiToken, makeFeature, makeProject, makeUser } from '../../../test/factories.ts';
import { useHarness } from '../../../test/harness.ts';
import { call } from '../../../test/request.ts';
import { startWriteLoop, type WriteLoop } from '../../reach/write-loop.ts';
import { insertApplications, upsertInstances } from '../store.ts';

const harness = useHarness();
const APPLICATIONS = '/api/admin/metrics/applications';
let writeLoop: WriteLoop;
let application: string;
let token: string;
let etag: string;

beforeAll(async () => {
  const { app, db } = harness;
  writeLoop = startWriteLoop(app.reach, app.serving, db, app.log, app.metrics);
  await makeProject(db, { id: 'other' });
  await makeFeature(db, 'default', { name: 'flag' });
  await makeFeature(db, 'other', { name: 'other-flag' });
});
afterAll(() => writeLoop.stop());

/** Creates an application with one instance that is up to date. */
beforeEach(async () => {
  const { db } = harness;
  application = `shop-${Math.random()}`;
  await db.transaction().execute(tx => insertApplications(tx, [{ name: application, token: 0 }], 1_000));
  const instance = { environment: 'development', instanceId: 'pod', sdkVersion: null, isFrontend: false };
  await upsertInstances(db, [
    { ...instance, application, strategies: undefined, seenAt: Date.now(), token: 0 },
  ]);
  const fields = { tokenName: application, type: 'backend' as const, environment: 'development' };
  token = (await makeApiToken(db, { ...fields, projects: ['default'] })).secret;
  await harness.app.serving.refresh();
  etag = await poll();
  await poll(etag);
  await eventually(async () => {
    const { rows } = await sql`
      select from reach_instances where application = ${application} and revision > 0`.execute(db);
    expect(rows).toHaveLength(1);
  });
});

/** Waits, because a server writes what instances have presented only every 250 ms. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 100 });

async function poll(presented?: string): Promise<string> {
  const { headers } = await harness.app.sdk.inject({
    url: '/api/client/features',
    headers: {
      authorization: token,
      'unleash-connection-id': application,
      'unleash-appname': application,
      'unleash-instanceid': 'pod',
      ...(presented !== undefined && { 'if-none-match': presented }),
    },
  });
  return String(headers.etag);
}

/** Changes a flag, and backdates this change and all earlier changes by at least this many minutes. */
async function changeFlag(minutes: number, project = 'default', name = 'flag'): Promise<void> {
  const path = `/api/admin/projects/${project}/features/${name}/environments/development`;
  const toggle = await call(harness.app, 'POST', `${path}/on`);
  if (toggle.headers['halyard-revision'] === undefined) await call(harness.app, 'POST', `${path}/off`);
  await harness.app.serving.refresh();
  await sql`
    update sdk_publications set published_at = least(published_at, now() - ${minutes} * interval '1 minute')`.execute(
    harness.db,
  );
}

const updateInstance = async (fields: RawBuilder<unknown>): Promise<void> =>
  void (await sql`update reach_instances set ${fields} where application = ${application}`.execute(
    harness.db,
  ));

const findBehind = async () => {
  const { status, body } = await call(harness.app, 'GET', `${APPLICATIONS}/${application}/overview`);
  expect(status).toBe(200);
  const list = await call(harness.app, 'GET', `${APPLICATIONS}?query=${application}`);
  const { instancesBehind } = body.environments[0].issues;
  expect(list.body.applications).toMatchObject([{ instancesBehind: instancesBehind.length }]);
  return instancesBehind;
};

test('finds an instance that polls but does not pick up a change, until it presents the change', async () => {
  await changeFlag(20);
  expect(await findBehind()).toEqual([
    {
      instanceId: 'pod',
      revision: expect.any(Number),
      since: expect.any(String),
      lastSeen: expect.any(String),
    },
  ]);

  const newEtag = await poll(etag);
  await writeLoop.flush();
  expect(await findBehind()).toHaveLength(1);

  await poll(newEtag);
  await eventually(async () => expect(await findBehind()).toEqual([]));
});

test('invented instances do not hide the instances of other tokens', async () => {
  await changeFlag(20);
  await sql`
    insert into reach_instances (token_id, connection_id, environment, projects, application, instance, epoch, revision,
      is_streaming, interval_seconds, seen_at, server_id)
    select kept.token_id - 100000, 'made-up-' || n, environment, projects, 'made-up', 'pod-' || n, epoch,
      1 + n % greatest(kept.revision - 1, 1), false, 15, now(), server_id
    from reach_instances as kept cross join generate_series(1, 6000) as n
    where application = ${application}`.execute(harness.db);
  // Sorts the table, so that a scan reaches the row of the real instance last.
  await sql`cluster reach_instances using reach_instances_pkey`.execute(harness.db);

  expect(await findBehind()).toMatchObject([{ instanceId: 'pod' }]);

  await sql`delete from reach_instances where application = 'made-up'`.execute(harness.db);
});

test('`since` is the time of the first change that the instance lacks', async () => {
  await changeFlag(30);
  await changeFlag(15);

  const [{ since, lastSeen }] = await findBehind();

  expect(Date.parse(lastSeen) - Date.parse(since)).toBeGreaterThan(20 * 60_000);
});

test('finds no instance if nothing has changed', async () => {
  expect(await findBehind()).toEqual([]);
});

test.each([
  ['whose 10 minutes to pick up a change are not over', 9, sql`revision = revision`],
  ['that polls every 5 minutes and has not had time for three polls', 14, sql`interval_seconds = 300`],
  ['that was not seen after the change', 11, sql`seen_at = now() - interval '4 minutes'`],
  ['that is silent', 90, sql`seen_at = now() - interval '6 minutes'`],
  ['that streams', 20, sql`is_streaming = true`],
  ['that presents no revision', 20, sql`revision = 0`],
  ['that presented a revision of a different history', 20, sql`epoch = 'another'`],
])('does not find an instance %s', async (_, minutes, fields) => {
  await changeFlag(minutes);

  await updateInstance(fields);

  expect(await findBehind()).toEqual([]);
});

test('finds an instance that polls every 5 minutes and has had time for three polls', async () => {
  await changeFlag(30);

  await updateInstance(sql`interval_seconds = 300`);

  expect(await findBehind()).toHaveLength(1);
});

test('a change in a different project does not put an instance behind', async () => {
  await changeFlag(20, 'other', 'other-flag');
  expect(await findBehind()).toEqual([]);

  await changeFlag(20);

  expect(await findBehind()).toHaveLength(1);
});

test('finds an instance whose first missing changes are no longer stored', async () => {
  await changeFlag(20);
  await changeFlag(20);
  await updateInstance(sql`revision = 1`);
  await sql`delete from sdk_publications where revision < (select max(revision) from sdk_publications)`.execute(
    harness.db,
  );

  expect(await findBehind()).toHaveLength(1);
});

test('hides instances of an application that the caller cannot see', async () => {
  const { db } = harness;
  await changeFlag(11);
  await makeProject(db, { id: application, mode: 'private' });
  await makeFeature(db, application, { name: application });
  await sql`
    with feature as (insert into metric_features (name) values (${application}) returning id),
      environment as (insert into metric_environments (name) values (${application}) returning id)
    insert into application_features (application_id, feature_id, environment_id, seen_at)
    select applications.id, feature.id, environment.id, now() from applications, feature, environment
    where applications.name = ${application}`.execute(db);
  const { token: outsider } = await makeUser(db, 'Editor');
  const get = (path: string) => call(harness.app, 'GET', `${APPLICATIONS}${path}`, { token: outsider });

  expect((await get(`/${application}/overview`)).status).toBe(404);
  expect((await get(`?query=${application}`)).body.applications).toEqual([]);
});
