import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { HostileRequest } from './requests.ts';

type Twist = (request: HostileRequest) => HostileRequest;

const EPOCH_AND_SCOPE = '0d3c9fb2a1.5f0c8d0e4a';

/** Headers that SDKs send, with hostile values. */
const headers = fc.constantFrom<Record<string, string>>(
  { 'if-none-match': `"${EPOCH_AND_SCOPE}.42"` },
  { 'if-none-match': `W/"${EPOCH_AND_SCOPE}.99999999999999999999-gzip", *` },
  { 'if-none-match': Array(500).fill(`"${EPOCH_AND_SCOPE}.1"`).join(',') },
  { 'if-none-match': `"${'-'.repeat(8_000)}` },
  { 'last-event-id': `${EPOCH_AND_SCOPE}.0` },
  { 'last-event-id': `"${EPOCH_AND_SCOPE}.-1"` },
  { 'last-event-id': '.'.repeat(8_000) },
  { 'unleash-client-spec': '4.1.99' },
  { 'unleash-client-spec': '99999999999.0.0' },
  { 'unleash-client-spec': `5.2.0-${'x'.repeat(5_000)}` },
  { 'unleash-client-spec': '' },
  { 'unleash-connection-id': 'c'.repeat(6_000) },
  { 'unleash-connection-id': '__proto__', 'x-unleash-connection-id': 'constructor' },
  { authorization: 'Bearer ' },
  { authorization: `*:development.${'x'.repeat(6_000)}` },
  { authorization: 'user:0123456789' },
  { authorization: '[]:development.00000000000000000000' },
  { 'accept-encoding': 'gzip;q=0, identity;q=0' },
  { 'accept-encoding': 'GZIP;q=0.000, *' },
);

/** Filters, most of which make a scope of their own. */
const queries = fc.oneof(
  fc.constantFrom(
    Array(500).fill('project=fuzzed').join('&'),
    Array.from({ length: 500 }, (_, at) => `tag=simple:${at}`).join('&'),
    'namePrefix=%F0%9F%9A%A9&namePrefix=b',
    `namePrefix=${'n'.repeat(8_000)}`,
    'project[]=a&tag[a]=b&project=',
    'environment=production',
  ),
  fc.string({ maxLength: 8 }).map(prefix => `namePrefix=${encodeURIComponent(prefix.toWellFormed())}`),
);

type MakeBody = (body: Buffer | undefined) => Buffer;

const compressed = fc.constantFrom<MakeBody>(
  body => gzipSync(body ?? '{}'),
  body => gzipSync(body ?? '{"appName":"a"}').subarray(0, 20),
  () => gzipSync(Buffer.alloc(20_000_000, ' ')),
  () => gzipSync(`{"tokens":${'['.repeat(1_000_000)}`),
  () => gzipSync(`{"bucket":{"toggles":{${'"a":{},'.repeat(190_000)}"b":{}}}}`),
  () => gzipSync(gzipSync('{}')),
);

export const sdkTwists: fc.Arbitrary<Twist> = fc.oneof(
  headers.map<Twist>(more => request => ({ ...request, headers: { ...request.headers, ...more } })),
  queries.map<Twist>(more => request => ({
    ...request,
    path: `${request.path}${request.path.includes('?') ? '&' : '?'}${more}`,
  })),
  compressed.map<Twist>(compress => request => ({
    ...request,
    headers: { ...request.headers, 'content-encoding': 'gzip', 'content-type': 'application/json' },
    body: compress(request.body),
  })),
);
