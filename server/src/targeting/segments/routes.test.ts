import { beforeEach, expect, test } from 'vitest';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import type { SegmentInput } from './schema.ts';

const harness = useHarness();

const SEGMENTS_PATH = '/api/admin/segments';
const CONSTRAINTS = [{ contextName: 'userId', operator: 'IN' as const, values: ['7'] }];
const STORED_CONSTRAINTS = [{ ...CONSTRAINTS[0], inverted: false, caseInsensitive: false }];

let segmentCount = 0;
const makeUniqueName = () => `segment-${++segmentCount}`;

const post = (body: unknown, token?: string) =>
  call(harness.app, 'POST', SEGMENTS_PATH, { body, ...(token === undefined ? {} : { token }) });
const makeSegment = async (fields: Partial<SegmentInput> = {}) =>
  (await post({ name: makeUniqueName(), constraints: CONSTRAINTS, ...fields })).body;
const put = (id: number, body: object, token?: string) =>
  call(harness.app, 'PUT', `${SEGMENTS_PATH}/${id}`, {
    body: { name: `renamed-${id}`, constraints: CONSTRAINTS, ...body },
    ...(token === undefined ? {} : { token }),
  });
const remove = (id: number, token?: string) =>
  call(harness.app, 'DELETE', `${SEGMENTS_PATH}/${id}`, token === undefined ? {} : { token });
const get = async (path: string, token?: string) =>
  call(harness.app, 'GET', `${SEGMENTS_PATH}${path}`, token === undefined ? {} : { token });

const listNames = async (token?: string) =>
  (await get('', token)).body.segments.map(({ name }: { name: string }) => name);

const listEvents = async (id: number) => {
  const { body } = await call(harness.app, 'GET', '/api/admin/search/events?limit=1000');
  return body.events.filter(
    (event: { type: string; data: { id: number } | null; preData: { id: number } | null }) =>
      event.type.startsWith('segment-') && (event.data ?? event.preData)?.id === id,
  );
};

/** Inserts a feature with a strategy that uses the segment. */
async function insertFeatureWithSegment(
  segment: number,
  project = 'default',
  feature = `feature-${makeUniqueName()}`,
) {
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
  const creation = await post({
    name: '  beta users ',
    description: 'Testers',
    constraints: [{ ...CONSTRAINTS[0], unknown: 1 }],
    unknown: 1,
  });

  expect(creation).toMatchObject({ status: 201 });
  expect(creation.body).toMatchObject({
    name: 'beta users',
    description: 'Testers',
    constraints: STORED_CONSTRAINTS,
    project: null,
    createdBy: 'admin token admin',
    usedInFeatures: 0,
    usedInProjects: 0,
  });
  expect((await get(`/${creation.body.id}`)).body).toEqual(creation.body);
  expect((await get('')).body.segments).toContainEqual(creation.body);
  const { usedInFeatures: _, usedInProjects: __, ...state } = creation.body;
  const events = await listEvents(creation.body.id);
  expect(events).toMatchObject([{ type: 'segment-created', project: null, preData: null }]);
  expect(events[0].data).toEqual(state);
});

test('stores IP address ranges and inverted patterns', async () => {
  const creation = await post({
    name: 'outside the office',
    constraints: [
      { contextName: 'remoteAddress', operator: 'IN_CIDR', values: ['10.0.0.0/8 ', '::1'], inverted: true },
      { contextName: 'email', operator: 'REGEX', value: '@example\\.com$', inverted: true },
    ],
  });

  expect(creation.status).toBe(201);
  expect((await get(`/${creation.body.id}`)).body.constraints).toEqual([
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
  const constraintWith = (length: number) => ({ ...CONSTRAINTS[0], values: Array(length).fill('x') });
  const thousandValues = [constraintWith(250), constraintWith(250), constraintWith(250), constraintWith(250)];

  const largestSegment = await post({ name: makeUniqueName(), constraints: thousandValues });
  const tooManyValues = await post({
    name: makeUniqueName(),
    constraints: [...thousandValues, constraintWith(1)],
  });
  const update = await put(largestSegment.body.id, { constraints: [...thousandValues, constraintWith(1)] });

  expect(largestSegment.status).toBe(201);
  expect(tooManyValues).toMatchObject({ status: 400, body: { name: 'ExceedsLimitError' } });
  expect(update).toMatchObject({ status: 400, body: { name: 'ExceedsLimitError' } });
});

test('validates a name with 204 while it is free and with 409 once it is taken', async () => {
  const validateName = (name: string) =>
    call(harness.app, 'POST', `${SEGMENTS_PATH}/validate`, { body: { name } });

  const freeName = await validateName('validated');
  const { id } = await makeSegment({ name: 'validated' });
  const takenName = await validateName(' validated ');

  expect(freeName).toMatchObject({ status: 204, body: '' });
  expect(takenName).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  expect((await validateName(' ')).status).toBe(400);
  expect(await post({ name: 'validated', constraints: [] })).toMatchObject({ status: 409 });
  const otherSegment = await makeSegment();
  expect(await put(otherSegment.id, { name: 'validated' })).toMatchObject({ status: 409 });
  expect(await listEvents(id)).toHaveLength(1);
});

test('an update replaces name and constraints, keeps an omitted description and records the previous state', async () => {
  const { id } = await makeSegment({ name: 'before', description: 'Kept' });
  const constraints = [{ contextName: 'version', operator: 'SEMVER_GT', value: '1.0.0', inverted: true }];

  const response = await put(id, { name: ' after', constraints });

  expect(response).toMatchObject({ status: 204, body: '' });
  const storedConstraints = [{ ...constraints[0], values: [], caseInsensitive: false }];
  expect((await get(`/${id}`)).body).toMatchObject({
    name: 'after',
    description: 'Kept',
    constraints: storedConstraints,
  });
  expect((await listEvents(id))[0]).toMatchObject({
    type: 'segment-updated',
    data: { id, name: 'after', constraints: storedConstraints },
    preData: { id, name: 'before', description: 'Kept', constraints: STORED_CONSTRAINTS },
  });
});

test('records no event for an update that changes nothing', async () => {
  const { id, name } = await makeSegment();

  const response = await put(id, { name });

  expect(response.status).toBe(204);
  expect(await listEvents(id)).toHaveLength(1);
});

test('deletes a segment and records its last state', async () => {
  const { id, name } = await makeSegment();

  const response = await remove(id);

  expect(response).toMatchObject({ status: 204, body: '' });
  expect((await get(`/${id}`)).status).toBe(404);
  expect((await remove(id)).status).toBe(404);
  expect((await put(id, {})).status).toBe(404);
  expect((await listEvents(id))[0]).toMatchObject({
    type: 'segment-deleted',
    data: null,
    preData: { id, name },
  });
});

test('counts the features and lists the strategies that use a segment, and rejects its deletion with 409', async () => {
  const { id } = await makeSegment();
  const shop = await makeProject(harness.db, { id: 'shop' });
  const firstStrategy = await insertFeatureWithSegment(id);
  const secondStrategy = await insertFeatureWithSegment(id, shop.id);

  const rejection = await remove(id);

  expect(rejection).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  expect((await get(`/${id}`)).body).toMatchObject({ usedInFeatures: 2, usedInProjects: 2 });
  const strategy = { environment: 'production', strategyName: 'default' };
  expect((await get(`/${id}/strategies`)).body.strategies).toEqual([
    { id: firstStrategy.id, featureName: firstStrategy.feature, projectId: 'default', ...strategy },
    { id: secondStrategy.id, featureName: secondStrategy.feature, projectId: 'shop', ...strategy },
  ]);
  expect((await get(`/strategies/${firstStrategy.id}`)).body.segments).toMatchObject([
    { id, usedInFeatures: 2 },
  ]);
  expect((await get('/strategies/6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55')).body.segments).toEqual([]);
  expect((await get('/999999/strategies')).status).toBe(404);
});

test('responds with 404 for a segment of a private project to users outside the project', async () => {
  const { id: project, reader } = await makePrivateProject();
  const { id, name } = await makeSegment({ project });
  const { id: strategy } = await insertFeatureWithSegment(id, project);

  for (const token of [viewer, editor]) {
    const responses = [await get(`/${id}`, token), await put(id, {}, token), await remove(id, token)];
    responses.push(await get(`/${id}/strategies`, token));
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(responses.map(({ body }) => body.message))).toEqual(
      new Set([`Segment ${id} does not exist.`]),
    );
    expect(await listNames(token)).not.toContain(name);
    expect((await get(`/strategies/${strategy}`, token)).body.segments).toEqual([]);
  }
  expect((await get(`/${id}`, reader)).body).toMatchObject({ id, project, usedInFeatures: 1 });
  expect(await listNames(reader)).toContain(name);
  expect((await get(`/${id}/strategies`, reader)).body.strategies).toHaveLength(1);
  expect((await get(`/strategies/${strategy}`, reader)).body.segments).toHaveLength(1);
});

test('hides uses in a private project from users outside the project', async () => {
  const { id: project, reader } = await makePrivateProject();
  const { id } = await makeSegment();
  const { id: strategy } = await insertFeatureWithSegment(id, project);

  expect((await get(`/${id}`, viewer)).body).toMatchObject({ usedInFeatures: 0, usedInProjects: 0 });
  expect((await get(`/${id}/strategies`, viewer)).body.strategies).toEqual([]);
  expect((await get(`/strategies/${strategy}`, viewer)).body.segments).toEqual([]);
  expect((await get(`/${id}`, reader)).body).toMatchObject({ usedInFeatures: 1, usedInProjects: 1 });
});

test('requires the root permission for a global segment', async () => {
  const { owner } = await makePrivateProject();
  const { id } = await makeSegment();
  const body = () => ({ name: makeUniqueName(), constraints: [] });

  for (const token of [viewer, owner]) {
    const responses = [await post(body(), token), await put(id, {}, token), await remove(id, token)];
    expect(responses.map(response => response.body.name)).toEqual(Array(3).fill('NoAccessError'));
  }
  expect(await listEvents(id)).toHaveLength(1);
  expect((await post(body(), editor)).status).toBe(201);
  expect((await put(id, {}, editor)).status).toBe(204);
  expect((await remove(id, editor)).status).toBe(204);
});

test('project owners can write the segments of their project, but readers cannot', async () => {
  const { id: project, owner, reader } = await makePrivateProject();
  const body = () => ({ name: makeUniqueName(), project, constraints: [] });

  const creation = await post(body(), owner);
  const { id } = creation.body;

  expect(creation).toMatchObject({ status: 201, body: { project } });
  const rejections = [await post(body(), reader), await put(id, {}, reader), await remove(id, reader)];
  expect(rejections.map(response => response.body.name)).toEqual(Array(3).fill('NoAccessError'));
  expect(rejections[0]?.body.message).toContain(
    'the permission CREATE_SEGMENT or UPDATE_PROJECT_SEGMENT in project',
  );
  expect((await put(id, {}, owner)).status).toBe(204);
  expect((await remove(id, owner)).status).toBe(204);
  expect(await listEvents(id)).toMatchObject(Array(3).fill({ project }));
});

test('rejects an unknown project and an unreadable project with the same response', async () => {
  const { id: project } = await makePrivateProject();
  const makeSegmentIn = (projectId: string) =>
    post({ name: makeUniqueName(), project: projectId, constraints: [] }, editor);

  const [unreadableProject, unknownProject] = [await makeSegmentIn(project), await makeSegmentIn('nope')];

  expect([unreadableProject.status, unknownProject.status]).toEqual([404, 404]);
  expect(unreadableProject.body.message.replace(project, 'nope')).toBe(unknownProject.body.message);
});

test('requires the permission in both projects to move a segment', async () => {
  const sourceProject = await makePrivateProject();
  const targetProject = await makePrivateProject();
  const { id } = await makeSegment({ project: sourceProject.id });

  const withoutTargetPermission = await put(id, { project: targetProject.id }, sourceProject.owner);
  const withoutRootPermission = await put(id, { project: null }, sourceProject.owner);
  const move = await put(id, { project: targetProject.id });

  expect(withoutTargetPermission).toMatchObject({
    status: 404,
    body: { message: `Project "${targetProject.id}" does not exist.` },
  });
  expect(withoutRootPermission).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(move.status).toBe(204);
  expect((await get(`/${id}`, sourceProject.owner)).status).toBe(404);
  expect((await get(`/${id}`, targetProject.owner)).body).toMatchObject({ project: targetProject.id });
  // Each project gets one of the two events, and neither event names the other project.
  const [creationEvent, deletionEvent] = await listEvents(id);
  expect(creationEvent).toMatchObject({ type: 'segment-created', project: targetProject.id, preData: null });
  expect(deletionEvent).toMatchObject({ type: 'segment-deleted', project: sourceProject.id, data: null });
});

test('the event of a segment that becomes global reveals neither its old project nor its old content', async () => {
  const { id: project } = await makePrivateProject();
  const constraints = [{ contextName: 'userId', operator: 'IN' as const, values: ['secret'] }];
  const { id } = await makeSegment({ project, constraints });

  const update = await put(id, { project: null });

  expect(update.status).toBe(204);
  const [creationEvent, deletionEvent] = await listEvents(id);
  expect(creationEvent).toMatchObject({ type: 'segment-created', project: null, preData: null });
  expect(JSON.stringify(creationEvent)).not.toMatch(new RegExp(`secret|"${project}"`));
  expect(deletionEvent).toMatchObject({ type: 'segment-deleted', project, data: null });
});

test('rejects moving a segment that other projects use', async () => {
  const shop = await makeProject(harness.db);
  const { id } = await makeSegment();
  await insertFeatureWithSegment(id, 'default');

  const rejection = await put(id, { project: shop.id });
  const response = await put(id, { project: 'default' });

  expect(rejection).toMatchObject({ status: 400, body: { details: [{ path: '/body/project' }] } });
  expect(response.status).toBe(204);
});

test('deletes the segments of a deleted project and records an event for each segment', async () => {
  const shop = await makeProject(harness.db);
  const { id } = await makeSegment({ project: shop.id });

  const { status } = await call(harness.app, 'DELETE', `/api/admin/projects/${shop.id}`);

  expect(status).toBe(200);
  expect((await get(`/${id}`)).status).toBe(404);
  const [deletionEvent] = await listEvents(id);
  expect(deletionEvent).toMatchObject({
    type: 'segment-deleted',
    project: shop.id,
    preData: { id },
    data: null,
  });
});

test('rejects deleting a segment of a default strategy, or moving it to a different project', async () => {
  const shop = await makeProject(harness.db);
  const { id } = await makeSegment();
  await harness.db
    .updateTable('project_environments')
    .set({ default_strategy: JSON.stringify({ name: 'default', segments: [id] }) })
    .where('project_id', '=', shop.id)
    .execute();

  const deletion = await remove(id);
  const moveToOtherProject = await put(id, { project: 'default' });
  const moveToOwnProject = await put(id, { project: shop.id });

  expect(deletion).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  expect(moveToOtherProject).toMatchObject({ status: 400, body: { details: [{ path: '/body/project' }] } });
  expect(moveToOwnProject.status).toBe(204);
});

test("applies the legal values of a project's field to the segments of the project", async () => {
  const { id: project } = await makeProject(harness.db);
  await harness.db
    .insertInto('context_fields')
    .values({ name: 'desk', project, legal_values: JSON.stringify([{ value: 'a' }]) })
    .execute();
  const constraints = [{ contextName: 'desk', operator: 'IN', values: ['b'] }];

  const projectSegment = await post({ name: makeUniqueName(), project, constraints });
  const globalSegment = await post({ name: makeUniqueName(), constraints });

  expect(projectSegment).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/constraints/0/values/0' }] },
  });
  expect(globalSegment).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/constraints/0/contextName' }] },
  });
});

test('creates a segment with the same name in only one of two concurrent transactions', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('segments').values({ name: 'raced', created_by: 'x' }).execute();

  const creation = post({ name: 'raced', constraints: [] });
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect(await creation).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
});

test('rejects deleting a segment that a concurrent transaction starts to use', async () => {
  const { id } = await makeSegment();
  const otherSegment = await makeSegment();
  const strategy = await insertFeatureWithSegment(otherSegment.id);
  const blocker = await harness.db.startTransaction().execute();
  await blocker
    .insertInto('feature_strategy_segments')
    .values({ strategy_id: strategy.id, segment_id: id })
    .execute();

  const deletion = remove(id);
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect(await deletion).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  expect((await get(`/${id}`)).status).toBe(200);
});

test('records each of two concurrent updates with its previous state', async () => {
  const { id } = await makeSegment();
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('segments').select('id').where('id', '=', id).forUpdate().execute();

  const requests = Promise.all([put(id, { description: 'one' }), put(id, { description: 'two' })]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();
  await requests;

  const [secondEvent, firstEvent] = await listEvents(id);
  expect(secondEvent.preData).toEqual(firstEvent.data);
});
