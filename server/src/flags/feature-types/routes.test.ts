import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();

const putLifetime = async (id: string, lifetimeDays: unknown) =>
  await call(harness.app, 'PUT', `/api/admin/feature-types/${id}/lifetime`, { body: { lifetimeDays } });
const readLifetime = async (id: string) => {
  const { types } = (await call(harness.app, 'GET', '/api/admin/feature-types')).body;
  return types.find((type: { id: string }) => type.id === id).lifetimeDays;
};

/** Returns the events about a type, newest first. */
const readLifetimeEvents = async (id: string) => {
  const { body } = await call(
    harness.app,
    'GET',
    '/api/admin/search/events?type=IS:feature-type-updated&limit=1000',
  );
  return body.events.filter((event: { data: { id: string } }) => event.data.id === id);
};

test('lists feature types by name with their lifetimes', async () => {
  const { status, body } = await call(harness.app, 'GET', '/api/admin/feature-types');

  expect(status).toBe(200);
  expect(body.version).toBe(1);
  expect(body.types.map((type: { id: string }) => type.id)).toEqual([
    'experiment',
    'kill-switch',
    'operational',
    'permission',
    'release',
    'sunset',
  ]);
  expect(body.types[4]).toEqual({
    id: 'release',
    name: 'Release',
    description: 'Brings a change to users step by step, then goes away',
    lifetimeDays: 40,
  });
});

test('sets a lifetime and records the previous state', async () => {
  const response = await putLifetime('release', 60);

  expect(response).toMatchObject({ status: 200, body: { id: 'release', name: 'Release', lifetimeDays: 60 } });
  expect(await readLifetime('release')).toBe(60);
  const [event] = await readLifetimeEvents('release');
  expect(event).toMatchObject({ data: response.body, preData: { id: 'release', lifetimeDays: 40 } });
});

test('0 and null both mean never, so setting null after 0 changes nothing', async () => {
  const responses = [await putLifetime('sunset', 0), await putLifetime('sunset', null)];

  expect(responses.map(response => response.body.lifetimeDays)).toEqual([null, null]);
  expect(await readLifetimeEvents('sunset')).toHaveLength(1);
});

test.each([
  ['below zero', -1],
  ['over a hundred years', 36_501],
  ['a fraction', 1.5],
  ['a string', '40'],
  ['missing', undefined],
])('rejects a lifetime that is %s', async (_case, lifetimeDays) => {
  const response = await putLifetime('experiment', lifetimeDays);

  expect(response).toMatchObject({
    status: 400,
    body: { name: 'BadDataError', details: [{ path: '/body/lifetimeDays' }] },
  });
});

test('responds with 404 for an unknown feature type', async () => {
  expect(await putLifetime('moon', 40)).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
});

test('records two concurrent changes, each with its previous state', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker
    .selectFrom('feature_types')
    .select('id')
    .where('id', '=', 'operational')
    .forUpdate()
    .execute();

  const requests = Promise.all([putLifetime('operational', 8), putLifetime('operational', 9)]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();
  await requests;

  const [secondEvent, firstEvent] = await readLifetimeEvents('operational');
  expect(secondEvent.preData).toEqual(firstEvent.data);
  expect(await readLifetime('operational')).toBe(secondEvent.data.lifetimeDays);
});
