import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';

const harness = useHarness();

const put = async (id: string, lifetimeDays: unknown) =>
  await call(harness.app, 'PUT', `/api/admin/feature-types/${id}/lifetime`, { body: { lifetimeDays } });
const lifetimeOf = async (id: string) => {
  const { types } = (await call(harness.app, 'GET', '/api/admin/feature-types')).body;
  return types.find((type: { id: string }) => type.id === id).lifetimeDays;
};

/** The recorded lifetimes of a type, newest first. */
const recorded = async (id: string) => {
  const { body } = await call(
    harness.app,
    'GET',
    '/api/admin/search/events?type=IS:feature-type-updated&limit=1000',
  );
  return body.events.filter((event: { data: { id: string } }) => event.data.id === id);
};

test('feature types are listed by name with their lifetimes', async () => {
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

test('a new lifetime is answered, kept and recorded with what was before', async () => {
  const answer = await put('release', 60);

  expect(answer).toMatchObject({ status: 200, body: { id: 'release', name: 'Release', lifetimeDays: 60 } });
  expect(await lifetimeOf('release')).toBe(60);
  const [event] = await recorded('release');
  expect(event).toMatchObject({ data: answer.body, preData: { id: 'release', lifetimeDays: 40 } });
});

test('0 and null both mean never, so the second of them changes nothing', async () => {
  const answers = [await put('sunset', 0), await put('sunset', null)];

  expect(answers.map(answer => answer.body.lifetimeDays)).toEqual([null, null]);
  expect(await recorded('sunset')).toHaveLength(1);
});

test.each([
  ['below zero', -1],
  ['over a hundred years', 36_501],
  ['a fraction', 1.5],
  ['a text', '40'],
  ['left out', undefined],
])('a lifetime that is %s is refused', async (_case, lifetimeDays) => {
  const answer = await put('experiment', lifetimeDays);

  expect(answer).toMatchObject({
    status: 400,
    body: { name: 'BadDataError', details: [{ path: '/body/lifetimeDays' }] },
  });
});

test('an unknown feature type is answered with 404', async () => {
  expect(await put('moon', 40)).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
});

test('two changes at once are both recorded, each with the state it found', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker
    .selectFrom('feature_types')
    .select('id')
    .where('id', '=', 'operational')
    .forUpdate()
    .execute();

  const both = Promise.all([put('operational', 8), put('operational', 9)]);
  await untilWaiting(harness.db, 2);
  await blocker.commit().execute();
  await both;

  const [second, first] = await recorded('operational');
  expect(second.preData).toEqual(first.data);
  expect(await lifetimeOf('operational')).toBe(second.data.lifetimeDays);
});
