import { expect, test } from 'vitest';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();

const URL = '/api/admin/segments';

const makeSegment = async (name: string) =>
  (await call(harness.app, 'POST', URL, { body: { name, constraints: [] } })).body;

test('setting the segments of a strategy updates the strategy', async () => {
  const { app } = harness;
  const [one, two] = [await makeSegment('one'), await makeSegment('two')];
  const feature = 'segmented';
  const at = `/api/admin/projects/default/features/${feature}/environments/production/strategies`;
  await call(app, 'POST', '/api/admin/projects/default/features', { body: { name: feature } });
  const constraints = [{ contextName: 'userId', operator: 'IN', values: ['7'] }];
  const strategy = { name: 'flexibleRollout', title: 'Some', segments: [one.id], constraints };
  const before = (await call(app, 'POST', at, { body: strategy })).body;
  const set = (segmentIds: number[], fields: object = {}, token?: string) =>
    call(app, 'POST', `${URL}/strategies`, {
      body: {
        projectId: 'default',
        environmentId: 'production',
        strategyId: before.id,
        segmentIds,
        ...fields,
      },
      ...(token === undefined ? {} : { token }),
    });
  const updates = async () => {
    const query = `feature=IS:${feature}&type=IS:feature-strategy-update`;
    return (await call(app, 'GET', `/api/admin/search/events?${query}`)).body.events;
  };

  const response = await set([two.id, one.id, two.id], { strategyId: before.id.toUpperCase() });
  await set([one.id, two.id]);

  expect(response).toMatchObject({
    status: 201,
    body: { strategyId: before.id, segmentIds: [one.id, two.id] },
  });
  expect((await call(app, 'GET', `${at}/${before.id}`)).body).toEqual({
    ...before,
    segments: [one.id, two.id],
  });
  expect(await updates()).toMatchObject([
    { data: { segments: [one.id, two.id], title: 'Some' }, preData: { segments: [one.id] } },
  ]);

  expect(await set([])).toMatchObject({ status: 201, body: { segmentIds: [] } });
  expect(await set([999_999])).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/segments' }] },
  });
  expect(await set([1, 2, 3, 4, 5, 6])).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/segmentIds' }] },
  });
  expect((await set([], { environmentId: 'development' })).status).toBe(404);
  expect((await set([], { projectId: 'nowhere' })).status).toBe(404);
  expect((await set([], { strategyId: '6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55' })).status).toBe(404);
  const viewer = await makeUser(harness.db, 'Viewer');
  const rejected = await set([one.id], {}, viewer.token);
  expect(rejected).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(rejected.body.message).toContain('UPDATE_FEATURE_STRATEGY in environment "production"');
});
