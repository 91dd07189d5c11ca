import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { change } from '../../record/change.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';
import { enterStage } from './enter.ts';
import type { Stage } from './schema.ts';

const harness = useHarness();

type Reached = { stage: string; enteredStageAt: string; status?: string; statusValue?: string };

async function makeFeature(name: string, project = 'default') {
  const here = `/api/admin/projects/${project}/features/${name}`;
  await call(harness.app, 'POST', `/api/admin/projects/${project}/features`, { body: { name } });
  return {
    here,
    complete: (body: object) => call(harness.app, 'POST', `${here}/lifecycle/complete`, { body }),
    uncomplete: () => call(harness.app, 'POST', `${here}/lifecycle/uncomplete`),
    archive: () => call(harness.app, 'DELETE', here),
    revive: () =>
      call(harness.app, 'POST', `/api/admin/projects/${project}/revive`, { body: { features: [name] } }),
    stage: async (): Promise<Reached> => (await call(harness.app, 'GET', here)).body.lifecycle,
    history: async (): Promise<Reached[]> => (await call(harness.app, 'GET', `${here}/lifecycle`)).body,
    stages: async () =>
      (await call(harness.app, 'GET', `${here}/lifecycle`)).body.map(({ stage }: Reached) => stage),
    events: async () =>
      (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${name}`)).body.events
        .toReversed()
        .slice(1),
  };
}

/** Writes a stage, as metrics will do. */
const reach = (name: string, stage: Stage) =>
  change(harness.db, SYSTEM, ({ tx }) => enterStage(tx, [name], stage));

const countsAs = async (token?: string) =>
  (await call(harness.app, 'GET', '/api/admin/lifecycle/count', token === undefined ? {} : { token })).body;

test('a feature goes through its stages, and starts again when it is revived', async () => {
  const { stages, stage, history, complete, archive, revive } = await makeFeature('travelling');

  const first = await history();
  await reach('travelling', 'pre-live');
  await reach('travelling', 'live');
  await complete({ status: 'kept', statusValue: 'blue' });
  const completed = await stage();
  await archive();
  const all = await history();
  await revive();

  expect(first).toEqual([{ stage: 'initial', enteredStageAt: expect.stringMatching(/Z$/) }]);
  expect(completed).toEqual({
    stage: 'completed',
    enteredStageAt: expect.any(String),
    status: 'kept',
    statusValue: 'blue',
  });
  expect(all.map(reached => reached.stage)).toEqual(['initial', 'pre-live', 'live', 'completed', 'archived']);
  expect(all[3]).toEqual(completed);
  expect(await stages()).toEqual(['initial']);
  expect((await history())[0]?.enteredStageAt).not.toBe(first[0]?.enteredStageAt);
});

test('completing and uncompleting are recorded once each, with the previous state', async () => {
  const { complete, uncomplete, stage, stages, events } = await makeFeature('completed');
  await reach('completed', 'live');

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
  const [kept, discard] = [
    { status: 'kept', statusValue: 'blue' },
    { status: 'discarded', statusValue: null },
  ];
  expect(await events()).toMatchObject([
    { type: 'feature-completed', project: 'default', data: kept, preData: null },
    { type: 'feature-completed', data: discard, preData: kept },
    { type: 'feature-uncompleted', data: null, preData: discard },
  ]);
});

test.each([
  ['no status', {}, '/body/status'],
  ['another status', { status: 'forgotten' }, '/body/status'],
  ['a value that is too long', { status: 'kept', statusValue: 'x'.repeat(501) }, '/body/statusValue'],
])('rejects %s', async (_case, body, path) => {
  const { complete } = await makeFeature('rejecting');

  expect(await complete(body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
});

test('rejects completing an archived feature, and a missing feature with 404', async () => {
  const { complete, uncomplete, archive, events } = await makeFeature('shelved');
  await archive();

  for (const response of [await complete({ status: 'kept' }), await uncomplete()])
    expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect((await events()).map(({ type }: { type: string }) => type)).toEqual(['feature-archived']);
  const missing = '/api/admin/projects/default/features/nowhere/lifecycle';
  expect((await call(harness.app, 'GET', missing)).status).toBe(404);
  await makeProject(harness.db, { id: 'elsewhere' });
  const elsewhere = '/api/admin/projects/elsewhere/features/shelved/lifecycle';
  expect((await call(harness.app, 'GET', elsewhere)).status).toBe(404);
});

test('a completion that waited for another records its result as the previous state', async () => {
  const { complete, events } = await makeFeature('contended');
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'contended' for update`.execute(blocker);

  const waiting = complete({ status: 'kept' });
  await untilWaiting(harness.db);
  await sql`insert into feature_lifecycles (feature_name, stage, status)
    values ('contended', 'completed', 'discarded')`.execute(blocker);
  await blocker.commit().execute();

  expect((await waiting).status).toBe(200);
  expect(await events()).toMatchObject([
    { type: 'feature-completed', data: { status: 'kept' }, preData: { status: 'discarded' } },
  ]);
});

test('a feature without stored stages has those that follow from its times', async () => {
  const { here, history, stage, archive } = await makeFeature('stageless');
  const { createdAt } = (await call(harness.app, 'GET', here)).body;
  const forget = () =>
    sql`delete from feature_lifecycles where feature_name = 'stageless'`.execute(harness.db);
  const before = await countsAs();

  await forget();
  const young = await stage();
  const counted = await countsAs();
  await archive();
  await forget();

  expect(young).toEqual({ stage: 'initial', enteredStageAt: createdAt });
  expect(counted).toEqual(before);
  expect((await history()).map(reached => reached.stage)).toEqual(['initial', 'archived']);
  expect(await stage()).toMatchObject({ stage: 'archived' });
  expect(await countsAs()).toEqual({
    ...before,
    initial: before.initial - 1,
    archived: before.archived + 1,
  });
});

test('counts features by stage, those of a private project only for its members', async () => {
  const hidden = await makeProject(harness.db, { mode: 'private' });
  const [viewer, member] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
  await makeMember(harness.db, member, hidden.id, 'Reader');
  const before = { viewer: await countsAs(viewer.token), admin: await countsAs() };

  for (const [name, stage] of [
    ['count-1', 'pre-live'],
    ['count-2', 'live'],
    ['count-3', 'live'],
  ] as const) {
    await makeFeature(name);
    await reach(name, 'pre-live');
    await reach(name, stage);
  }
  await (await makeFeature('count-4', hidden.id)).complete({ status: 'kept' });
  await (await makeFeature('count-5', hidden.id)).archive();
  await makeFeature('count-6', hidden.id);

  const open = { preLive: before.viewer.preLive + 1, live: before.viewer.live + 2 };
  const all = {
    initial: before.admin.initial + 1,
    ...open,
    completed: before.admin.completed + 1,
    archived: before.admin.archived + 1,
  };
  expect(await countsAs(viewer.token)).toEqual({ ...before.viewer, ...open });
  expect(await countsAs(member.token)).toEqual(all);
  expect(await countsAs()).toEqual(all);
});
