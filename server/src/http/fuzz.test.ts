import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../actor.ts';
import { createFeature } from '../features/create.ts';
import { makeProject, makeUser } from '../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../test/harness.ts';
import { listOperations, type Operation } from '../test/operations.ts';
import { call } from '../test/request.ts';

const RUNS = 6_000;
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);

const harness = useHarness();
const operations = listOperations();

beforeAll(async () => {
  await makeProject(harness.db, { id: 'fuzzed' });
  await createFeature(harness.db, SYSTEM, 'fuzzed', { name: 'fuzzed' });
});

const NASTY = [
  '',
  ' ',
  '.',
  '..',
  '*',
  '%',
  '_',
  '\\',
  "'",
  '"',
  "'; drop table events; --",
  '\u0000',
  '\u0007',
  '\n',
  '\u2028',
  '\ud800',
  '\u202e',
  'ÿ',
  '🚩',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-0',
  '1e308',
  '99999999999999999999',
  '2147483648',
  '2024-13-01',
  '0000-00-00',
  'IS:',
  'IS:a,',
  'IS_ANY_OF:a,b',
  'IS:2024-02-30',
  'IS:9999-12-31',
  'IS:-1337',
  'IS:9007199254740993',
  '/~',
  '/~2/x',
  '/0/hasOwnProperty/x',
  '/-',
  'x'.repeat(300),
  'x'.repeat(5_000),
];
const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 20 }),
);

/** Values of the kind a schema asks for, and now and then of another. */
function valueFor(schema: Record<string, unknown>): fc.Arbitrary<unknown> {
  const anything = fc.oneof(
    text,
    fc.jsonValue({ maxDepth: 4 }),
    fc.constantFrom(null, true, 0, -1, 1.5, [], {}),
  );
  return fc.oneof({ weight: 4, arbitrary: fitting(schema) }, { weight: 1, arbitrary: anything });
}

function fitting(schema: Record<string, unknown>): fc.Arbitrary<unknown> {
  const types = [schema.type].flat();
  const examples = (schema.examples as unknown[] | undefined) ?? [];
  const given = [
    ...examples,
    ...((schema.enum as unknown[] | undefined) ?? []),
    ...(types.includes('null') ? [null] : []),
  ];
  const known = given.length > 0 ? [fc.constantFrom(...given)] : [];
  if (types.includes('object'))
    return objectFor((schema.properties ?? {}) as Record<string, Record<string, unknown>>);
  if (types.includes('array'))
    return fc.array(valueFor((schema.items ?? {}) as Record<string, unknown>), { maxLength: 4 });
  if (types.includes('integer')) return fc.oneof(...known, fc.integer(), fc.maxSafeInteger());
  if (schema.format === 'date-time') {
    const dates = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') });
    const odd = fc.constantFrom(
      '+275760-09-13T00:00:00Z',
      '2024-02-30T00:00:00Z',
      '2024-01-01T24:00:00Z',
      '0001-01-01T00:00:00Z',
      '2016-12-31T23:59:60Z',
      '2024-01-01T00:00:00+23:59',
    );
    return fc.oneof(
      ...known,
      dates.map(date => date.toISOString()),
      odd,
    );
  }
  return fc.oneof(...known, text);
}

function objectFor(properties: Record<string, Record<string, unknown>>): fc.Arbitrary<object> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valueFor(schema)]),
  );
  return fc
    .tuple(
      fc.record(fields, { requiredKeys: [] }),
      fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 1 }),
    )
    .map(([known, unknown]) => ({ ...known, ...unknown }));
}

/** The example with one of its values, at any depth, replaced or removed: most of these pass all checks but one. */
function mutated(example: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(example);
  const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
  return fc.tuple(fc.constantFrom(...places), value).map(([place, other]) => replaced(example, place, other));
}

function placesIn(value: unknown, place: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [place];
  return [place, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...place, key]))];
}

function replaced(value: unknown, [key, ...rest]: string[], other: unknown): unknown {
  if (key === undefined) return other;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, other);
  return copy;
}

/** Things that exist, so that half of the requests get past the search for them. */
const EXISTING: Record<string, string> = {
  projectId: 'fuzzed',
  featureName: 'fuzzed',
  environment: 'development',
  strategyName: 'default',
  contextField: 'userId',
};

type Request = {
  operation: Operation;
  url: string;
  headers: Record<string, string>;
  payload: string | undefined;
};

const requests: fc.Arbitrary<Request> = fc.constantFrom(...operations).chain(operation => {
  const inPath = operation.parameters.filter(parameter => parameter.in === 'path');
  const inQuery = operation.parameters.filter(parameter => parameter.in === 'query');
  const place = (name: string) =>
    fc
      .oneof(
        { weight: 2, arbitrary: fc.constant(EXISTING[name] ?? '777777') },
        { weight: 1, arbitrary: fc.constantFrom('777777', 'default', 'fuzzed', 'nope') },
        { weight: 1, arbitrary: text },
      )
      .map(value => [name, value] as const);
  const query = fc.array(
    fc.tuple(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom('x', ...inQuery.map(({ name }) => name)) },
        { weight: 1, arbitrary: text },
      ),
      fc.oneof(
        fc.constantFrom(
          ...inQuery.map(({ schema }) =>
            String((schema as { pattern?: string }).pattern ? 'IS:default' : '5'),
          ),
          'IS:1',
        ),
        text,
      ),
    ),
    { maxLength: 4 },
  );
  const body = operation.bodySchema
    ? fc.oneof(
        { weight: 4, arbitrary: fitting(operation.bodySchema).map(value => JSON.stringify(value)) },
        { weight: 5, arbitrary: mutated(operation.body).map(value => JSON.stringify(value) ?? '') },
        { weight: 1, arbitrary: fc.json() },
        { weight: 1, arbitrary: text },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            '',
            '{',
            `${'['.repeat(5_000)}`,
            '{"__proto__":{"a":1}}',
            `{"name":"${'y'.repeat(1_100_000)}"}`,
            '{"name":"\\u0000"}',
            '{"name":"\\ud800"}',
          ),
        },
      )
    : fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: text });
  const contentType = fc.constantFrom(
    'application/json',
    'application/json',
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    '',
  );
  const authorization = fc.constantFrom(
    ...Array(20).fill('admin'),
    'user',
    'user',
    '',
    'Bearer ',
    '*:*.x',
    `user:hyp_${'0'.repeat(49)}`,
    'ÿ'.repeat(600),
  );
  // Few keys, so that some are sent again, with the same request or with another.
  const idempotencyKey = fc.constantFrom(
    undefined,
    undefined,
    undefined,
    'k1',
    'k2',
    '',
    'x'.repeat(300),
    'ÿ',
  );
  return fc
    .record({
      places: fc.tuple(...inPath.map(({ name }) => place(name))),
      query,
      body,
      contentType,
      authorization,
      idempotencyKey,
    })
    .map(parts => ({
      operation,
      url: addressOf(operation.path, parts.places, parts.query),
      headers: {
        ...(parts.authorization === '' ? {} : { authorization: parts.authorization }),
        ...(parts.idempotencyKey === undefined ? {} : { 'idempotency-key': parts.idempotencyKey }),
        ...(parts.contentType === '' || parts.body === undefined
          ? {}
          : { 'content-type': parts.contentType }),
      },
      payload: parts.body,
    }));
});

function addressOf(path: string, places: (readonly [string, string])[], query: [string, string][]): string {
  const encoded = places.reduce((url, [name, value]) => url.replace(`{${name}}`, encode(value)), path);
  return query.length === 0
    ? encoded
    : `${encoded}?${query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')}`;
}

/** Half a surrogate pair cannot be encoded; it goes out as a broken escape instead. */
const encode = (value: string): string => (value.isWellFormed() ? encodeURIComponent(value) : '%ED%A0%80');

const ALWAYS = [400, 401, 403, 404, 413, 415];
const LEAK = /select |insert into|pg_|at .*\.ts:|node_modules|constraint|syntax error at/i;

/** NUL, half a surrogate pair, and an overlong NUL in a broken escape. */
const UNSTORABLE = ['a%00b', '%ED%A0%80', '%C0%80%'];

test('no parameter of an address becomes a 5xx by a character that cannot be stored', async () => {
  const user = await makeUser(harness.db, 'Admin');
  const found: string[] = [];
  for (const { method, path, parameters, body } of operations) {
    // Reads of things that exist; deletions only of things that do not.
    const fill = (template: string) =>
      template.replace(/\{(\w+)\}/g, (_, name) =>
        method === 'DELETE' ? 'nope' : (EXISTING[name] ?? String(user.id)),
      );
    const address = fill(path);
    const inPath = parameters.filter(parameter => parameter.in === 'path');
    const names = ['unknown', ...parameters.filter(one => one.in === 'query').map(({ name }) => name)];
    const urls = UNSTORABLE.flatMap(text => [
      ...names.map(name => `${address}?${name}=${text}`),
      ...inPath.map(({ name }) => fill(path.replace(`{${name}}`, text))),
    ]);
    for (const url of [...urls, `${address}?%00=1`]) {
      const { status } = await call(harness.app, method, url, {
        token: user.token,
        // A body that is rejected keeps a write from being done many times; the parameters are read first.
        ...(body === undefined ? {} : { body: null }),
      });
      if (status >= 500) found.push(`${method} ${url}: ${status}`);
    }
  }

  expect(found).toEqual([]);
}, 60_000);

const PATCHES = 400;

test(`${PATCHES} generated JSON Patches: none becomes a 5xx (seed ${SEED})`, async () => {
  const pointer = fc.oneof(
    fc.constantFrom('', '/', '/-', '/0', '/0/name', '/0/payload/value', '/description', '/stale', 'stale'),
    text,
  );
  const patches = fc.array(
    fc.record(
      {
        op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
        path: pointer,
        from: pointer,
        value: fc.oneof(
          fc.jsonValue({ maxDepth: 2 }),
          fc.constantFrom({ name: 'blue', weight: 0 }, 'text', true),
        ),
      },
      { requiredKeys: ['op', 'path'] },
    ),
    { minLength: 1, maxLength: 6 },
  );
  const feature = '/api/admin/projects/fuzzed/features/fuzzed';
  const addresses = [feature, `${feature}/environments/development/variants`];

  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...addresses), patches, async (url, body) => {
      expect([200, 400]).toContain((await call(harness.app, 'PATCH', url, { body })).status);
    }),
    { numRuns: PATCHES, seed: SEED },
  );
}, 60_000);

test(`${RUNS} generated requests over every route: no 5xx, only documented answers, no inner text (seed ${SEED})`, async () => {
  const user = await makeUser(harness.db, 'Editor');
  const tokens: Record<string, string> = { admin: ADMIN_TOKEN, user: user.token };
  const asked = new Set<string>();
  let pastTheGuard = 0;

  await fc.assert(
    fc.asyncProperty(requests, async ({ operation, url, headers, payload }) => {
      const authorization =
        headers.authorization === undefined
          ? {}
          : { authorization: tokens[headers.authorization] ?? headers.authorization };
      const response = await harness.app.inject({
        method: operation.method,
        url,
        headers: { ...headers, ...authorization },
        ...(payload === undefined ? {} : { payload }),
      });
      asked.add(`${operation.method} ${operation.path}`);
      if (response.statusCode !== 401) pastTheGuard++;

      expect([...operation.statuses.filter(status => status < 500), ...ALWAYS]).toContain(
        response.statusCode,
      );
      if (response.statusCode >= 400) {
        expect(response.json()).toEqual({
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          name: expect.stringMatching(/^[A-Z]\w+$/),
          message: expect.any(String),
          details: expect.arrayContaining([expect.objectContaining({ message: expect.any(String) })]),
        });
        expect(response.json().message).not.toMatch(LEAK);
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );

  expect(asked.size).toBe(operations.length);
  // A run whose token got lost would prove nothing.
  expect(pastTheGuard).toBeGreaterThan(RUNS * 0.7);
}, 120_000);
