import fc from 'fast-check';
import type { Operation } from './operations.ts';

const HOSTILE_STRINGS = [
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
/** Short strings, most of them hostile. */
export const text = fc.oneof(
  fc.constantFrom(...HOSTILE_STRINGS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 20 }),
);

/** Generates values of the type that the schema requires, and occasionally of a different type. */
function generateValue(schema: Record<string, unknown>): fc.Arbitrary<unknown> {
  const anything = fc.oneof(
    text,
    fc.jsonValue({ maxDepth: 4 }),
    fc.constantFrom(null, true, 0, -1, 1.5, [], {}),
  );
  return fc.oneof({ weight: 4, arbitrary: generateValidValue(schema) }, { weight: 1, arbitrary: anything });
}

function generateValidValue(schema: Record<string, unknown>): fc.Arbitrary<unknown> {
  const types = [schema.type].flat();
  const examples = (schema.examples as unknown[] | undefined) ?? [];
  const knownValues = [
    ...examples,
    ...((schema.enum as unknown[] | undefined) ?? []),
    ...(types.includes('null') ? [null] : []),
  ];
  const knownArbitraries = knownValues.length > 0 ? [fc.constantFrom(...knownValues)] : [];
  if (types.includes('object'))
    return generateObject((schema.properties ?? {}) as Record<string, Record<string, unknown>>);
  if (types.includes('array'))
    return fc.array(generateValue((schema.items ?? {}) as Record<string, unknown>), { maxLength: 4 });
  if (types.includes('integer')) return fc.oneof(...knownArbitraries, fc.integer(), fc.maxSafeInteger());
  if (schema.format === 'date-time') {
    const dates = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') });
    const oddDates = fc.constantFrom(
      '+275760-09-13T00:00:00Z',
      '2024-02-30T00:00:00Z',
      '2024-01-01T24:00:00Z',
      '0001-01-01T00:00:00Z',
      '2016-12-31T23:59:60Z',
      '2024-01-01T00:00:00+23:59',
    );
    return fc.oneof(
      ...knownArbitraries,
      dates.map(date => date.toISOString()),
      oddDates,
    );
  }
  return fc.oneof(...knownArbitraries, text);
}

function generateObject(properties: Record<string, Record<string, unknown>>): fc.Arbitrary<object> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, generateValue(schema)]),
  );
  return fc
    .tuple(
      fc.record(fields, { requiredKeys: [] }),
      fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 1 }),
    )
    .map(([knownFields, unknown]) => ({ ...knownFields, ...unknown }));
}

/** Generates the example with one value, at any depth, replaced or removed. Most of the results fail exactly one check. */
function mutate(example: unknown): fc.Arbitrary<unknown> {
  const paths = listPaths(example);
  const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
  return fc.tuple(fc.constantFrom(...paths), value).map(([path, other]) => replaceAt(example, path, other));
}

function listPaths(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => listPaths(item, [...path, key]))];
}

function replaceAt(value: unknown, [key, ...rest]: string[], other: unknown): unknown {
  if (key === undefined) return other;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = replaceAt(copy[key], rest, other);
  return copy;
}

/** Names that exist, so that half of the requests are not rejected with 404. */
export const EXISTING: Record<string, string> = {
  projectId: 'fuzzed',
  featureName: 'fuzzed',
  environment: 'development',
  strategyName: 'default',
  contextField: 'userId',
};

export type GeneratedRequest = {
  operation: Operation;
  url: string;
  headers: Record<string, string>;
  payload: string | undefined;
};

/** Generates requests to the operations. `authorization` is the name of a caller, or a token that is not valid. */
export const requestsTo = (operations: Operation[]): fc.Arbitrary<GeneratedRequest> =>
  fc.constantFrom(...operations).chain(operation => {
    const pathParameters = operation.parameters.filter(parameter => parameter.in === 'path');
    const queryParameters = operation.parameters.filter(parameter => parameter.in === 'query');
    const pathValue = (name: string) =>
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
          { weight: 6, arbitrary: fc.constantFrom('x', ...queryParameters.map(({ name }) => name)) },
          { weight: 1, arbitrary: text },
        ),
        fc.oneof(
          fc.constantFrom(
            ...queryParameters.map(({ schema }) =>
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
          {
            weight: 4,
            arbitrary: generateValidValue(operation.bodySchema).map(value => JSON.stringify(value)),
          },
          { weight: 5, arbitrary: mutate(operation.body).map(value => JSON.stringify(value) ?? '') },
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
    // There are few keys, so that some are reused for the same request or for a different request.
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
        pathValues: fc.tuple(...pathParameters.map(({ name }) => pathValue(name))),
        query,
        body,
        contentType,
        authorization,
        idempotencyKey,
      })
      .map(parts => ({
        operation,
        url: buildUrl(operation.path, parts.pathValues, parts.query),
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

function buildUrl(
  path: string,
  pathValues: (readonly [string, string])[],
  query: [string, string][],
): string {
  const encodedPath = pathValues.reduce(
    (url, [name, value]) => url.replace(`{${name}}`, encode(value)),
    path,
  );
  return query.length === 0
    ? encodedPath
    : `${encodedPath}?${query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')}`;
}

/** Encodes a value. A lone surrogate cannot be encoded, so it is sent as an invalid escape sequence. */
const encode = (value: string): string => (value.isWellFormed() ? encodeURIComponent(value) : '%ED%A0%80');
