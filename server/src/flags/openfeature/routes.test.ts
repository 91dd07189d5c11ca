import { Ajv } from 'ajv';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeFeature, makeProject, makeUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';

const harness = useHarness();

/** Sends requests like the OpenFeature CLI 0.4.1, with a project URL as the provider URL. */
const cli = async (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  token = ADMIN_TOKEN,
  project = 'default',
) => {
  const response = await harness.app.inject({
    method,
    url: `/api/admin/projects/${project}/openfeature/v0/manifest${path}`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { payload: JSON.stringify(body) }),
  });
  return { status: response.statusCode, headers: response.headers, body: response.json() };
};

/** The schemas of the CLI's api/v0/sync.yaml, version 0.1.0. */
const FLAG = {
  type: 'object',
  required: ['key', 'type', 'defaultValue'],
  properties: {
    key: { type: 'string' },
    name: { type: 'string' },
    type: { enum: ['boolean', 'string', 'integer', 'object'] },
    description: { type: 'string' },
    defaultValue: { type: ['boolean', 'string', 'integer', 'object'] },
  },
};
const MANIFEST = {
  type: 'object',
  required: ['flags'],
  properties: { flags: { type: 'array', items: FLAG } },
};
const CHANGED = {
  type: 'object',
  required: ['flag', 'updatedAt'],
  properties: { flag: FLAG, updatedAt: { type: 'string' } },
};
const ARCHIVED = {
  type: 'object',
  required: ['message', 'archivedAt'],
  properties: { message: { type: 'string' }, archivedAt: { type: 'string' } },
};
const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'status'],
      properties: {
        message: { type: 'string' },
        status: { type: 'integer' },
        details: {
          type: 'array',
          items: { type: 'object', required: ['field', 'code', 'message'] },
        },
      },
    },
  },
};
const ajv = new Ajv({ allowUnionTypes: true });
const expectSchema = (schema: object, body: unknown) => {
  const isValid = ajv.validate(schema, body);
  expect(ajv.errors ?? []).toEqual([]);
  expect(isValid).toBe(true);
};

const setPayloads = (flag: string, payloads: ({ type: string; value: string } | undefined)[]) => {
  const variants = payloads.map((payload, n) => ({ name: `v${n}`, weight: 1, ...(payload && { payload }) }));
  return sql`
    update feature_environments set variants = ${JSON.stringify(variants)}::jsonb
    where feature_name = ${flag} and environment = 'development'`.execute(harness.db);
};

test('pull: the manifest contains the type of the values that OFREP returns for each flag', async () => {
  const project = 'manifest';
  await makeProject(harness.db, { id: project });
  const flags: Record<string, (undefined | { type: string; value: string })[]> = {
    'a-boolean': [],
    'b-variants': [undefined, undefined],
    'c-string': [undefined, { type: 'string', value: 'x' }],
    'd-object': [{ type: 'json', value: '{}' }],
    'e-integer': [{ type: 'number', value: '-7' }],
    'f-fraction': [{ type: 'number', value: '0.5' }],
  };
  for (const [name, payloads] of Object.entries(flags)) {
    await makeFeature(harness.db, project, { name });
    await setPayloads(name, payloads);
  }

  const { status, headers, body } = await cli('GET', '', undefined, ADMIN_TOKEN, project);

  expect(status).toBe(200);
  expect(headers['x-manifest-capabilities']).toBe('read,write,delete');
  expectSchema(MANIFEST, body);
  expect(body.flags).toMatchObject([
    { key: 'a-boolean', type: 'boolean', defaultValue: false },
    { key: 'b-variants', type: 'boolean', defaultValue: false },
    { key: 'c-string', type: 'string', defaultValue: '' },
    { key: 'd-object', type: 'object', defaultValue: {} },
    { key: 'e-integer', type: 'integer', defaultValue: 0 },
  ]);
});

test('push: creates and updates flags, and rejects values that flags cannot have', async () => {
  const flag = { key: 'pushed', type: 'boolean', defaultValue: false, description: 'From a manifest' };
  const response = await cli('POST', '/flags', flag);
  expect(response.status).toBe(201);
  expect(response.headers['halyard-ignored']).toContain('defaultValue');
  expectSchema(CHANGED, response.body);
  expect(response.body.flag).toEqual(flag);

  const conflict = await cli('POST', '/flags', flag);
  expect(conflict.status).toBe(409);
  expectSchema(ERROR, conflict.body);

  const update = await cli('PUT', '/flags/pushed', { ...flag, description: 'Newer' });
  expect(update).toMatchObject({ status: 200, body: { flag: { description: 'Newer' } } });
  expectSchema(CHANGED, update.body);

  for (const [method, path, body, expected] of [
    ['POST', '/flags', { ...flag, key: 'text', type: 'string', defaultValue: '' }, 400],
    ['POST', '/flags', { key: 'no-type' }, 400],
    ['PUT', '/flags/pushed', { ...flag, key: 'other' }, 400],
    ['PUT', '/flags/pushed', { ...flag, type: 'string' }, 409],
    ['PUT', '/flags/missing', { ...flag, key: 'missing' }, 404],
    ['DELETE', '/flags/missing', undefined, 404],
  ] as const) {
    const rejection = await cli(method, path, body);
    expect([path, rejection.status]).toEqual([path, expected]);
    expectSchema(ERROR, rejection.body);
    expect(rejection.body.error.status).toBe(expected);
  }
});

test('archives a flag only once and omits it from the manifest', async () => {
  await makeFeature(harness.db, 'default', { name: 'ending' });

  const response = await cli('DELETE', '/flags/ending');

  expect(response.status).toBe(200);
  expectSchema(ARCHIVED, response.body);
  const { body } = await cli('GET', '');
  expect(body.flags.map(({ key }: { key: string }) => key)).not.toContain('ending');
  for (const [method, path, flag] of [
    ['DELETE', '/flags/ending', undefined],
    ['PUT', '/flags/ending', { key: 'ending', type: 'boolean' }],
    ['POST', '/flags', { key: 'ending', type: 'boolean' }],
  ] as const)
    expect((await cli(method, path, flag)).status).toBe(409);
});

test('simultaneous pushes create a flag only once', async () => {
  const flag = { key: 'raced', type: 'boolean', defaultValue: false };

  const results = await Promise.all([1, 2, 3, 4].map(() => cli('POST', '/flags', flag)));

  expect(results.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
});

test('a Viewer can pull but not push', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');

  expect((await cli('GET', '', undefined, token)).status).toBe(200);
  const rejection = await cli('POST', '/flags', { key: 'denied', type: 'boolean' }, token);
  expect(rejection.status).toBe(403);
  expectSchema(ERROR, rejection.body);
});
