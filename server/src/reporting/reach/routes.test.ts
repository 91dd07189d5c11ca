import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUsage } from '../../../../plane/src/counting/usage.ts';
import { makeApiToken, makeFeature, makeProject, makeUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { makeFlusher } from '../metrics/flush.ts';
import { cleanUpReach } from './clean-up.ts';
import { keepWriting, type Writing } from './keep-writing.ts';
import type { EventReach } from './schema.ts';

const harness = useHarness();
const HOST = '/api/admin';
let writing: Writing;

beforeAll(() => {
  const { app, db } = harness;
  writing = keepWriting(app.reach, app.serving, db, app.log, app.metrics);
});
afterAll(() => writing.stop());

const admin = async (method: 'GET' | 'POST', url: string, authorization = ADMIN_TOKEN) =>
  await harness.app.inject({ method, url, headers: { authorization } });

const reachOf = async (event: number, query = ''): Promise<EventReach> => {
  await writing.flush();
  const response = await admin('GET', `${HOST}/events/${event}/reach${query}`);
  expect(response.statusCode).toBe(200);
  return response.json();
};

/** Toggles a flag and returns the event. */
async function toggle(name: string, project = 'default', environment = 'development'): Promise<number> {
  const path = `${HOST}/projects/${project}/features/${name}/environments/${environment}`;
  const on = await admin('POST', `${path}/on`);
  if (on.headers['halyard-revision'] === undefined) await admin('POST', `${path}/off`);
  await harness.app.serving.refresh();
  const events = await admin('GET', `${HOST}/search/events?feature=IS:${name}&limit=1`);
  return events.json().events[0].id;
}

/** A poll as an SDK sends it. Returns the ETag of the response. */
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

const tokenFor = async (projects: string[] = ['*'], environment = 'development'): Promise<string> => {
  const fields = { tokenName: `t${Math.random()}`, type: 'backend' as const, environment, projects };
  const { secret } = await makeApiToken(harness.db, fields);
  await harness.app.serving.refresh();
  return secret;
};

test('an instance has a change when it presents the revision, not when it was sent', async () => {
  await makeFeature(harness.db, 'default', { name: 'first' });
  const token = await tokenFor();
  const before = await poll(token, 'a');
  await poll(token, 'a', before);
  const event = await toggle('first');

  expect(await reachOf(event)).toMatchObject({
    state: 'behind',
    liveSince: null,
    total: 1,
    environments: [{ environment: 'development', instances: 1, live: 0, behind: 1, firstAt: null }],
    missing: [{ application: 'shop', instance: 'pod-a', environment: 'development', streaming: false }],
  });

  const after = await poll(token, 'a', before);
  expect(await reachOf(event)).toMatchObject({ state: 'behind', total: 1 });

  await poll(token, 'a', after);
  const reach = await reachOf(event);
  expect(reach).toMatchObject({ state: 'live', total: 0, missing: [] });
  expect(reach.environments[0]?.firstAt).toBe(reach.environments[0]?.lastAt);
  expect(reach.liveSince).toBe(reach.environments[0]?.lastAt);
});

test('a change affects only instances whose token has its project', async () => {
  await makeProject(harness.db, { id: 'reach-a' });
  await makeProject(harness.db, { id: 'reach-b' });
  await makeFeature(harness.db, 'reach-a', { name: 'in-a' });
  await makeFeature(harness.db, 'reach-b', { name: 'in-b' });
  const [a, b] = [await tokenFor(['reach-a']), await tokenFor(['reach-b'])];
  await poll(a, 'of-a', await poll(a, 'of-a'));
  await poll(b, 'of-b', await poll(b, 'of-b'));

  const reach = await reachOf(await toggle('in-a', 'reach-a'), '?limit=1000');

  const named = reach.missing.map(({ instance }) => instance);
  expect(named).toContain('pod-of-a');
  expect(named).not.toContain('pod-of-b');
});

test('an instance that polls without changes in its scope has the changes of other scopes', async () => {
  await makeFeature(harness.db, 'default', { name: 'prefix-one' });
  const token = await tokenFor();
  const url = '/api/client/features?namePrefix=prefix-';
  const ask = async (etag?: string) =>
    await harness.app.sdk.inject({
      url,
      headers: {
        authorization: token,
        'unleash-connection-id': 'filtered',
        'unleash-instanceid': 'pod-filtered',
        ...(etag !== undefined && { 'if-none-match': etag }),
      },
    });
  const etag = String((await ask()).headers.etag);
  await makeFeature(harness.db, 'default', { name: 'other' });
  const event = await toggle('other');
  expect((await reachOf(event, '?limit=1000')).missing.map(one => one.instance)).toContain('pod-filtered');

  expect((await ask(etag)).statusCode).toBe(304);

  expect((await reachOf(event, '?limit=1000')).missing.map(one => one.instance)).not.toContain(
    'pod-filtered',
  );
});

test('a revision of a different epoch or scope, or a made-up one, proves nothing', async () => {
  await makeFeature(harness.db, 'default', { name: 'forged' });
  const token = await tokenFor();
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

  expect((await reachOf(event, '?limit=1000')).missing.map(one => one.instance)).toContain('pod-liar');
});

test('wait responds when the change is live, or after its time with the instances that are behind', async () => {
  await makeFeature(harness.db, 'default', { name: 'awaited' });
  const token = await tokenFor(['default'], 'production');
  const before = await poll(token, 'slow');
  await poll(token, 'slow', before);
  const event = await toggle('awaited', 'default', 'production');

  expect(await reachOf(event, '?wait=1')).toMatchObject({ state: 'behind', total: 1 });

  const waiting = reachOf(event, '?wait=60');
  await poll(token, 'slow', await poll(token, 'slow', before));
  expect(await waiting).toMatchObject({ state: 'live', total: 0 });
});

test('a change that does not affect SDKs is unchanged, and one that nobody gets is unknown', async () => {
  await makeFeature(harness.db, 'default', { name: 'described' });
  await harness.app.inject({
    method: 'PUT',
    url: `${HOST}/projects/default/features/described`,
    headers: { authorization: ADMIN_TOKEN },
    payload: { description: 'New', type: 'release' },
  });
  const events = await admin('GET', `${HOST}/search/events?feature=IS:described&limit=1`);

  expect(await reachOf(events.json().events[0].id)).toMatchObject({ state: 'unchanged', environments: [] });
});

test('requests of browsers are counted, but not as instances', async () => {
  await makeFeature(harness.db, 'default', { name: 'in-browsers' });
  const fields = { tokenName: 'page', type: 'frontend' as const, environment: 'development' };
  const { secret } = await makeApiToken(harness.db, fields);
  const event = await toggle('in-browsers');
  const before = await reachOf(event);

  const url = '/api/frontend';
  await harness.app.sdk.inject({ url, headers: { authorization: secret } });
  // Written with the next instance.
  await poll(await tokenFor(), 'with-browsers');
  const after = await reachOf(event);

  expect(after.environments[0]?.requests).toBe((before.environments[0]?.requests ?? 0) + 1);
});

test.each([
  ['/reach?wait=0', 400, 'wait must be an integer from 1 to 60'],
  ['/reach?wait=61', 400, 'wait must be an integer from 1 to 60'],
  ['/reach?wait=soon', 400, 'wait must be an integer from 1 to 60'],
  ['/reach?limit=1001', 400, 'limit must be an integer from 1 to 1000'],
])('rejects %s with %i', async (path, status, message) => {
  const response = await admin('GET', `${HOST}/events/1${path}`);

  expect(response.statusCode).toBe(status);
  expect(response.json().details[0].message).toBe(message);
});

test('rejects an event that does not exist with 404', async () => {
  const response = await admin('GET', `${HOST}/events/999999999/reach`);

  expect(response.statusCode).toBe(404);
});

test('a killed server leaves its instances behind until another server has listened long enough', async () => {
  const { db } = harness;
  await makeFeature(db, 'default', { name: 'orphaned' });
  const token = await tokenFor();
  await poll(token, 'orphan', await poll(token, 'orphan'));
  const event = await toggle('orphaned');
  await writing.flush();
  const orphans = async () =>
    (await reachOf(event, '?limit=1000')).missing.filter(({ instance }) => instance === 'pod-orphan').length;
  // The server that knew it was killed an hour ago.
  await sql`insert into reach_servers (id, started_at, alive_since, seen_at)
    values ('killed', now() - interval '2 hours', now() - interval '2 hours', now() - interval '1 hour')`.execute(
    db,
  );
  await sql`update reach_instances set server_id = 'killed', seen_at = now() - interval '1 hour'
    where instance = 'pod-orphan'`.execute(db);
  await sql`update reach_servers set started_at = now() - interval '3 hours' where id <> 'killed'`.execute(
    db,
  );

  // This server was already running, perhaps where the instance cannot reach it.
  expect(await orphans()).toBe(1);

  await sql`update reach_servers set started_at = now() - interval '4 minutes', alive_since = now() - interval '4 minutes'
    where id <> 'killed'`.execute(db);
  expect(await orphans()).toBe(1);

  await sql`update reach_servers set started_at = now() - interval '50 minutes', alive_since = now() - interval '6 minutes'
    where id <> 'killed'`.execute(db);
  expect(await orphans()).toBe(0);
});

test('an event of a private project returns 404 to others', async () => {
  await makeProject(harness.db, { id: 'reach-private', mode: 'private' });
  await makeFeature(harness.db, 'reach-private', { name: 'private-flag' });
  const event = await toggle('private-flag', 'reach-private');
  const { token } = await makeUser(harness.db, 'Editor');

  const response = await admin('GET', `${HOST}/events/${event}/reach`, token);

  expect(response.statusCode).toBe(404);
});

test('an instance whose row is gone is written again when it is heard of', async () => {
  await makeFeature(harness.db, 'default', { name: 'restored' });
  const token = await tokenFor();
  const before = await poll(token, 'lost', await poll(token, 'lost'));
  await writing.flush();
  await sql`delete from reach_instances where instance = 'pod-lost'`.execute(harness.db);

  const event = await toggle('restored');
  const after = await poll(token, 'lost', before);
  await poll(token, 'lost', after);
  await writing.flush();
  await poll(token, 'lost', before);

  const { environments } = await reachOf(event);
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from reach_instances where instance = 'pod-lost'`.execute(harness.db);
  expect(rows[0]?.count).toBe(1);
  expect(environments[0]?.instances).toBeGreaterThan(0);
});

test('deletes changes after 30 days, and instances that were forgotten', async () => {
  const { db } = harness;
  await makeFeature(db, 'default', { name: 'old-change' });
  const token = await tokenFor();
  await poll(token, 'old', await poll(token, 'old'));
  const event = await toggle('old-change');
  await writing.flush();
  await sql`update sdk_publications set published_at = now() - interval '31 days'
    where change_id = (select group_id from events where id = ${event})`.execute(db);
  await sql`update reach_instances set seen_at = now() - interval '11 minutes' where instance = 'pod-old'`.execute(
    db,
  );
  await sql`update reach_servers set started_at = now() - interval '3 days', alive_since = now() - interval '3 days'`.execute(
    db,
  );

  expect(await cleanUpReach(db)).toBeGreaterThanOrEqual(2);

  expect(await reachOf(event)).toMatchObject({ state: 'unchanged' });
});

test('names no application that uses only projects that the caller cannot read', async () => {
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
  const token = await tokenFor();
  for (const name of ['hidden-shop', 'open-shop']) {
    const named = { 'unleash-appname': name };
    await poll(token, name, await poll(token, name, undefined, named), named);
  }
  const event = await toggle('open-flag');
  const { token: outsider } = await makeUser(db, 'Editor');

  const all = await reachOf(event, '?limit=1000');
  const seen: EventReach = (await admin('GET', `${HOST}/events/${event}/reach?limit=1000`, outsider)).json();

  const ofShops = ({ missing }: EventReach) =>
    missing.filter(one => one.application === null || one.application.endsWith('-shop'));
  expect(ofShops(all)).toMatchObject([
    { application: 'hidden-shop', instance: 'pod-hidden-shop' },
    { application: 'open-shop', instance: 'pod-open-shop' },
  ]);
  expect(ofShops(seen)).toMatchObject([
    { application: null, instance: null, environment: 'development' },
    { application: 'open-shop', instance: 'pod-open-shop' },
  ]);
  expect(JSON.stringify(seen)).not.toContain('hidden-shop');
  expect(seen.total).toBe(all.total);
});

test('a change is not live before every edge has reported it or was replaced', async () => {
  // Instances of earlier tests are behind.
  await writing.flush();
  await sql`delete from reach_instances`.execute(harness.db);
  await sql`update reach_servers set ignored_at = null`.execute(harness.db);
  await makeFeature(harness.db, 'default', { name: 'behind-edge' });
  const token = await tokenFor(['*'], 'production');
  const fields = { tokenName: 'edge', type: 'edge' as const, environment: 'production', projects: ['*'] };
  const edge = await makeApiToken(harness.db, fields);
  const event = await toggle('behind-edge', 'default', 'production');
  await poll(token, 'served', await poll(token, 'served'));
  const { environments } = await reachOf(event);
  const revision = environments.find(one => one.environment === 'production')?.revision ?? 0;
  expect((await reachOf(event)).state).toBe('live');
  const set = (id: string, reported: number, seenAgo: string, createdAgo = '3 hours') =>
    sql`
    insert into edges (id, token_id, version, epoch, revision, age_seconds, clients, created_at, seen_at)
    select ${id}, ${edge.id}, '', database_epoch.id, ${reported}, 0, 0,
      now() - ${createdAgo}::interval, now() - ${seenAgo}::interval from database_epoch
    on conflict (id) do update set revision = excluded.revision, seen_at = excluded.seen_at`.execute(
      harness.db,
    );

  // It may have served an instance, with the revision before, since its last report.
  await set('one', revision - 1, '0 seconds');
  expect((await reachOf(event)).state).toBe('unknown');
  await set('one', revision, '0 seconds');
  expect((await reachOf(event)).state).toBe('live');

  // It may serve unknown instances, until an edge that started later has replaced it.
  await set('one', revision, '2 hours');
  expect((await reachOf(event)).state).toBe('unknown');
  await set('two', revision, '0 seconds', '1 hour');
  expect((await reachOf(event)).state).toBe('live');
});
