import { expect, test } from 'vitest';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();

const SEGMENTS_PATH = '/api/admin/segments';

const makeSegment = async (name: string) =>
  (await call(harness.app, 'POST', SEGMENTS_PATH, { body: { name, constraints: [] } })).body;

test('setting the segments of a strategy updates the strategy and records an update event', async () => {
  const { app } = harness;
  const [firstSegment, secondSegment] = [await makeSegment('one'), await makeSegment('two')];
  const feature = 'segmented';
  const strategiesPath = `/api/admin/projects/default/features/${feature}/environments/production/strategies`;
  await call(app, 'POST', '/api/admin/projects/default/features', { body: { name: feature } });
  const constraints = [{ contextName: 'userId', operator: 'IN', values: ['7'] }];
  const strategy = { name: 'flexibleRollout', title: 'Some', segments: [firstSegment.id], constraints };
  const strategyBefore = (await call(app, 'POST', strategiesPath, { body: strategy })).body;
  const setSegments = (segmentIds: number[], fields: object = {}, token?: string) =>
    call(app, 'POST', `${SEGMENTS_PATH}/strategies`, {
      body: {
        projectId: 'default',
        environmentId: 'production',
        strategyId: strategyBefore.id,
        segmentIds,
        ...fields,
      },
      ...(token === undefined ? {} : { token }),
    });
  const readUpdateEvents = async () => {
    const query = `feature=IS:${feature}&type=IS:feature-strategy-update`;
    return (await call(app, 'GET', `/api/admin/search/events?${query}`)).body.events;
  };

  const response = await setSegments([secondSegment.id, firstSegment.id, secondSegment.id], {
    strategyId: strategyBefore.id.toUpperCase(),
  });
  await setSegments([firstSegment.id, secondSegment.id]);

  expect(response).toMatchObject({
    status: 201,
    body: { strategyId: strategyBefore.id, segmentIds: [firstSegment.id, secondSegment.id] },
  });
  expect((await call(app, 'GET', `${strategiesPath}/${strategyBefore.id}`)).body).toEqual({
    ...strategyBefore,
    segments: [firstSegment.id, secondSegment.id],
  });
  expect(await readUpdateEvents()).toMatchObject([
    {
      data: { segments: [firstSegment.id, secondSegment.id], title: 'Some' },
      preData: { segments: [firstSegment.id] },
    },
  ]);

  expect(await setSegments([])).toMatchObject({ status: 201, body: { segmentIds: [] } });
  expect(await setSegments([999_999])).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/segments' }] },
  });
  expect(await setSegments([1, 2, 3, 4, 5, 6])).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/segmentIds' }] },
  });
  expect((await setSegments([], { environmentId: 'development' })).status).toBe(404);
  expect((await setSegments([], { projectId: 'nowhere' })).status).toBe(404);
  expect((await setSegments([], { strategyId: '6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55' })).status).toBe(404);
  const viewer = await makeUser(harness.db, 'Viewer');
  const rejection = await setSegments([firstSegment.id], {}, viewer.token);
  expect(rejection).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(rejection.body.message).toContain('UPDATE_FEATURE_STRATEGY in environment "production"');
});
