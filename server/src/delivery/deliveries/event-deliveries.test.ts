import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { useDeliveries } from '../../test/deliveries.ts';
import { makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);

const ids: Record<string, number> = {};
let viewer = '';

const createFeature = async (project: string, name: string): Promise<number> => {
  await call(harness.app, 'POST', `/api/admin/projects/${project}/features`, { body: { name } });
  const { body } = await call(
    harness.app,
    'GET',
    `/api/admin/search/events?feature=IS:${name}&type=IS:feature-created`,
  );
  return body.events[0].id;
};
const getDeliveries = (event: number, token?: string) =>
  call(harness.app, 'GET', `/api/admin/events/${event}/deliveries`, token === undefined ? {} : { token });

beforeAll(async () => {
  const { receiver } = deliveries;
  receiver.respondWith((request, response) => response.writeHead(request.path === '/fail' ? 503 : 204).end());
  await makeProject(harness.db, { id: 'secret', mode: 'private' });
  const events = ['feature-created'];
  const add = async (name: string, path: string, fields: object) => {
    ids[name] = (await deliveries.addWebhook({ events, ...fields }, { url: `${receiver.url}/${path}` })).id;
  };
  await add('ok', 'ok', { description: 'Change log' });
  await add('fail', 'fail', {});
  await add('hidden', 'ok', { filter: { project: 'IS_ANY_OF:default,secret' } });
  viewer = (await makeUser(harness.db, 'Viewer')).token;
});

test('lists the deliveries of an event to all integrations', async () => {
  const event = await createFeature('default', 'delivered');
  for (const id of Object.values(ids)) await deliveries.waitUntilSettled(id);

  const { status, body } = await getDeliveries(event);

  expect(status).toBe(200);
  expect(body.deliveries.map(({ integrationId }: { integrationId: number }) => integrationId)).toEqual([
    ids.hidden,
    ids.fail,
    ids.ok,
  ]);
  expect(body.deliveries[2]).toEqual({
    id: expect.stringMatching(/^\d+$/),
    integrationId: ids.ok,
    provider: 'webhook',
    description: 'Change log',
    createdAt: expect.any(String),
    state: 'success',
    attempts: 1,
    lastStatus: 204,
    nextAttemptAt: null,
  });
  expect(body.deliveries[1]).toMatchObject({
    state: 'failed',
    attempts: 3,
    lastStatus: 503,
    description: null,
  });
});

test('omits integrations that the caller cannot see', async () => {
  const event = await createFeature('default', 'seen');

  const { status, body } = await getDeliveries(event, viewer);

  expect(status).toBe(200);
  expect(body.deliveries.map(({ integrationId }: { integrationId: number }) => integrationId)).toEqual([
    ids.fail,
    ids.ok,
  ]);
});

test('rejects an event that the caller cannot see with 404', async () => {
  const event = await createFeature('secret', 'unseen');

  expect((await getDeliveries(event)).body.deliveries).toHaveLength(3);
  expect((await getDeliveries(event, viewer)).status).toBe(404);
  expect((await getDeliveries(99_999_999, viewer)).status).toBe(404);
});

test('shows the next attempt of an open delivery, and the status of the last attempt that ended', async () => {
  const event = await createFeature('default', 'waiting');
  await deliveries.waitUntilSettled(ids.fail ?? 0);
  await sql`update integration_deliveries set state = 'retrying', due_at = '2100-01-01Z' where event_id = ${event} and integration_id = ${ids.fail}`.execute(
    harness.db,
  );

  const { body } = await getDeliveries(event);

  expect(body.deliveries[1]).toMatchObject({
    state: 'retrying',
    lastStatus: 503,
    nextAttemptAt: '2100-01-01T00:00:00.000Z',
  });
});

test('returns an empty list for an event without deliveries', async () => {
  await call(harness.app, 'POST', '/api/admin/tag-types', { body: { name: 'undelivered' } });
  const { body } = await call(
    harness.app,
    'GET',
    '/api/admin/search/events?type=IS:tag-type-created&limit=1',
  );

  expect((await getDeliveries(body.events[0].id)).body).toEqual({ deliveries: [] });
});

test('rejects an invalid id with 400 and a request without a token with 401', async () => {
  expect((await call(harness.app, 'GET', '/api/admin/events/x/deliveries')).status).toBe(400);
  expect((await call(harness.app, 'GET', '/api/admin/events/1/deliveries', { token: null })).status).toBe(
    401,
  );
});
