import fc from 'fast-check';
import type { HostileRequest } from './requests.ts';

type Twist = (request: HostileRequest) => HostileRequest;

/** Every hostile context contains it. Neither the log nor the database may. */
export const MARKER = 'hostile-context-4f1b';

const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`field-${at}`, `${MARKER}-${at}`]));
const nested = (depth: number): object => (depth === 0 ? { a: MARKER } : { a: nested(depth - 1) });

/** Contexts of users, as a browser could send them. */
const contexts = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    'text',
    [],
    {},
    { userId: null, properties: null },
    { userId: { toString: 'x' }, sessionId: [MARKER], appName: 1e308 },
    { userId: MARKER.repeat(2_000) },
    { properties: fields(5_000) },
    { ...fields(2_000), properties: fields(2_000) },
    { properties: nested(30) },
    nested(60),
    JSON.parse(`{"__proto__":{"userId":"${MARKER}"},"constructor":{"prototype":{"x":1}}}`),
    JSON.parse(`{"properties":{"__proto__":"${MARKER}","toString":"x","hasOwnProperty":"y"}}`),
    { userId: `${MARKER}\u0000\ud83d`, properties: { version: '1.'.repeat(500), email: 'a'.repeat(5_000) } },
    { remoteAddress: '999.1.1.1, ::ffff:1.2.3.4%eth0', currentTime: 'not a time' },
    { remoteAddress: '1:2:3:4:5:6:7:8:9', currentTime: '+275760-09-14T00:00:00Z' },
    { currentTime: -1e20, version: '99999999999999999999.0.0', age: 'NaN' },
    { targetingKey: 42, kind: 'multi', userId: MARKER },
    { targetingKey: `${MARKER}${'🚩'.repeat(3_000)}` },
  ),
  fc
    .dictionary(
      fc.constantFrom(
        'userId',
        'sessionId',
        'remoteAddress',
        'currentTime',
        'version',
        'email',
        'age',
        'country',
      ),
      fc.oneof(fc.string({ maxLength: 40 }), fc.double(), fc.boolean(), fc.constant(null)),
    )
    .map(given => ({ ...given, note: MARKER })),
);

/** The context as a value of a query: names in brackets, repeated names, and names of prototypes. */
const queries = fc.constantFrom(
  `userId=${MARKER}&userId=other`,
  `properties[a]=${MARKER}&properties[a]=2&properties[]=3`,
  `properties[__proto__]=${MARKER}&properties[constructor][prototype]=1`,
  `__proto__[userId]=${MARKER}&properties=text`,
  Array.from({ length: 900 }, (_, at) => `properties[p${at}]=${at}`).join('&'),
  `currentTime=%00&remoteAddress=%F0%9F%9A%A9&sessionId=${'s'.repeat(6_000)}`,
  'userId=%ff&properties[%E0%A4%A]=1',
  `flagConfigEtag=${'0'.repeat(190)}`,
  'flagConfigEtag=0d3c9fb2a1.5f0c8d0e4a.4294967295&flagConfigEtag=x',
);

const tags = fc.constantFrom(
  '"0d3c9fb2a1.5f0c8d0e4a.42.0.AAAAAAAAAAAAAAAAAAAAAA.BBBBBBBBBBBBBBBBBBBBBB"',
  'W/"0d3c9fb2a1.5f0c8d0e4a.4294967295.9999999999.AAAAAAAAAAAAAAAAAAAAAA.BBBBBBBBBBBBBBBBBBBBBB-gzip", *',
  `"${'a.'.repeat(2_000)}"`,
);

const count = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom<unknown>(-1, 1e308, '7', null, {}, [], true),
);

/** Reports of SDKs: counts that are none, names that are too long, times that do not exist. */
const reports = fc
  .record({
    appName: fc.constantFrom<unknown>('app', '', 'a'.repeat(500), null, 7, '\u0000', '__proto__'),
    instanceId: fc.constantFrom<unknown>('i', '', null, 'x'.repeat(5_000), {}),
    stop: fc.constantFrom<unknown>(
      'now',
      new Date().toISOString(),
      0,
      -1e20,
      '9999-12-31T23:59:60Z',
      null,
      [],
    ),
    toggles: fc.dictionary(
      fc.constantFrom('fuzzed', 'twisted', '__proto__', '', 'n'.repeat(400), 'a\u0000b'),
      fc.oneof(
        count,
        fc.record({ yes: count, no: count, variants: fc.dictionary(fc.string({ maxLength: 300 }), count) }),
      ),
    ),
    impactMetrics: fc.constantFrom<unknown>(
      [],
      null,
      [{ name: 'x', type: 'counter', help: 'h', samples: [{ value: 'NaN', labels: { a: {} } }] }],
      [
        {
          name: 'a b\n',
          type: 'histogram',
          help: '\n',
          samples: [{ count: -1, sum: 1e308, buckets: [{ le: 'x' }] }],
        },
      ],
      Array.from({ length: 3_000 }, (_, at) => ({ name: `m${at}`, type: 'gauge', samples: [{ value: at }] })),
    ),
  })
  .map(({ stop, toggles, ...rest }) => ({ ...rest, bucket: { start: stop, stop, toggles } }));

const body = (value: unknown) => Buffer.from(JSON.stringify(value));
const json = { 'content-type': 'application/json' };
const withBody =
  (value: unknown): Twist =>
  request => ({ ...request, headers: { ...request.headers, ...json }, body: body(value) });

/** Times of the playground, next to a hostile context. */
const pasts = fc.constantFrom<object>(
  {},
  { at: '0000-01-01T00:00:00Z', features: ['fuzzed', 'twisted'] },
  { at: new Date().toISOString(), features: ['twisted'] },
  { at: '2016-12-31T23:59:60Z', features: ['fuzzed'] },
  { at: '9999-12-31T23:59:59Z', features: ['fuzzed'] },
  { features: Array.from({ length: 100 }, () => 'fuzzed') },
  {
    drafts: [
      { feature: 'fuzzed', environment: 'development', strategies: [{ name: 'default', constraints: [] }] },
    ],
  },
);

export const evaluationTwists: fc.Arbitrary<Twist> = fc.oneof(
  { weight: 4, arbitrary: contexts.map(context => withBody({ context })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(contexts, pasts)
      .map(([context, past]) =>
        withBody({ environment: 'development', environments: ['development'], context, ...past }),
      ),
  },
  {
    weight: 2,
    arbitrary: queries.map<Twist>(more => request => ({
      ...request,
      path: `${request.path}${request.path.includes('?') ? '&' : '?'}${more}`,
    })),
  },
  {
    weight: 1,
    arbitrary: tags.map<Twist>(tag => request => ({
      ...request,
      headers: { ...request.headers, 'if-none-match': tag },
    })),
  },
  { weight: 3, arbitrary: reports.map(withBody) },
);
