import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeFeature, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { MAX_EVENTS_TO_UNDO } from './limits.ts';

const harness = useHarness();
const BASE_PATH = '/api/admin/projects/default/features';
const ENVIRONMENTS = ['development', 'production'];

const send = async (method: 'POST' | 'PUT' | 'DELETE' | 'PATCH', url: string, body?: unknown) => {
  const response = await call(harness.app, method, url, body === undefined ? {} : { body });
  expect(response.status, `${method} ${url} ${JSON.stringify(response.body)}`).toBeLessThan(300);
  return response.body;
};
const evaluateMany = (body: object, token?: string): Promise<ApiResponse> =>
  call(harness.app, 'POST', '/api/admin/playground/advanced', {
    body: { environments: ENVIRONMENTS, context: { userId: '1,2,3', country: 'NO,SE' }, ...body },
    ...(token === undefined ? {} : { token }),
  });
const playground = (body: object, token?: string): Promise<ApiResponse> =>
  call(harness.app, 'POST', '/api/admin/playground', {
    body: { environment: 'development', context: {}, ...body },
    ...(token === undefined ? {} : { token }),
  });

/** Returns the database's current time. The pauses separate it from the changes before and after the call. */
async function readTime(): Promise<string> {
  await sleep(3);
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(harness.db);
  await sleep(3);
  return new Date(rows[0]?.at ?? 0).toISOString();
}

type Evaluation = { strategies: { data: { links?: object }[] }; context: object };

/** Returns the name and the evaluations of each feature, without environments that have none. */
const extractResults = ({ body }: ApiResponse) =>
  body.features.map(
    ({ name, environments }: { name: string; environments: Record<string, Evaluation[]> }) => ({
      name,
      environments: Object.fromEntries(Object.entries(environments).filter(([, list]) => list.length > 0)),
    }),
  );

test('evaluates features as they were after each of many changes', async () => {
  await makeFeature(harness.db, 'default', { name: 'parent' });
  await makeFeature(harness.db, 'default', { name: 'past' });
  const features = ['parent', 'past'];
  const segment = await send('POST', '/api/admin/segments', {
    name: 'nordic',
    constraints: [{ contextName: 'country', operator: 'IN', values: ['NO'] }],
  });
  const environmentUrl = (name: string, environment: string) =>
    `${BASE_PATH}/${name}/environments/${environment}`;
  const strategies = `${environmentUrl('past', 'production')}/strategies`;
  const rollout = (percentage: string, fields: object = {}) => ({
    name: 'flexibleRollout',
    parameters: { rollout: percentage, stickiness: 'userId', groupId: 'past' },
    ...fields,
  });
  const ids: string[] = [];
  const variant = (name: string, weight: number) => ({
    name,
    weight,
    weightType: 'variable',
    stickiness: 'userId',
  });
  const steps: (() => Promise<unknown>)[] = [
    () => send('POST', `${environmentUrl('past', 'production')}/on`),
    async () => ids.push((await send('POST', strategies, rollout('40', { title: 'Forty' }))).id),
    async () => ids.push((await send('POST', strategies, { name: 'default', segments: [segment.id] })).id),
    () =>
      send(
        'PUT',
        `${strategies}/${ids[0]}`,
        rollout('90', { variants: [variant('a', 500), variant('b', 500)] }),
      ),
    () =>
      send('POST', `${strategies}/set-sort-order`, [
        { id: ids[1], sortOrder: 0 },
        { id: ids[0], sortOrder: 9 },
      ]),
    () =>
      send('PUT', `/api/admin/segments/${segment.id}`, {
        name: 'nordic',
        constraints: [{ contextName: 'country', operator: 'IN', values: ['SE'] }],
      }),
    () => send('PATCH', `${strategies}/${ids[0]}`, [{ op: 'replace', path: '/disabled', value: true }]),
    () => send('POST', `${environmentUrl('parent', 'production')}/on`),
    () => send('POST', `${BASE_PATH}/past/dependencies`, { feature: 'parent' }),
    () => send('POST', `${BASE_PATH}/past/dependencies`, { feature: 'parent', enabled: false }),
    () => send('POST', `${environmentUrl('parent', 'production')}/off`),
    () => send('PUT', `${environmentUrl('past', 'production')}/variants`, [variant('x', 1000)]),
    () => send('DELETE', `${BASE_PATH}/past/dependencies/parent`),
    () => send('PUT', strategies, [rollout('10'), { name: 'default' }]),
    () => send('POST', `${environmentUrl('past', 'development')}/on`),
    () => send('DELETE', `${BASE_PATH}/past`),
    () => send('POST', '/api/admin/archive/revive/past'),
    () => send('POST', `${environmentUrl('past', 'production')}/on`),
  ];
  const snapshots: { at: string; results: unknown; step: number }[] = [];
  for (const [step, makeChange] of steps.entries()) {
    await makeChange();
    const results = extractResults(await evaluateMany({ features: step === 15 ? ['parent'] : features }));
    snapshots.push({ at: await readTime(), results, step });
  }
  // Deletes the segment, so that its content can come only from the events.
  await send('DELETE', `/api/admin/segments/${segment.id}`);

  for (const { at: time, results, step } of snapshots) {
    const { status, body } = await evaluateMany({ features, at: time });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(extractResults({ body } as ApiResponse), `step ${step}`).toEqual(results);
    const archived = ENVIRONMENTS.map(environment => ({ feature: 'past', environment, reason: 'archived' }));
    expect(body.notEvaluated, `step ${step}`).toEqual(step === 15 ? archived : []);
    expect(body.input.at).toBe(time);
  }
});

test('reads the segments of a past strategy', async () => {
  await makeFeature(harness.db, 'default', { name: 'with-segment' });
  const segment = await send('POST', '/api/admin/segments', {
    name: 'swedes',
    constraints: [{ contextName: 'country', operator: 'IN', values: ['SE'] }],
  });
  const environmentUrl = `${BASE_PATH}/with-segment/environments/production`;
  await send('POST', `${environmentUrl}/strategies`, { name: 'default', segments: [segment.id] });
  await send('POST', `${environmentUrl}/on`);
  const time = await readTime();
  await send('POST', `${environmentUrl}/off`);

  const { body } = await evaluateMany({
    at: time,
    features: ['with-segment'],
    environments: ['production'],
    context: { country: 'NO,SE' },
  });

  const results = body.features[0].environments.production;
  expect(
    results.map(({ context, isEnabled }: { context: { country: string }; isEnabled: boolean }) => [
      context.country,
      isEnabled,
    ]),
  ).toEqual([
    ['NO', false],
    ['SE', true],
  ]);
});

test('uses the past time as the default for currentTime', async () => {
  await makeFeature(harness.db, 'default', { name: 'dated' });
  const environmentUrl = `${BASE_PATH}/dated/environments/development`;
  const timeBefore = await readTime();
  const constraint = { contextName: 'currentTime', operator: 'DATE_AFTER', value: timeBefore };
  await send('POST', `${environmentUrl}/strategies`, { name: 'default', constraints: [constraint] });
  await send('POST', `${environmentUrl}/on`);
  const timeAfter = await readTime();

  const evaluate = async (fields: object) =>
    (await playground({ features: ['dated'], ...fields })).body.features[0];

  expect(await evaluate({ at: timeAfter })).toMatchObject({ isEnabled: true });
  expect(await evaluate({ at: timeAfter, context: { currentTime: timeBefore } })).toMatchObject({
    isEnabled: false,
  });
});

test('lists features whose past state cannot be derived from the events', async () => {
  const timeBefore = await readTime();
  const target = (await makeProject(harness.db)).id;
  for (const name of ['young', 'twice', 'moving', 'placed'])
    await makeFeature(harness.db, 'default', { name });
  const timeCreated = await readTime();
  await send('DELETE', `${BASE_PATH}/twice`);
  await send('DELETE', '/api/admin/archive/twice');
  await makeFeature(harness.db, 'default', { name: 'twice' });
  await send('POST', `${BASE_PATH}/moving/changeProject`, { newProjectId: target });
  await makeFeature(harness.db, target, { name: 'elsewhere' });
  const timeSettled = await readTime();
  await send('DELETE', `/api/admin/projects/${target}/environments/development`);
  await send('POST', `/api/admin/projects/${target}/environments`, { environment: 'development' });

  const listMissing = async (features: string[], at: string) =>
    (await playground({ features, at })).body.notEvaluated.map(
      ({ feature, environment, reason }: Record<string, string>) => [feature, environment, reason],
    );

  expect(await listMissing(['young', 'twice', 'moving'], timeBefore)).toEqual([
    ['moving', 'development', 'moved'],
    ['twice', 'development', 'deleted'],
    ['young', 'development', 'not-created'],
  ]);
  expect(await listMissing(['young', 'twice'], timeCreated)).toEqual([['twice', 'development', 'deleted']]);
  expect(await listMissing(['elsewhere'], timeSettled)).toEqual([
    ['elsewhere', 'development', 'environment-changed'],
  ]);
});

test.each([
  ['a time in the future', { at: '2999-01-01T00:00:00Z', features: ['here'] }, '/body/at'],
  ['a time before every event', { at: '0000-01-01T00:00:00Z', features: ['here'] }, '/body/at'],
  ['a string that is not a time', { at: 'yesterday', features: ['here'] }, '/body/at'],
  ['a leap second', { at: '2016-12-31T23:59:60Z', features: ['here'] }, '/body/at'],
  ['no features', { at: '2026-01-01T00:00:00Z' }, '/body/features'],
  ['an unknown feature', { at: '2026-01-01T00:00:00Z', features: ['nowhere'] }, '/body/features/0'],
  [
    'a draft',
    {
      at: '2026-01-01T00:00:00Z',
      features: ['here'],
      drafts: [{ feature: 'here', environment: 'development', strategies: [] }],
    },
    '/body/drafts',
  ],
  [
    'an unknown environment',
    { at: '2026-01-01T00:00:00Z', features: ['here'], environment: 'x' },
    '/body/environment',
  ],
])('rejects %s', async (_, body, path) => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from features where name = 'here'`.execute(
    harness.db,
  );
  if (rows[0]?.n === 0) await makeFeature(harness.db, 'default', { name: 'here' });

  const response = await playground(body);

  expect(response.status).toBe(400);
  expect(response.body.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
});

test('rejects a feature in a private project as unknown if the caller is not a member', async () => {
  const { id } = await makeProject(harness.db, { mode: 'private' });
  await makeFeature(harness.db, id, { name: 'secret' });
  const { token } = await makeUser(harness.db, 'Editor');

  const response = await playground({ features: ['secret'], at: await readTime() }, token);

  expect(response).toMatchObject({ status: 400, body: { details: [{ path: '/body/features/0' }] } });
});

test('rejects a past time that is followed by too many events', async () => {
  await makeFeature(harness.db, 'default', { name: 'busy' });
  const time = await readTime();
  await sql`
    insert into events (group_id, type, created_by, project, environment, feature_name)
    select 'x', 'feature-environment-enabled', 'x', 'default', 'development', 'busy'
    from generate_series(1, ${MAX_EVENTS_TO_UNDO + 1})`.execute(harness.db);

  const response = await playground({ features: ['busy'], at: time });

  expect(response).toMatchObject({ status: 400, body: { name: 'ExceedsLimitError' } });
  expect(response.body.message).toContain('Choose a later time or fewer features.');
});

test('counts only the events about segments that the features use', async () => {
  await makeFeature(harness.db, 'default', { name: 'calm' });
  const time = await readTime();
  await sql`
    insert into events (group_id, type, created_by, data)
    select 'x', 'segment-updated', 'x', '{"id": 2000000}' from generate_series(1, ${MAX_EVENTS_TO_UNDO + 1})`.execute(
    harness.db,
  );

  const response = await playground({ features: ['calm'], at: time });

  expect(response.status).toBe(200);
});
