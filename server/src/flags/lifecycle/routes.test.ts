import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { change } from '../../record/change.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { enterStage } from './enter.ts';
import type { Stage } from './schema.ts';

const harness = useHarness();

type ReachedStage = { stage: string; enteredStageAt: string; status?: string; statusValue?: string };

async function makeFeature(name: string, project = 'default') {
  const featurePath = `/api/admin/projects/${project}/features/${name}`;
  await call(harness.app, 'POST', `/api/admin/projects/${project}/features`, { body: { name } });
  return {
    featurePath,
    complete: (body: object) => call(harness.app, 'POST', `${featurePath}/lifecycle/complete`, { body }),
    uncomplete: () => call(harness.app, 'POST', `${featurePath}/lifecycle/uncomplete`),
    archive: () => call(harness.app, 'DELETE', featurePath),
    revive: () =>
      call(harness.app, 'POST', `/api/admin/projects/${project}/revive`, { body: { features: [name] } }),
    stage: async (): Promise<ReachedStage> => (await call(harness.app, 'GET', featurePath)).body.lifecycle,
    history: async (): Promise<ReachedStage[]> =>
      (await call(harness.app, 'GET', `${featurePath}/lifecycle`)).body,
    stages: async () =>
      (await call(harness.app, 'GET', `${featurePath}/lifecycle`)).body.map(
        ({ stage }: ReachedStage) => stage,
      ),
    events: async () =>
      (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${name}`)).body.events
        .toReversed()
        .slice(1),
  };
}

/** Makes the feature enter a stage, as metrics do. */
const reachStage = (name: string, stage: Stage) =>
  change(harness.db, SYSTEM, ({ tx }) => enterStage(tx, [name], stage));

const readCountsAs = async (token?: string) =>
  (await call(harness.app, 'GET', '/api/admin/lifecycle/count', token === undefined ? {} : { token })).body;

test('a feature goes through its stages and starts over when it is revived', async () => {
  const { stages, stage, history, complete, archive, revive } = await makeFeature('travelling');

  const firstHistory = await history();
  await reachStage('travelling', 'pre-live');
  await reachStage('travelling', 'live');
  await complete({ status: 'kept', statusValue: 'blue' });
  const completed = await stage();
  await archive();
  const fullHistory = await history();
  await revive();

  expect(firstHistory).toEqual([{ stage: 'initial', enteredStageAt: expect.stringMatching(/Z$/) }]);
  expect(completed).toEqual({
    stage: 'completed',
    enteredStageAt: expect.any(String),
    status: 'kept',
    statusValue: 'blue',
  });
  expect(fullHistory.map(entry => entry.stage)).toEqual([
    'initial',
    'pre-live',
    'live',
    'completed',
    'archived',
  ]);
  expect(fullHistory[3]).toEqual(completed);
  expect(await stages()).toEqual(['initial']);
  expect((await history())[0]?.enteredStageAt).not.toBe(firstHistory[0]?.enteredStageAt);
});

test('records completing and uncompleting only once each, with the previous state', async () => {
  const { complete, uncomplete, stage, stages, events } = await makeFeature('completed');
  await reachStage('completed', 'live');

  const responses = [
    await complete({ status: 'kept', statusValue: 'blue', unknown: 1 }),
    await complete({ status: 'kept', statusValue: 'blue' }),
    await complete({ status: 'discarded' }),
    await complete({ status: 'discarded', statusValue: null }),
  ];
  const discarded = await stage();
  responses.push(await uncomplete(), await uncomplete());

  expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(discarded).toEqual({
    stage: 'completed',
    enteredStageAt: expect.any(String),
    status: 'discarded',
  });
  expect(await stages()).toEqual(['initial', 'live']);
  const [keptCompletion, discardedCompletion] = [
    { status: 'kept', statusValue: 'blue' },
    { status: 'discarded', statusValue: null },
  ];
  expect(await events()).toMatchObject([
    { type: 'feature-completed', project: 'default', data: keptCompletion, preData: null },
    { type: 'feature-completed', data: discardedCompletion, preData: keptCompletion },
    { type: 'feature-uncompleted', data: null, preData: discardedCompletion },
  ]);
});

test.each([
  ['a missing status', {}, '/body/status'],
  ['an unknown status', { status: 'forgotten' }, '/body/status'],
  ['a value that is too long', { status: 'kept', statusValue: 'x'.repeat(501) }, '/body/statusValue'],
])('rejects %s', async (_case, body, path) => {
  const { complete } = await makeFeature('rejecting');

  expect(await complete(body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
});

test('rejects completing an archived feature, and responds with 404 for a missing feature', async () => {
  const { complete, uncomplete, archive, events } = await makeFeature('shelved');
  await archive();

  for (const response of [await complete({ status: 'kept' }), await uncomplete()])
    expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect((await events()).map(({ type }: { type: string }) => type)).toEqual(['feature-archived']);
  const missingFeature = '/api/admin/projects/default/features/nowhere/lifecycle';
  expect((await call(harness.app, 'GET', missingFeature)).status).toBe(404);
  await makeProject(harness.db, { id: 'elsewhere' });
  const otherProject = '/api/admin/projects/elsewhere/features/shelved/lifecycle';
  expect((await call(harness.app, 'GET', otherProject)).status).toBe(404);
});

test('a completion that waits for another completion records the other one as the previous state', async () => {
  const { complete, events } = await makeFeature('contended');
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'contended' for update`.execute(blocker);

  const pendingCompletion = complete({ status: 'kept' });
  await waitForLockWaiters(harness.db);
  await sql`insert into feature_lifecycles (feature_name, stage, status)
    values ('contended', 'completed', 'discarded')`.execute(blocker);
  await blocker.commit().execute();

  expect((await pendingCompletion).status).toBe(200);
  expect(await events()).toMatchObject([
    { type: 'feature-completed', data: { status: 'kept' }, preData: { status: 'discarded' } },
  ]);
});

test("derives the stages from the feature's timestamps if none are stored", async () => {
  const { featurePath, history, stage, archive } = await makeFeature('stageless');
  const { createdAt } = (await call(harness.app, 'GET', featurePath)).body;
  const deleteStages = () =>
    sql`delete from feature_lifecycles where feature_name = 'stageless'`.execute(harness.db);
  const countsBefore = await readCountsAs();

  await deleteStages();
  const young = await stage();
  const countsAfter = await readCountsAs();
  await archive();
  await deleteStages();

  expect(young).toEqual({ stage: 'initial', enteredStageAt: createdAt });
  expect(countsAfter).toEqual(countsBefore);
  expect((await history()).map(entry => entry.stage)).toEqual(['initial', 'archived']);
  expect(await stage()).toMatchObject({ stage: 'archived' });
  expect(await readCountsAs()).toEqual({
    ...countsBefore,
    initial: countsBefore.initial - 1,
    archived: countsBefore.archived + 1,
  });
});

test('counts features by stage, and includes those of a private project only for its members', async () => {
  const privateProject = await makeProject(harness.db, { mode: 'private' });
  const [viewer, member] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
  await makeMember(harness.db, member, privateProject.id, 'Reader');
  const countsBefore = { viewer: await readCountsAs(viewer.token), admin: await readCountsAs() };

  for (const [name, stage] of [
    ['count-1', 'pre-live'],
    ['count-2', 'live'],
    ['count-3', 'live'],
  ] as const) {
    await makeFeature(name);
    await reachStage(name, 'pre-live');
    await reachStage(name, stage);
  }
  await (await makeFeature('count-4', privateProject.id)).complete({ status: 'kept' });
  await (await makeFeature('count-5', privateProject.id)).archive();
  await makeFeature('count-6', privateProject.id);

  const viewerCounts = { preLive: countsBefore.viewer.preLive + 1, live: countsBefore.viewer.live + 2 };
  const adminCounts = {
    initial: countsBefore.admin.initial + 1,
    ...viewerCounts,
    completed: countsBefore.admin.completed + 1,
    archived: countsBefore.admin.archived + 1,
  };
  expect(await readCountsAs(viewer.token)).toEqual({ ...countsBefore.viewer, ...viewerCounts });
  expect(await readCountsAs(member.token)).toEqual(adminCounts);
  expect(await readCountsAs()).toEqual(adminCounts);
});
