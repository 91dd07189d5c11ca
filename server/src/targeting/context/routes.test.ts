import { expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { change } from '../../record/change.ts';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { createContextField } from './create.ts';
import { MAX_LEGAL_VALUES, type NewContextField } from './schema.ts';

const harness = useHarness();

const makeField = (fields: NewContextField) =>
  change(harness.db, SYSTEM, current => createContextField(current, fields));

const listEvents = async (name: string) => {
  const { body } = await call(
    harness.app,
    'GET',
    `/api/admin/search/events?query=${encodeURIComponent(`"${name}"`)}`,
  );
  return body.events;
};

const listPaths = (response: { body: { details: { path: string }[] } }) =>
  response.body.details.map(detail => detail.path).toSorted();

test('lists the built-in fields in order', async () => {
  const { body } = await call(harness.app, 'GET', '/api/admin/context');

  const names = body.slice(0, 5).map((field: { name: string }) => field.name);
  expect(names).toEqual(['environment', 'userId', 'appName', 'currentTime', 'sessionId']);
});

test('creates a field, lists it and records an event', async () => {
  const legalValues = [{ value: 'NO', description: 'Norway' }, { value: 'SE' }];
  const fields = { name: 'country', description: 'Where', stickiness: true, sortOrder: 7, legalValues };
  const body = {
    ...fields,
    unknown: 1,
    legalValues: legalValues.map(legalValue => ({ ...legalValue, unknown: 1 })),
  };

  const creation = await call(harness.app, 'POST', '/api/admin/context', { body });

  expect(creation.status).toBe(201);
  expect(creation.body).toEqual({
    ...fields,
    project: null,
    createdAt: expect.any(String),
    usedInFeatures: 0,
    usedInProjects: 0,
  });
  expect((await call(harness.app, 'GET', '/api/admin/context/country')).body).toEqual(creation.body);
  expect((await call(harness.app, 'GET', '/api/admin/context')).body).toContainEqual(creation.body);
  expect(await listEvents('country')).toMatchObject([
    { type: 'context-field-created', project: null, data: fields, preData: null },
  ]);
});

test('fills in the defaults of a field that is created with only a name', async () => {
  const { body } = await call(harness.app, 'POST', '/api/admin/context', { body: { name: 'bare' } });

  expect(body).toMatchObject({ description: null, stickiness: false, sortOrder: 10, legalValues: [] });
});

test('lists fields by sort order, then by name', async () => {
  await makeField({ name: 'sorted-b', sortOrder: 500 });
  await makeField({ name: 'sorted-a', sortOrder: 500 });
  await makeField({ name: 'sorted-c', sortOrder: 499 });

  const { body } = await call(harness.app, 'GET', '/api/admin/context');

  const names = body.map((field: { name: string }) => field.name);
  expect(names.slice(-3)).toEqual(['sorted-c', 'sorted-a', 'sorted-b']);
});

test.each([
  ['no name', {}, ['/body/name']],
  ['an empty name', { name: '' }, ['/body/name', '/body/name']],
  ['a name with a slash', { name: 'a/b' }, ['/body/name']],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, ['/body/name']],
  ['a description of 251 characters', { name: 'x', description: 'x'.repeat(251) }, ['/body/description']],
  [
    'stickiness that is a string and a sort order that is not an integer',
    { name: 'x', stickiness: 'yes', sortOrder: 1.5 },
    ['/body/sortOrder', '/body/stickiness'],
  ],
  ['a sort order the database cannot hold', { name: 'x', sortOrder: 2_147_483_648 }, ['/body/sortOrder']],
  [
    'a legal value without a value and one that is too long',
    { name: 'x', legalValues: [{}, { value: 'x'.repeat(101), description: 'x'.repeat(101) }] },
    ['/body/legalValues/0/value', '/body/legalValues/1/description', '/body/legalValues/1/value'],
  ],
  [
    'two duplicate legal values',
    { name: 'x', legalValues: ['a', 'b', 'a', 'b'].map(value => ({ value })) },
    ['/body/legalValues/2/value', '/body/legalValues/3/value'],
  ],
  [
    'a legal value with a line break',
    { name: 'x', legalValues: [{ value: 'a\nb' }] },
    ['/body/legalValues/0/value'],
  ],
])('rejects a field with %s with 400', async (_case, body, paths) => {
  const response = await call(harness.app, 'POST', '/api/admin/context', { body });

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(listPaths(response)).toEqual(paths);
});

test('rejects a taken name with 409', async () => {
  const response = await call(harness.app, 'POST', '/api/admin/context', { body: { name: 'userId' } });

  expect(response).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
});

test('validates a name without creating a field', async () => {
  const validate = (name: string) =>
    call(harness.app, 'POST', '/api/admin/context/validate', { body: { name } });

  const responses = [await validate('free'), await validate('userId'), await validate('not free')];

  expect(responses.map(response => response.status)).toEqual([200, 409, 400]);
  expect(responses[0]?.body).toBe('');
  expect((await call(harness.app, 'GET', '/api/admin/context/free')).status).toBe(404);
});

test('updates a field and records its previous state', async () => {
  await makeField({ name: 'planned', description: 'Old', sortOrder: 3 });

  const update = await call(harness.app, 'PUT', '/api/admin/context/planned', {
    body: { name: 'ignored', description: 'New', stickiness: true, legalValues: [{ value: 'gold' }] },
  });

  const data = { name: 'planned', description: 'New', stickiness: true, legalValues: [{ value: 'gold' }] };
  expect(update).toMatchObject({ status: 200, body: { ...data, sortOrder: 3 } });
  expect((await call(harness.app, 'GET', '/api/admin/context/planned')).body).toEqual(update.body);
  expect((await listEvents('planned'))[0]).toMatchObject({
    type: 'context-field-updated',
    data,
    preData: { name: 'planned', description: 'Old', stickiness: false, legalValues: [] },
  });
});

test('an update resets omitted stickiness and legal values but keeps an omitted description and sort order', async () => {
  await makeField({
    name: 'left-out',
    description: 'Kept',
    sortOrder: 3,
    stickiness: true,
    legalValues: [{ value: 'a' }],
  });

  const { body } = await call(harness.app, 'PUT', '/api/admin/context/left-out', { body: {} });

  expect(body).toMatchObject({ description: 'Kept', sortOrder: 3, stickiness: false, legalValues: [] });
});

test('removes the description if it is null', async () => {
  await makeField({ name: 'described', description: 'Something' });

  const { body } = await call(harness.app, 'PUT', '/api/admin/context/described', {
    body: { description: null },
  });

  expect(body.description).toBeNull();
});

test('records no event if nothing changes', async () => {
  const legalValue = { value: 'a', description: 'A' };
  await makeField({ name: 'still', description: 'Same', legalValues: [legalValue] });

  await call(harness.app, 'PUT', '/api/admin/context/still', {
    body: { description: 'Same', legalValues: [{ description: 'A', value: 'a' }] },
  });
  await call(harness.app, 'POST', '/api/admin/context/still/legal-values', { body: legalValue });
  const deletion = await call(harness.app, 'DELETE', '/api/admin/context/still/legal-values/never-there');

  expect(deletion.status).toBe(200);
  expect(await listEvents('still')).toHaveLength(1);
});

test('rejects an update with an invalid legal value and changes nothing', async () => {
  await makeField({ name: 'rejected', legalValues: [{ value: 'a' }] });

  const response = await call(harness.app, 'PUT', '/api/admin/context/rejected', {
    body: { legalValues: [{ value: 'b' }, { value: 'b' }] },
  });

  expect(response.status).toBe(400);
  expect(listPaths(response)).toEqual(['/body/legalValues/1/value']);
  expect(await listEvents('rejected')).toHaveLength(1);
});

test('appends, replaces and deletes a legal value', async () => {
  await makeField({ name: 'tier', legalValues: [{ value: 'gold' }, { value: 'tin' }] });
  const postValue = (body: object) =>
    call(harness.app, 'POST', '/api/admin/context/tier/legal-values', { body });

  const addition = await postValue({ value: '50 % / month', unknown: 1 });
  const replacement = await postValue({ value: 'gold', description: 'The best' });
  const deletion = await call(
    harness.app,
    'DELETE',
    `/api/admin/context/tier/legal-values/${encodeURIComponent('50 % / month')}`,
  );

  expect([addition.status, replacement.status, deletion.status]).toEqual([200, 200, 200]);
  expect(addition.body.legalValues).toEqual([{ value: 'gold' }, { value: 'tin' }, { value: '50 % / month' }]);
  expect(replacement.body.legalValues[0]).toEqual({ value: 'gold', description: 'The best' });
  const remainingValues = [{ value: 'gold', description: 'The best' }, { value: 'tin' }];
  expect((await call(harness.app, 'GET', '/api/admin/context/tier')).body.legalValues).toEqual(
    remainingValues,
  );
  const [newestEvent] = await listEvents('tier');
  expect(newestEvent).toMatchObject({
    type: 'context-field-updated',
    data: { legalValues: remainingValues },
    preData: { legalValues: [...remainingValues, { value: '50 % / month' }] },
  });
});

test.each([
  ['no value', {}],
  ['an empty value', { value: '' }],
  ['a value of 101 characters', { value: 'x'.repeat(101) }],
  ['a line break in the value', { value: 'a\nb' }],
])('rejects a legal value with %s', async (_case, body) => {
  const response = await call(harness.app, 'POST', '/api/admin/context/userId/legal-values', { body });

  expect(response).toMatchObject({ status: 400, body: { details: [{ path: '/body/value' }] } });
});

test('rejects a legal value beyond the limit but replaces an existing value', async () => {
  const legalValues = Array.from({ length: MAX_LEGAL_VALUES }, (_, index) => ({ value: `v${index}` }));
  await makeField({ name: 'full', legalValues });
  const postValue = (body: object) =>
    call(harness.app, 'POST', '/api/admin/context/full/legal-values', { body });

  const [addition, replacement] = [
    await postValue({ value: 'more' }),
    await postValue({ value: 'v0', description: 'First' }),
  ];

  expect(addition).toMatchObject({ status: 400, body: { name: 'ExceedsLimitError' } });
  expect(replacement.status).toBe(200);
});

test('deletes a field and records an event', async () => {
  await makeField({ name: 'doomed', description: 'Not for long' });

  const response = await call(harness.app, 'DELETE', '/api/admin/context/doomed');

  expect(response).toMatchObject({ status: 200, body: '' });
  expect((await call(harness.app, 'GET', '/api/admin/context/doomed')).status).toBe(404);
  expect((await listEvents('doomed'))[0]).toMatchObject({
    type: 'context-field-deleted',
    data: null,
    preData: { name: 'doomed', description: 'Not for long' },
  });
});

test.each([
  ['GET', '/api/admin/context/nope', undefined],
  ['PUT', '/api/admin/context/nope', {}],
  ['DELETE', '/api/admin/context/nope', undefined],
  ['POST', '/api/admin/context/nope/legal-values', { value: 'a' }],
  ['DELETE', '/api/admin/context/nope/legal-values/a', undefined],
] as const)('%s %s responds with 404', async (method, url, body) => {
  expect(await call(harness.app, method, url, { body })).toMatchObject({
    status: 404,
    body: { name: 'NotFoundError', message: 'Context field "nope" does not exist.' },
  });
});

test('lets a Viewer read fields and an Editor create fields', async () => {
  const viewer = await makeUser(harness.db, 'Viewer');
  const editor = await makeUser(harness.db, 'Editor');
  const create = (token: string) =>
    call(harness.app, 'POST', '/api/admin/context', { token, body: { name: 'guarded' } });

  const readResponse = await call(harness.app, 'GET', '/api/admin/context/userId', { token: viewer.token });
  const rejection = await create(viewer.token);
  const creation = await create(editor.token);

  expect(readResponse.status).toBe(200);
  expect(rejection).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(rejection.body.message).toContain('CREATE_CONTEXT_FIELD');
  expect(creation.status).toBe(201);
});

test('keeps both of two legal values added concurrently and records the previous state of each change', async () => {
  await makeField({ name: 'contended' });
  const postValue = (value: string) =>
    call(harness.app, 'POST', '/api/admin/context/contended/legal-values', { body: { value } });
  const blocker = await harness.db.startTransaction().execute();
  await blocker
    .selectFrom('context_fields')
    .select('name')
    .where('name', '=', 'contended')
    .forUpdate()
    .execute();

  const requests = Promise.all([postValue('a'), postValue('b')]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();
  await requests;

  const { legalValues } = (await call(harness.app, 'GET', '/api/admin/context/contended')).body;
  expect(legalValues.map((legalValue: { value: string }) => legalValue.value).toSorted()).toEqual(['a', 'b']);
  const [secondEvent, firstEvent] = await listEvents('contended');
  expect(secondEvent.preData).toEqual(firstEvent.data);
});

test('creates a field with the same name in only one of two concurrent transactions', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('context_fields').values({ name: 'raced' }).execute();

  const creation = call(harness.app, 'POST', '/api/admin/context', { body: { name: 'raced' } });
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect(await creation).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  expect(await listEvents('raced')).toEqual([]);
});

test('returns 404 for an update that waited for a concurrent deletion', async () => {
  await makeField({ name: 'vanishing' });
  const blocker = await harness.db.startTransaction().execute();
  await blocker.deleteFrom('context_fields').where('name', '=', 'vanishing').execute();

  const update = call(harness.app, 'PUT', '/api/admin/context/vanishing', { body: { stickiness: true } });
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect((await update).status).toBe(404);
  expect(await listEvents('vanishing')).toHaveLength(1);
});
