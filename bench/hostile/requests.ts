import fc from 'fast-check';
import { requestsTo, text } from '../../server/src/test/generated-requests.ts';
import type { Operation } from '../../server/src/test/operations.ts';
import { evaluationTwists } from './evaluation-twists.ts';
import { sdkTwists } from './sdk-twists.ts';

export const CALLERS = [
  'nobody',
  'sdk',
  'page',
  'viewer',
  'editor',
  'member',
  'admin',
  'session',
  'service-account',
] as const;
export type CallerName = (typeof CALLERS)[number];

/** How the bytes reach the server. */
export type Delivery = 'whole' | 'several at once' | 'cut off in the body' | 'abandoned' | 'wrong length';

export type HostileRequest = {
  /** The operation of the OpenAPI document that it started from. */
  operation: string;
  caller: CallerName;
  method: string;
  /** The target in the first line of the request. */
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  delivery: Delivery;
};

/** Callers by weight: those with more permissions reach more code. */
const adminCaller = fc.constantFrom<CallerName>(
  'nobody',
  'sdk',
  'viewer',
  ...Array<CallerName>(3).fill('editor'),
  ...Array<CallerName>(3).fill('member'),
  ...Array<CallerName>(6).fill('admin'),
  ...Array<CallerName>(3).fill('session'),
  ...Array<CallerName>(2).fill('service-account'),
);

const sdkCaller = fc.constantFrom<CallerName>(...CALLERS, ...Array<CallerName>(24).fill('sdk'));
/** The frontend API takes only tokens of pages, and OFREP takes both. */
const pageCaller = fc.constantFrom<CallerName>(
  ...CALLERS,
  ...Array<CallerName>(6).fill('sdk'),
  ...Array<CallerName>(24).fill('page'),
);

const delivery = fc.constantFrom<Delivery>(
  ...Array<Delivery>(40).fill('whole'),
  ...Array<Delivery>(4).fill('several at once'),
  'cut off in the body',
  'abandoned',
  'wrong length',
);

/** Requests of the fuzz test, some of them with a hostile body, query, path or header instead of their own. */
export function hostileRequests(operations: Operation[]): fc.Arbitrary<HostileRequest> {
  const areForSdks = operations.every(({ isForSdks }) => isForSdks);
  const areForPages = operations.every(({ path }) => /^\/(api\/frontend|ofrep)/.test(path));
  const evaluate = operations.every(({ path }) =>
    /frontend|ofrep|playground|metrics|usage|register/.test(path),
  );
  const caller = areForPages ? pageCaller : areForSdks ? sdkCaller : adminCaller;
  const plain = requestsTo(operations);
  const twist = fc.oneof(
    { weight: 12, arbitrary: fc.constant<Twist>(request => request) },
    {
      weight: 4,
      arbitrary: bodies.map<Twist>(body => request => ({ ...request, body: body(request.body) })),
    },
    {
      weight: 2,
      arbitrary: queries.map<Twist>(query => request => ({ ...request, path: query(request.path) })),
    },
    { weight: 2, arbitrary: paths.map<Twist>(path => request => ({ ...request, path: path(request.path) })) },
    {
      weight: 2,
      arbitrary: headers.map<Twist>(more => request => ({
        ...request,
        headers: { ...request.headers, ...more },
      })),
    },
    { weight: areForSdks ? 12 : 1, arbitrary: sdkTwists },
    { weight: evaluate ? 24 : 1, arbitrary: evaluationTwists },
    { weight: 1, arbitrary: methods.map<Twist>(method => request => ({ ...request, method })) },
  );
  return fc
    .record({ plain, caller, delivery, twist })
    .map(({ plain: { operation, url, headers: plainHeaders, payload }, twist: twisted, ...rest }) => {
      const { authorization, ...others } = plainHeaders;
      // Names of callers are replaced by ours; tokens that are not valid stay.
      const invalid = authorization !== undefined && !['admin', 'user'].includes(authorization);
      return twisted({
        ...rest,
        operation: `${operation.method} ${operation.path}`,
        caller: invalid ? 'nobody' : rest.caller,
        method: operation.method,
        path: url,
        headers: { ...others, ...(invalid ? { authorization } : {}) },
        body: payload === undefined ? undefined : Buffer.from(payload),
      });
    });
}

type Twist = (request: HostileRequest) => HostileRequest;

const json = (value: unknown) => () => Buffer.from(JSON.stringify(value));
const raw = (value: string) => () => Buffer.from(value);

const patchBomb = (copies: number) =>
  json([
    { op: 'add', path: '/-', value: { name: 'a', weight: 1 } },
    ...Array.from({ length: copies }, () => ({ op: 'copy', from: '', path: '/-' })),
  ]);

const template = (value: string) =>
  json({
    provider: 'webhook',
    enabled: true,
    description: 'hostile',
    parameters: { url: 'https://hooks.example.com/', bodyTemplate: value },
    events: ['feature-created'],
  });

type MakeBody = (body: Buffer | undefined) => Buffer;

const bodies: fc.Arbitrary<MakeBody> = fc.oneof(
  fc.constantFrom<MakeBody>(
    // broken JSON and bad encodings
    raw('{"name":'),
    raw('{"name":"a"}{"name":"b"}'),
    raw('\ufeff{"name":"a"}'),
    raw('{"name":"a","name":"b"}'),
    raw('{"name":NaN}'),
    () => Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x7d]),
    () => Buffer.from('{"name":"a"}', 'utf16le'),
    raw('{"name":"\\ud83d","description":"\\udc00\\u0000"}'),
    // nesting
    raw(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
    raw(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
    raw(`{"constraints":${'['.repeat(31)}${']'.repeat(31)}}`),
    // size
    raw(`{"name":"${'n'.repeat(900_000)}"}`),
    raw(`{"description":"${'\\u0000'.repeat(100_000)}"}`),
    json(Array(100_000).fill(1)),
    json({ features: Array.from({ length: 20_000 }, (_, at) => `feature-${at}`) }),
    json(Array.from({ length: 5_000 }, () => ({ name: 'default', constraints: [] }))),
    json(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key-${at}`, at]))),
    // patches
    patchBomb(22),
    patchBomb(100),
    json([{ op: 'add', path: '/__proto__/polluted', value: true }]),
    json([{ op: 'add', path: '/constructor/prototype/polluted', value: true }]),
    json([{ op: 'move', from: '/description', path: '/description/x' }]),
    json([{ op: 'replace', path: '/disabled', value: true }]),
    json([{ op: 'replace', path: '/parameters', value: { __proto__: null, rollout: '101' } }]),
    // templates
    template(`${'{{#event}}'.repeat(2_000)}x${'{{/event}}'.repeat(2_000)}`),
    template('{{#event}}'.repeat(5_000)),
    template('{{{'.repeat(10_000)),
    template(`{{=${'<'.repeat(500)} ${'>'.repeat(500)}=}}`),
    // prototypes
    raw('{"__proto__":{"isAdmin":true},"name":"a"}'),
    raw('{"constructor":{"prototype":{"isAdmin":true}},"name":"a"}'),
    raw('{"toString":null,"hasOwnProperty":1,"valueOf":{},"name":"a"}'),
    // numbers
    raw('{"featureLimit":1e400,"sortOrder":-1e400,"id":-0,"weight":9007199254740993}'),
    raw('{"featureLimit":-1,"sortOrder":-2147483649,"userIds":[-1,0,2147483648,9007199254740992]}'),
  ),
  // The body of the request with one byte replaced.
  fc.tuple(fc.nat({ max: 255 }), fc.nat({ max: 10_000 })).map(
    ([byte, at]): MakeBody =>
      body => {
        const copy = Buffer.from(body ?? '{}');
        if (copy.length > 0) copy[at % copy.length] = byte;
        return copy;
      },
  ),
);

const joined = (path: string, more: string): string => `${path}${path.includes('?') ? '&' : '?'}${more}`;

const queries: fc.Arbitrary<(path: string) => string> = fc.constantFrom(
  ...[
    'limit=1&limit=2',
    'limit[]=1&limit[a]=2',
    'query=%',
    'query=%zz&offset=%C0%80',
    'query=%00',
    'query=%ED%A0%80',
    'offset=-1&limit=-1',
    'offset=99999999999999999999',
    'limit=1e3',
    'offset=2147483648',
    `query=${'a'.repeat(12_000)}`,
    `query=${'%25'.repeat(2_000)}`,
    Array(2_000).fill('a=b').join('&'),
    'project=IS:&feature=IS_ANY_OF:,,,&type=IS:a,b',
    `feature=IS_ANY_OF:${Array(2_000).fill('x').join(',')}`,
    'from=IS:0000-00-00&to=IS:9999-12-31',
    'from=IS:294277-01-01&to=IS:-4713-01-01',
    'sortBy=__proto__&sortOrder=constructor',
    'dryRun=true&dryRun=false',
    '__proto__[isAdmin]=1&constructor.prototype.isAdmin=1',
    '&&&===&?&#',
  ].map(more => (path: string) => joined(path, more)),
);

const paths: fc.Arbitrary<(path: string) => string> = fc.oneof(
  fc.constantFrom<(path: string) => string>(
    path => path.replaceAll('/', '//'),
    path => `${path}/`,
    path => `${path}/../../../../etc/passwd`,
    path => path.replace('/api', '/api/..;/api'),
    path => path.replace('/admin', '/%61dmin'),
    path => path.replace(/\/([^/?]+)(\?|$)/, '%2f$1$2'),
    path => path.replace(/([^/?]+)(\?|$)/, '%2e%2e%2f$1$2'),
    path => path.replace(/([^/?]+)(\?|$)/, '$1%00$2'),
    path => path.replace(/([^/?]+)(\?|$)/, '%ff%fe$2'),
    path => path.replace(/([^/?]+)(\?|$)/, '%$2'),
    path => path.replace(/([^/?]+)(\?|$)/, `${'p'.repeat(10_000)}$2`),
    path => path.replace(/([^/?]+)(\?|$)/, `${'%F0%9F%9A%A9'.repeat(500)}$2`),
    path => `http://other.example.com${path}`,
    path => path.toUpperCase(),
    path => `/${path}`,
    () => '*',
  ),
  text.map(
    piece => (path: string) =>
      path.replace(/([^/?]+)(\?|$)/, `${encodeURIComponent(piece.toWellFormed())}$2`),
  ),
);

const headers: fc.Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>>(
  { 'content-type': 'application/xml' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/json-patch+json' },
  { 'content-type': 'application/json;;;=' },
  { 'content-type': `application/json; ${'x'.repeat(4_000)}` },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br, deflate' },
  { 'accept-encoding': 'gzip, br;q=0, *;q=x' },
  { accept: '*/*;q=-1, text/html' },
  { 'if-none-match': '*' },
  { 'if-modified-since': 'never' },
  { range: 'bytes=0-,-5' },
  { expect: 'something' },
  { 'x-forwarded-for': `${'1.1.1.1, '.repeat(300)}::1` },
  { 'x-forwarded-host': 'other.example.com', 'x-forwarded-proto': 'gopher' },
  { host: 'other.example.com:99999' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { cookie: 'a=b; __Host-halyard=; halyard-session=%00; =; ;;;' },
  { cookie: `c=${'x'.repeat(6_000)}` },
  { 'idempotency-key': 'shared' },
  { 'idempotency-key': ' ' },
  { 'idempotency-key': 'k, k' },
  { 'x-request-id': '\xff\xfe<script>' },
  { traceparent: '00-zz-zz-zz' },
  { 'x-http-method-override': 'DELETE' },
);

const methods = fc.constantFrom(
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
);
