import { beforeEach, expect, test } from 'vitest';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';
import type { SegmentInput } from './schema.ts';

const harness = useHarness();

const URL = '/api/admin/segments';
const CONSTRAINTS = [{ contextName: 'userId', operator: 'IN' as const, values: ['7'] }];
const STORED = [{ ...CONSTRAINTS[0], inverted: false, caseInsensitive: false }];

let count = 0;
const unique = () => `segment-${++count}`;

const post = (body: unknown, token?: string) =>
  call(harness.app, 'POST', URL, { body, ...(token === undefined ? {} : { token }) });
const makeSegment = async (fields: Partial<SegmentInput> = {}) =>
  (await post({ name: unique(), constraints: CONSTRAINTS, ...fields })).body;
const put = (id: number, body: object, token?: string) =>
  call(harness.app, 'PUT', `${URL}/${id}`, {
    body: { name: `renamed-${id}`, constraints: CONSTRAINTS, ...body },
    ...(token === undefined ? {} : { token }),
  });
const remove = (id: number, token?: string) =>
  call(harness.app, 'DELETE', `${URL}/${id}`, token === undefined ? {} : { token });
const get = async (path: string, token?: string) =>
  call(harness.app, 'GET', `${URL}${path}`, token === undefined ? {} : { token });

const namesSeen = async (token?: string) =>
  (await get('', token)).body.segments.map(({ name }: { name: string }) => name);

const eventsOf = async (id: number) => {
  const { body } = await call(harness.app, 'GET', '/api/admin/search/events?limit=1000');
  return body.events.filter(
    (event: { type: string; data: { id: number } | null; preData: { id: number } | null }) =>
      event.type.startsWith('segment-') && (event.data ?? event.preData)?.id === id,
  );
};

/** Inserts a feature with a strategy that uses the segment. */
async function useSegment(segment: number, project = 'default', feature = `feature-${unique()}`) {
  const { db } = harness;
  await db.insertInto('features').values({ name: feature, project, type: 'release' }).execute();
  await db
    .insertInto('feature_environments')
    .values({ feature_name: feature, environment: 'production' })
    .execute();
  const strategy = { feature_name: feature, environment: 'production', strategy_name: 'default' };
  const { id } = await db
    .insertInto('feature_strategies')
    .values({ ...strategy, sort_order: 0 })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.insertInto('feature_strategy_segments').values({ strategy_id: id, segment_id: segment }).execute();
  return { id, feature };
}

async function makePrivateProject() {
  const { id } = await makeProject(harness.db, { mode: 'private' });
  const owner = await makeUser(harness.db, 'Viewer');
  const reader = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, owner, id, 'Owner');
  await makeMember(harness.db, reader, id, 'Reader');
  return { id, owner: owner.token, reader: reader.token };
}

let viewer: string;
let editor: string;
beforeEach(async () => {
  viewer = (await makeUser(harness.db, 'Viewer')).token;
  editor = (await makeUser(harness.db, 'Editor')).token;
});

test('creates a segment, lists it and records an event', async () => {
  const created = await post({
    name: '  beta users ',
    description: 'Testers',
    constraints: [{ ...CONSTRAINTS[0], unknown: 1 }],
    unknown: 1,
  });

  expect(created).toMatchObject({ status: 201 });
  expect(created.body).toMatchObject({
    name: 'beta users',
    description: 'Testers',
    constraints: STORED,
    project: null,
    createdBy: 'admin token admin',
    usedInFeatures: 0,
    usedInProjects: 0,
  });
  expect((await get(`/${created.body.id}`)).body).toEqual(created.body);
  expect((await get('')).body.segments).toContainEqual(created.body);
  const { usedInFeatures: _, usedInProjects: __, ...state } = created.body;
  const events = await eventsOf(created.body.id);
  expect(events).toMatchObject([{ type: 'segment-created', project: null, preData: null }]);
  expect(events[0].data).toEqual(state);
});

test('stores ranges of addresses and inverted patterns', async () => {
  const created = await post({
    name: 'outside the office',
    constraints: [
      { contextName: 'remoteAddress', operator: 'IN_CIDR', values: ['10.0.0.0/8 ', '::1'], inverted: true },
      { contextName: 'email', operator: 'REGEX', value: '@example\\.com$', inverted: true },
    ],
  });

  expect(created.status).toBe(201);
  expect((await get(`/${created.body.id}`)).body.constraints).toEqual([
    {
      contextName: 'remoteAddress',
      operator: 'IN_CIDR',
      values: ['10.0.0.0/8', '::1'],
      inverted: true,
      caseInsensitive: false,
    },
    {
      contextName: 'email',
      operator: 'REGEX',
      values: [],
      value: '@example\\.com$',
      inverted: true,
      caseInsensitive: false,
    },
  ]);
});

test.each([
  ['nothing', {}, ['/body/constraints', '/body/name']],
  ['a blank name', { name: '  ', constraints: [] }, ['/body/name']],
  ['a name of 101 characters', { name: 'x'.repeat(101), constraints: [] }, ['/body/name']],
  [
    'a description of 501 characters',
    { name: 'x', description: 'x'.repeat(501), constraints: [] },
    ['/body/description'],
  ],
  [
    'two invalid constraints',
    {
      name: 'x',
      constraints: [
        { contextName: 'a', operator: 'NUM_EQ', value: 'x' },
        ...CONSTRAINTS,
        { contextName: 'a', operator: 'IN' },
      ],
    },
    ['/body/constraints/0/value', '/body/constraints/2/values'],
  ],
])('rejects %s with 400', async (_case, body, paths) => {
  const response = await post(body);

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details.map((detail: { path: string }) => detail.path).toSorted()).toEqual(paths);
});

test('accepts 1,000 values and rejects 1,001', async () => {
  const list = (length: number) => ({ ...CONSTRAINTS[0], values: Array(length).fill('x') });
  const thousand = [list(250), list(250), list(250), list(250)];

  const most = await post({ name: unique(), constraints: thousand });
  const tooMany = await post({ name: unique(), constraints: [...thousand, list(1)] });
  const updated = await put(most.body.id, { constraints: [...thousand, list(1)] });

  expect(most.status).toBe(201);
  expect(tooMany).toMatchObject({ status: 400, body: { name: 'ExceedsLimitError' } });
  expect(updated).toMatchObject({ status: 400, body: { name: 'ExceedsLimitError' } });
});

test('validates a name: 204 while it is free, 409 once it is taken', async () => {
  const ask = (name: string) => call(harness.app, 'POST', `${URL}/validate`, { body: { name } });

  const free = await ask('validated');
  const { id } = await makeSegment({ name: 'validated' });
  const taken = await ask(' validated ');

  expect(free).toMatchObject({ status: 204, body: '' });
  expect(taken).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  expect((await ask(' ')).status).toBe(400);
  expect(await post({ name: 'validated', constraints: [] })).toMatchObject({ status: 409 });
  const other = await makeSegment();
  expect(await put(other.id, { name: 'validated' })).toMatchObject({ status: 409 });
  expect(await eventsOf(id)).toHaveLength(1);
});

test('an update replaces name and constraints, keeps an omitted description and records the state before', async () => {
  const { id } = await makeSegment({ name: 'before', description: 'Kept' });
  const constraints = [{ contextName: 'version', operator: 'SEMVER_GT', value: '1.0.0', inverted: true }];

  const response = await put(id, { name: ' after', constraints });

  expect(response).toMatchObject({ status: 204, body: '' });
  const stored = [{ ...constraints[0], values: [], caseInsensitive: false }];
  expect((await get(`/${id}`)).body).toMatchObject({
    name: 'after',
    description: 'Kept',
    constraints: stored,
  });
  expect((await eventsOf(id))[0]).toMatchObject({
    type: 'segment-updated',
    data: { id, name: 'after', constraints: stored },
    preData: { id, name: 'before', description: 'Kept', constraints: STORED },
  });
});

test('an update that changes nothing records no event', async () => {
  const { id, name } = await makeSegment();

  const response = await put(id, { name });

  expect(response.status).toBe(204);
  expect(await eventsOf(id)).toHaveLength(1);
});

test('deletes a segment and records its last state', async () => {
  const { id, name } = await makeSegment();

  const response = await remove(id);

  expect(response).toMatchObject({ status: 204, body: '' });
  expect((await get(`/${id}`)).status).toBe(404);
  expect((await remove(id)).status).toBe(404);
  expect((await put(id, {})).status).toBe(404);
  expect((await eventsOf(id))[0]).toMatchObject({
    type: 'segment-deleted',
    data: null,
    preData: { id, name },
  });
});

test('counts and lists the strategies that use a segment, and rejects deleting it with 409', async () => {
  const { id } = await makeSegment();
  const shop = await makeProject(harness.db, { id: 'shop' });
  const first = await useSegment(id);
  const second = await useSegment(id, shop.id);

  const rejected = await remove(id);

  expect(rejected).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  expect((await get(`/${id}`)).body).toMatchObject({ usedInFeatures: 2, usedInProjects: 2 });
  const strategy = { environment: 'production', strategyName: 'default' };
  expect((await get(`/${id}/strategies`)).body.strategies).toEqual([
    { id: first.id, featureName: first.feature, projectId: 'default', ...strategy },
    { id: second.id, featureName: second.feature, projectId: 'shop', ...strategy },
  ]);
  expect((await get(`/strategies/${first.id}`)).body.segments).toMatchObject([{ id, usedInFeatures: 2 }]);
  expect((await get('/strategies/6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55')).body.segments).toEqual([]);
  expect((await get('/999999/strategies')).status).toBe(404);
});

test('responds with 404 for a segment of a private project to users outside the project', async () => {
  const { id: project, reader } = await makePrivateProject();
  const { id, name } = await makeSegment({ project });
  const { id: strategy } = await useSegment(id, project);

  for (const token of [viewer, editor]) {
    const responses = [await get(`/${id}`, token), await put(id, {}, token), await remove(id, token)];
    responses.push(await get(`/${id}/strategies`, token));
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(responses.map(({ body }) => body.message))).toEqual(
      new Set([`Segment ${id} does not exist.`]),
    );
    expect(await namesSeen(token)).not.toContain(name);
    expect((await get(`/strategies/${strategy}`, token)).body.segments).toEqual([]);
  }
  expect((await get(`/${id}`, reader)).body).toMatchObject({ id, project, usedInFeatures: 1 });
  expect(await namesSeen(reader)).toContain(name);
  expect((await get(`/${id}/strategies`, reader)).body.strategies).toHaveLength(1);
  expect((await get(`/strategies/${strategy}`, reader)).body.segments).toHaveLength(1);
});

test('hides uses in a private project from users outside the project', async () => {
  const { id: project, reader } = await makePrivateProject();
  const { id } = await makeSegment();
  const { id: strategy } = await useSegment(id, project);

  expect((await get(`/${id}`, viewer)).body).toMatchObject({ usedInFeatures: 0, usedInProjects: 0 });
  expect((await get(`/${id}/strategies`, viewer)).body.strategies).toEqual([]);
  expect((await get(`/strategies/${strategy}`, viewer)).body.segments).toEqual([]);
  expect((await get(`/${id}`, reader)).body).toMatchObject({ usedInFeatures: 1, usedInProjects: 1 });
});

test('a global segment requires the root permission', async () => {
  const { owner } = await makePrivateProject();
  const { id } = await makeSegment();
  const body = () => ({ name: unique(), constraints: [] });

  for (const token of [viewer, owner]) {
    const responses = [await post(body(), token), await put(id, {}, token), await remove(id, token)];
    expect(responses.map(response => response.body.name)).toEqual(Array(3).fill('NoAccessError'));
  }
  expect(await eventsOf(id)).toHaveLength(1);
  expect((await post(body(), editor)).status).toBe(201);
  expect((await put(id, {}, editor)).status).toBe(204);
  expect((await remove(id, editor)).status).toBe(204);
});

test('an owner of a project may write its segments, a reader may not', async () => {
  const { id: project, owner, reader } = await makePrivateProject();
  const body = () => ({ name: unique(), project, constraints: [] });

  const created = await post(body(), owner);
  const { id } = created.body;

  expect(created).toMatchObject({ status: 201, body: { project } });
  const rejected = [await post(body(), reader), await put(id, {}, reader), await remove(id, reader)];
  expect(rejected.map(response => response.body.name)).toEqual(Array(3).fill('NoAccessError'));
  expect(rejected[0]?.body.message).toContain(
    'the permission CREATE_SEGMENT or UPDATE_PROJECT_SEGMENT in project',
  );
  expect((await put(id, {}, owner)).status).toBe(204);
  expect((await remove(id, owner)).status).toBe(204);
  expect(await eventsOf(id)).toMatchObject(Array(3).fill({ project }));
});

test('rejects an unknown project and an unreadable project with the same response', async () => {
  const { id: project } = await makePrivateProject();
  const make = (where: string) => post({ name: unique(), project: where, constraints: [] }, editor);

  const [hidden, missing] = [await make(project), await make('nope')];

  expect([hidden.status, missing.status]).toEqual([404, 404]);
  expect(hidden.body.message.replace(project, 'nope')).toBe(missing.body.message);
});

test('moving a segment requires the permission in both projects', async () => {
  const one = await makePrivateProject();
  const other = await makePrivateProject();
  const { id } = await makeSegment({ project: one.id });

  const elsewhere = await put(id, { project: other.id }, one.owner);
  const global = await put(id, { project: null }, one.owner);
  const moved = await put(id, { project: other.id });

  expect(elsewhere).toMatchObject({
    status: 404,
    body: { message: `Project "${other.id}" does not exist.` },
  });
  expect(global).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(moved.status).toBe(204);
  expect((await get(`/${id}`, one.owner)).status).toBe(404);
  expect((await get(`/${id}`, other.owner)).body).toMatchObject({ project: other.id });
  // Each project has one of the two events, and neither event names the other project.
  const [created, deleted] = await eventsOf(id);
  expect(created).toMatchObject({ type: 'segment-created', project: other.id, preData: null });
  expect(deleted).toMatchObject({ type: 'segment-deleted', project: one.id, data: null });
});

test('the event of a segment that becomes global shows neither its project nor what it was there', async () => {
  const { id: project } = await makePrivateProject();
  const constraints = [{ contextName: 'userId', operator: 'IN' as const, values: ['secret'] }];
  const { id } = await makeSegment({ project, constraints });

  const published = await put(id, { project: null });

  expect(published.status).toBe(204);
  const [created, deleted] = await eventsOf(id);
  expect(created).toMatchObject({ type: 'segment-created', project: null, preData: null });
  expect(JSON.stringify(created)).not.toMatch(new RegExp(`secret|"${project}"`));
  expect(deleted).toMatchObject({ type: 'segment-deleted', project, data: null });
});

test('rejects moving a segment that other projects use', async () => {
  const shop = await makeProject(harness.db);
  const { id } = await makeSegment();
  await useSegment(id, 'default');

  const rejected = await put(id, { project: shop.id });
  const fitting = await put(id, { project: 'default' });

  expect(rejected).toMatchObject({ status: 400, body: { details: [{ path: '/body/project' }] } });
  expect(fitting.status).toBe(204);
});

test('deletes the segments of a deleted project, each with an event', async () => {
  const shop = await makeProject(harness.db);
  const { id } = await makeSegment({ project: shop.id });

  const { status } = await call(harness.app, 'DELETE', `/api/admin/projects/${shop.id}`);

  expect(status).toBe(200);
  expect((await get(`/${id}`)).status).toBe(404);
  const [deleted] = await eventsOf(id);
  expect(deleted).toMatchObject({ type: 'segment-deleted', project: shop.id, preData: { id }, data: null });
});

test('rejects deleting or moving a segment that a default strategy uses', async () => {
  const shop = await makeProject(harness.db);
  const { id } = await makeSegment();
  await harness.db
    .updateTable('project_environments')
    .set({ default_strategy: JSON.stringify({ name: 'default', segments: [id] }) })
    .where('project_id', '=', shop.id)
    .execute();

  const deleted = await remove(id);
  const elsewhere = await put(id, { project: 'default' });
  const there = await put(id, { project: shop.id });

  expect(deleted).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  expect(elsewhere).toMatchObject({ status: 400, body: { details: [{ path: '/body/project' }] } });
  expect(there.status).toBe(204);
});

test('the legal values of a field of the project apply to its segments', async () => {
  const { id: project } = await makeProject(harness.db);
  await harness.db
    .insertInto('context_fields')
    .values({ name: 'desk', project, legal_values: JSON.stringify([{ value: 'a' }]) })
    .execute();
  const constraints = [{ contextName: 'desk', operator: 'IN', values: ['b'] }];

  const inside = await post({ name: unique(), project, constraints });
  const outside = await post({ name: unique(), constraints });

  expect(inside).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/constraints/0/values/0' }] },
  });
  expect(outside).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/constraints/0/contextName' }] },
  });
});

test('only one of two concurrent transactions creates a segment with the same name', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('segments').values({ name: 'raced', created_by: 'x' }).execute();

  const waiting = post({ name: 'raced', constraints: [] });
  await untilWaiting(harness.db);
  await blocker.commit().execute();

  expect(await waiting).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
});

test('rejects deleting a segment that a concurrent transaction starts to use', async () => {
  const { id } = await makeSegment();
  const other = await makeSegment();
  const strategy = await useSegment(other.id);
  const blocker = await harness.db.startTransaction().execute();
  await blocker
    .insertInto('feature_strategy_segments')
    .values({ strategy_id: strategy.id, segment_id: id })
    .execute();

  const waiting = remove(id);
  await untilWaiting(harness.db);
  await blocker.commit().execute();

  expect(await waiting).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  expect((await get(`/${id}`)).status).toBe(200);
});

test('records two concurrent updates, each with the state it found', async () => {
  const { id } = await makeSegment();
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('segments').select('id').where('id', '=', id).forUpdate().execute();

  const both = Promise.all([put(id, { description: 'one' }), put(id, { description: 'two' })]);
  await untilWaiting(harness.db, 2);
  await blocker.commit().execute();
  await both;

  const [second, first] = await eventsOf(id);
  expect(second.preData).toEqual(first.data);
});
