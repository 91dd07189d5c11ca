import { makeUsage } from '@halyard/plane/counting/usage.ts';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeApiToken, makeFeature, makeProject, makeUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { makeFlusher } from '../metrics/flush.ts';
import { cleanUpReach } from './clean-up.ts';
import type { EventReach } from './schema.ts';
import { startWriteLoop, type WriteLoop } from './write-loop.ts';

const harness = useHarness();
const ADMIN_PATH = '/api/admin';
let writeLoop: WriteLoop;

beforeAll(() => {
  const { app, db } = harness;
  writeLoop = startWriteLoop(app.reach, app.serving, db, app.log, app.metrics);
});
afterAll(() => writeLoop.stop());

const request = async (method: 'GET' | 'POST', url: string, authorization = ADMIN_TOKEN) =>
  await harness.app.inject({ method, url, headers: { authorization } });

const readReach = async (event: number, query = ''): Promise<EventReach> => {
  await writeLoop.flush();
  const response = await request('GET', `${ADMIN_PATH}/events/${event}/reach${query}`);
  expect(response.statusCode).toBe(200);
  return response.json();
};

/** Toggles a flag and returns the id of the event. */
async function toggle(name: string, project = 'default', environment = 'development'): Promise<number> {
  const path = `${ADMIN_PATH}/projects/${project}/features/${name}/environments/${environment}`;
  const response = await request('POST', `${path}/on`);
  if (response.headers['halyard-revision'] === undefined) await request('POST', `${path}/off`);
  await harness.app.serving.refresh();
  const events = await request('GET', `${ADMIN_PATH}/search/events?feature=IS:${name}&limit=1`);
  return events.json().events[0].id;
}

/** Polls as an SDK does. Returns the ETag of the response. */
async function poll(token: string, connection: string, etag?: string, headers = {}): Promise<string> {
  const response = await harness.app.sdk.inject({
    url: '/api/client/features',
    headers: {
      authorization: token,
      'unleash-connection-id': connection,
      'unleash-appname': 'shop',
      'unleash-instanceid': `pod-${connection}`,
      'unleash-client-spec': '5.2.0',
      ...(etag !== undefined && { 'if-none-match': etag }),
      ...headers,
    },
  });
  expect([200, 304]).toContain(response.statusCode);
  return String(response.headers.etag);
}

const makeToken = async (projects: string[] = ['*'], environment = 'development'): Promise<string> => {
  const fields = { tokenName: `t${Math.random()}`, type: 'backend' as const, environment, projects };
  const { secret } = await makeApiToken(harness.db, fields);
  await harness.app.serving.refresh();
  return secret;
};

test('an instance counts as up to date once it sends back the new revision, not when the server sends it', async () => {
  await makeFeature(harness.db, 'default', { name: 'first' });
  const token = await makeToken();
  const etagBefore = await poll(token, 'a');
  await poll(token, 'a', etagBefore);
  const event = await toggle('first');

  expect(await readReach(event)).toMatchObject({
    state: 'behind',
    liveSince: null,
    total: 1,
    environments: [{ environment: 'development', instances: 1, live: 0, behind: 1, firstAt: null }],
    missing: [{ application: 'shop', instance: 'pod-a', environment: 'development', streaming: false }],
  });

  const etagAfter = await poll(token, 'a', etagBefore);
  expect(await readReach(event)).toMatchObject({ state: 'behind', total: 1 });

  await poll(token, 'a', etagAfter);
  const reach = await readReach(event);
  expect(reach).toMatchObject({ state: 'live', total: 0, missing: [] });
  expect(reach.environments[0]?.firstAt).toBe(reach.environments[0]?.lastAt);
  expect(reach.liveSince).toBe(reach.environments[0]?.lastAt);
});

test('a change affects only instances whose token covers the changed project', async () => {
  await makeProject(harness.db, { id: 'reach-a' });
  await makeProject(harness.db, { id: 'reach-b' });
  await makeFeature(harness.db, 'reach-a', { name: 'in-a' });
  await makeFeature(harness.db, 'reach-b', { name: 'in-b' });
  const [a, b] = [await makeToken(['reach-a']), await makeToken(['reach-b'])];
  await poll(a, 'of-a', await poll(a, 'of-a'));
  await poll(b, 'of-b', await poll(b, 'of-b'));

  const reach = await readReach(await toggle('in-a', 'reach-a'), '?limit=1000');

  const instanceNames = reach.missing.map(({ instance }) => instance);
  expect(instanceNames).toContain('pod-of-a');
  expect(instanceNames).not.toContain('pod-of-b');
});

test('an instance that requests only some flags counts as up to date with changes to other flags after its next poll', async () => {
  await makeFeature(harness.db, 'default', { name: 'prefix-one' });
  const token = await makeToken();
  const url = '/api/client/features?namePrefix=prefix-';
  const pollFiltered = async (etag?: string) =>
    await harness.app.sdk.inject({
      url,
      headers: {
        authorization: token,
        'unleash-connection-id': 'filtered',
        'unleash-instanceid': 'pod-filtered',
        ...(etag !== undefined && { 'if-none-match': etag }),
      },
    });
  const etag = String((await pollFiltered()).headers.etag);
  await makeFeature(harness.db, 'default', { name: 'other' });
  const event = await toggle('other');
  expect((await readReach(event, '?limit=1000')).missing.map(entry => entry.instance)).toContain(
    'pod-filtered',
  );

  expect((await pollFiltered(etag)).statusCode).toBe(304);

  expect((await readReach(event, '?limit=1000')).missing.map(entry => entry.instance)).not.toContain(
    'pod-filtered',
  );
});

test('an instance that sends an invented revision, or one from a different epoch or scope, does not count as up to date', async () => {
  await makeFeature(harness.db, 'default', { name: 'forged' });
  const token = await makeToken();
  const etag = await poll(token, 'liar');
  await poll(token, 'liar', etag);
  const event = await toggle('forged');
  const [, scope, revision] = etag.replaceAll('"', '').split('.');

  for (const tag of [
    `"other.${scope}.${Number(revision) + 1}"`,
    `"${etag.split('.')[0]?.slice(1)}.x.99"`,
    '*',
  ])
    await poll(token, 'liar', tag);

  expect((await readReach(event, '?limit=1000')).missing.map(entry => entry.instance)).toContain('pod-liar');
});

test('?wait returns when the change is live or the wait times out', async () => {
  await makeFeature(harness.db, 'default', { name: 'awaited' });
  const token = await makeToken(['default'], 'production');
  const etagBefore = await poll(token, 'slow');
  await poll(token, 'slow', etagBefore);
  const event = await toggle('awaited', 'default', 'production');

  expect(await readReach(event, '?wait=1')).toMatchObject({ state: 'behind', total: 1 });

  const pendingReach = readReach(event, '?wait=60');
  await poll(token, 'slow', await poll(token, 'slow', etagBefore));
  expect(await pendingReach).toMatchObject({ state: 'live', total: 0 });
});

test('the state is `unchanged` if a change does not affect SDKs', async () => {
  await makeFeature(harness.db, 'default', { name: 'described' });
  await harness.app.inject({
    method: 'PUT',
    url: `${ADMIN_PATH}/projects/default/features/described`,
    headers: { authorization: ADMIN_TOKEN },
    payload: { description: 'New', type: 'release' },
  });
  const events = await request('GET', `${ADMIN_PATH}/search/events?feature=IS:described&limit=1`);

  expect(await readReach(events.json().events[0].id)).toMatchObject({ state: 'unchanged', environments: [] });
});

test('counts requests from browsers', async () => {
  await makeFeature(harness.db, 'default', { name: 'in-browsers' });
  const fields = { tokenName: 'page', type: 'frontend' as const, environment: 'development' };
  const { secret } = await makeApiToken(harness.db, fields);
  const event = await toggle('in-browsers');
  const reachBefore = await readReach(event);

  const url = '/api/frontend';
  await harness.app.sdk.inject({ url, headers: { authorization: secret } });
  // Request counts are written together with the next instance, so make one poll.
  await poll(await makeToken(), 'with-browsers');
  const reachAfter = await readReach(event);

  expect(reachAfter.environments[0]?.requests).toBe((reachBefore.environments[0]?.requests ?? 0) + 1);
});

test.each([
  ['/reach?wait=0', 400, 'wait must be an integer from 1 to 60'],
  ['/reach?wait=61', 400, 'wait must be an integer from 1 to 60'],
  ['/reach?wait=soon', 400, 'wait must be an integer from 1 to 60'],
  ['/reach?limit=1001', 400, 'limit must be an integer from 1 to 1000'],
])('rejects %s with %i', async (path, status, message) => {
  const response = await request('GET', `${ADMIN_PATH}/events/1${path}`);

  expect(response.statusCode).toBe(status);
  expect(response.json().details[0].message).toBe(message);
});

test('returns 404 for an unknown event', async () => {
  const response = await request('GET', `${ADMIN_PATH}/events/999999999/reach`);

  expect(response.statusCode).toBe(404);
});

test('the instances of a killed server count as behind until another server has been up long enough', async () => {
  const { db } = harness;
  await makeFeature(db, 'default', { name: 'orphaned' });
  const token = await makeToken();
  await poll(token, 'orphan', await poll(token, 'orphan'));
  const event = await toggle('orphaned');
  await writeLoop.flush();
  const countOrphans = async () =>
    (await readReach(event, '?limit=1000')).missing.filter(({ instance }) => instance === 'pod-orphan')
      .length;
  // The server that this instance was connected to was killed an hour ago.
  await sql`insert into reach_servers (id, started_at, alive_since, seen_at)
    values ('killed', now() - interval '2 hours', now() - interval '2 hours', now() - interval '1 hour')`.execute(
    db,
  );
  await sql`update reach_instances set server_id = 'killed', seen_at = now() - interval '1 hour'
    where instance = 'pod-orphan'`.execute(db);
  await sql`update reach_servers set started_at = now() - interval '3 hours' where id <> 'killed'`.execute(
    db,
  );

  // This server was already running when the other one died. The instance might be unable to reach this server, so the instance
  // still counts as behind.
  expect(await countOrphans()).toBe(1);

  await sql`update reach_servers set started_at = now() - interval '4 minutes', alive_since = now() - interval '4 minutes'
    where id <> 'killed'`.execute(db);
  expect(await countOrphans()).toBe(1);

  await sql`update reach_servers set started_at = now() - interval '50 minutes', alive_since = now() - interval '6 minutes'
    where id <> 'killed'`.execute(db);
  expect(await countOrphans()).toBe(0);
});

test('returns 404 for an event of a private project that the caller cannot read', async () => {
  await makeProject(harness.db, { id: 'reach-private', mode: 'private' });
  await makeFeature(harness.db, 'reach-private', { name: 'private-flag' });
  const event = await toggle('private-flag', 'reach-private');
  const { token } = await makeUser(harness.db, 'Editor');

  const response = await request('GET', `${ADMIN_PATH}/events/${event}/reach`, token);

  expect(response.statusCode).toBe(404);
});

test('an instance whose row was deleted is written again when it is next seen', async () => {
  await makeFeature(harness.db, 'default', { name: 'restored' });
  const token = await makeToken();
  const etagBefore = await poll(token, 'lost', await poll(token, 'lost'));
  await writeLoop.flush();
  await sql`delete from reach_instances where instance = 'pod-lost'`.execute(harness.db);

  const event = await toggle('restored');
  const etagAfter = await poll(token, 'lost', etagBefore);
  await poll(token, 'lost', etagAfter);
  await writeLoop.flush();
  await poll(token, 'lost', etagBefore);

  const { environments } = await readReach(event);
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from reach_instances where instance = 'pod-lost'`.execute(harness.db);
  expect(rows[0]?.count).toBe(1);
  expect(environments[0]?.instances).toBeGreaterThan(0);
});

test('deletes changes after 30 days, and instances not seen for 10 minutes', async () => {
  const { db } = harness;
  await makeFeature(db, 'default', { name: 'old-change' });
  const token = await makeToken();
  await poll(token, 'old', await poll(token, 'old'));
  const event = await toggle('old-change');
  await writeLoop.flush();
  await sql`update sdk_publications set published_at = now() - interval '31 days'
    where change_id = (select group_id from events where id = ${event})`.execute(db);
  await sql`update reach_instances set seen_at = now() - interval '11 minutes' where instance = 'pod-old'`.execute(
    db,
  );
  await sql`update reach_servers set started_at = now() - interval '3 days', alive_since = now() - interval '3 days'`.execute(
    db,
  );

  expect(await cleanUpReach(db)).toBeGreaterThanOrEqual(2);

  expect(await readReach(event)).toMatchObject({ state: 'unchanged' });
});

test('hides the names of applications that use only projects the caller cannot read', async () => {
  const { db } = harness;
  await makeProject(db, { id: 'reach-hidden', mode: 'private' });
  await makeFeature(db, 'reach-hidden', { name: 'hidden-flag' });
  await makeFeature(db, 'default', { name: 'open-flag' });
  const usage = makeUsage(new Registry(), () => true);
  for (const [appName, name] of [
    ['hidden-shop', 'hidden-flag'],
    ['open-shop', 'open-flag'],
  ] as const)
    void usage.report(
      { id: 1, type: 'backend', environment: 'development', projects: undefined },
      {},
      { appName, instanceId: 'pod', bucket: { stop: Date.now(), toggles: { [name]: { yes: 1, no: 0 } } } },
    );
  await makeFlusher(db, usage).flush();
  const token = await makeToken();
  for (const name of ['hidden-shop', 'open-shop']) {
    const nameHeader = { 'unleash-appname': name };
    await poll(token, name, await poll(token, name, undefined, nameHeader), nameHeader);
  }
  const event = await toggle('open-flag');
  const { token: outsider } = await makeUser(db, 'Editor');

  const fullReach = await readReach(event, '?limit=1000');
  const outsiderReach: EventReach = (
    await request('GET', `${ADMIN_PATH}/events/${event}/reach?limit=1000`, outsider)
  ).json();

  const listShops = ({ missing }: EventReach) =>
    missing.filter(entry => entry.application === null || entry.application.endsWith('-shop'));
  expect(listShops(fullReach)).toMatchObject([
    { application: 'hidden-shop', instance: 'pod-hidden-shop' },
    { application: 'open-shop', instance: 'pod-open-shop' },
  ]);
  expect(listShops(outsiderReach)).toMatchObject([
    { application: null, instance: null, environment: 'development' },
    { application: 'open-shop', instance: 'pod-open-shop' },
  ]);
  expect(JSON.stringify(outsiderReach)).not.toContain('hidden-shop');
  expect(outsiderReach.total).toBe(fullReach.total);
});

test('a change is live only once every edge has reported it or has been replaced', async () => {
  // Deletes the instances from earlier tests, which are behind.
  await writeLoop.flush();
  await sql`delete from reach_instances`.execute(harness.db);
  await sql`update reach_servers set ignored_at = null`.execute(harness.db);
  await makeFeature(harness.db, 'default', { name: 'behind-edge' });
  const token = await makeToken(['*'], 'production');
  const fields = { tokenName: 'edge', type: 'edge' as const, environment: 'production', projects: ['*'] };
  const edge = await makeApiToken(harness.db, fields);
  const event = await toggle('behind-edge', 'default', 'production');
  await poll(token, 'served', await poll(token, 'served'));
  const { environments } = await readReach(event);
  const revision = environments.find(environment => environment.environment === 'production')?.revision ?? 0;
  expect((await readReach(event)).state).toBe('live');
  const upsertEdge = (id: string, reportedRevision: number, seenAgo: string, createdAgo = '3 hours') =>
    sql`
    insert into edges (id, token_id, version, epoch, revision, age_seconds, clients, created_at, seen_at)
    select ${id}, ${edge.id}, '', database_epoch.id, ${reportedRevision}, 0, 0,
      now() - ${createdAgo}::interval, now() - ${seenAgo}::interval from database_epoch
    on conflict (id) do update set revision = excluded.revision, seen_at = excluded.seen_at`.execute(
      harness.db,
    );

  // Since its last report, the edge may have served the earlier revision to an instance.
  await upsertEdge('one', revision - 1, '0 seconds');
  expect((await readReach(event)).state).toBe('unknown');
  await upsertEdge('one', revision, '0 seconds');
  expect((await readReach(event)).state).toBe('live');

  // The edge may serve unknown instances, until an edge that started later replaces it.
  await upsertEdge('one', revision, '2 hours');
  expect((await readReach(event)).state).toBe('unknown');
  await upsertEdge('two', revision, '0 seconds', '1 hour');
  expect((await readReach(event)).state).toBe('live');
});
