import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { TSchema } from 'typebox';
import { beforeAll, expect, test } from 'vitest';
import { makeFlusher } from '../../../server/src/reporting/metrics/flush.ts';
import { makeFeature, makeProject } from '../../../server/src/test/factories.ts';
import { useHarness } from '../../../server/src/test/harness.ts';
import { call } from '../../../server/src/test/request.ts';
import { useSdkServer } from '../../../server/src/test/sdk-server.ts';
import { openStream } from '../../../server/src/test/sdk-stream.ts';
import {
  DeltaBody,
  FrontendBody,
  findStrictViolations,
  PollBody,
  ValidTokens,
} from '../../../server/src/test/strict-sdk-shapes.ts';

// The requests of SDKs that cannot be installed here, exactly as they send them: paths, the spelling and order of headers, and
// bodies. The responses are checked with types as strict as the SDKs' parsers.

const harness = useHarness();
const server = useSdkServer(harness);
const FLAG = 'pay.checkout';
const tokens = { backend: '', frontend: '' };

type Step = {
  /** Method and path. The path is relative to /api, unless it starts with /edge. */
  to: string;
  /** Names and values in the order in which they are sent. `T`, `F` and `E` are the two tokens and the previous step's ETag. */
  headers?: [string, string][];
  body?: unknown;
  status: number;
  schema?: TSchema;
  encoding?: 'gzip' | undefined;
};

const ID = '3f1f1a4e-5a3e-4e76-9a38-0b9a5a3f9c11';
const JSON_TYPE: [string, string] = ['Content-Type', 'application/json'];
const POLL = 'GET /client/features';
const [REGISTER, METRICS] = ['POST /client/register', 'POST /client/metrics'];
const FRONTEND_METRICS = 'POST /frontend/client/metrics';
const now = new Date().toISOString();
const withOffset = (fraction: string) => now.replace(/\.\d+Z$/, `.${fraction}+00:00`);
const toggles = { [FLAG]: { yes: 1, no: 0, variants: { blue: 1 } } };

/** A poll, then the same poll with its ETag. */
const polls = (to: string, headers: [string, string][], encoding?: 'gzip'): Step[] => [
  { to, headers, status: 200, schema: PollBody, encoding },
  { to, headers: [...headers, ['If-None-Match', 'E']], status: 304 },
];

const registers = (sdkVersion: string, interval: number, started: string, more: object = {}): Step => ({
  to: REGISTER,
  headers: [['Authorization', 'T'], JSON_TYPE],
  body: { appName: 'app', instanceId: 'i', sdkVersion, strategies: ['default'], started, interval, ...more },
  status: 202,
});

const reports = (bucket: unknown, more: object = {}): Step => ({
  to: METRICS,
  headers: [['Authorization', 'T'], JSON_TYPE],
  body: { appName: 'app', instanceId: 'i', bucket, ...more },
  status: 202,
});

const SDKS: Record<string, Step[]> = {
  'Node.js 3.2': [
    ...polls(POLL, [
      ['UNLEASH-APPNAME', 'app'],
      ['UNLEASH-INSTANCEID', 'i'],
      ['User-Agent', 'app'],
      ['Authorization', 'T'],
    ]),
    reports({ start: now, stop: now, toggles }),
  ],
  'Java 12': [
    ...polls(
      'GET //client/features',
      [
        ['Accept', 'application/json'],
        JSON_TYPE,
        ['Accept-Encoding', 'gzip,deflate'],
        ['UNLEASH-APPNAME', 'app'],
        ['UNLEASH-INSTANCEID', 'i'],
        ['UNLEASH-SDK', 'unleash-java-sdk:12.2.3'],
        ['User-Agent', 'app'],
        ['Unleash-Client-Spec', '5.2.2'],
        ['Authorization', 'T'],
        ['UNLEASH-CONNECTION-ID', ID],
        ['UNLEASH-INTERVAL', '15000'],
      ],
      'gzip',
    ),
    registers('unleash-java-sdk:12.2.3', 60, now, {
      environment: 'default',
      platformName: 'OpenJDK 64-Bit Server VM',
    }),
    // On old Java versions, OkHttp writes instants as objects.
    reports({
      start: { seconds: 1_763_000_000, nanos: 5 },
      stop: { seconds: 1_763_000_060, nanos: 5 },
      toggles,
    }),
    reports(
      { start: now, stop: now, toggles: { [FLAG]: { yes: 1, no: 0, variants: {} } } },
      {
        impactMetrics: [
          {
            name: 'latency',
            help: 'ms',
            type: 'histogram',
            samples: [{ labels: {}, count: 1, sum: 5, buckets: [{ le: '+Inf', count: 1 }] }],
          },
        ],
      },
    ),
  ],
  'Java 9': polls(POLL, [
    ['X-UNLEASH-APPNAME', 'app'],
    ['X-UNLEASH-INSTANCEID', 'i'],
    ['User-Agent', 'app'],
    ['Unleash-Client-Spec', '4.3.0'],
    ['Authorization', 'T'],
  ]),
  'Go 6': [
    ...polls(
      `${POLL}?project=sdks`,
      [
        ['Unleash-Appname', 'app'],
        ['Unleash-Instanceid', 'i'],
        ['Unleash-Interval', '15000'],
        ['User-Agent', 'app'],
        ['Authorization', 'T'],
        ['Unleash-Client-Spec', '4.3.1'],
        ['Unleash-Sdk', 'unleash-go-sdk:6.4.0'],
        ['Unleash-Connection-Id', ID],
        ['Accept-Encoding', 'gzip'],
      ],
      'gzip',
    ),
    registers('unleash-go-sdk:6.4.0', 60, withOffset('123456789'), { yggdrasilVersion: null }),
    reports({
      start: withOffset('1'),
      stop: withOffset('2'),
      toggles: { [FLAG]: { yes: 1, no: 0, variants: null } },
    }),
  ],
  'Python 6': [
    ...polls(
      POLL,
      [
        ['User-Agent', 'python-requests/2.32'],
        ['Accept-Encoding', 'gzip, deflate'],
        ['Accept', '*/*'],
        ['Authorization', 'T'],
        JSON_TYPE,
        ['unleash-appname', 'app'],
        ['unleash-instanceid', 'i'],
        ['unleash-connection-id', ID],
        ['unleash-sdk', 'unleash-python-sdk:6.8.0'],
        ['unleash-interval', '15000'],
        ['Unleash-Client-Spec', '6.1.0'],
      ],
      'gzip',
    ),
    registers('unleash-python-sdk:6.8.0', 60, withOffset('123456')),
    reports({ start: withOffset('123456'), stop: withOffset('123456'), toggles }),
    reports(null, { impactMetrics: [] }),
  ],
  'Python 5': polls(POLL, [['Authorization', 'T'], JSON_TYPE, ['unleash-appname', 'app']]),
  'Ruby 6': [
    ...polls(
      POLL,
      [
        ['Accept-Encoding', 'gzip;q=1.0,deflate;q=0.6,identity;q=0.3'],
        ['Accept', '*/*'],
        ['User-Agent', 'Ruby'],
        JSON_TYPE,
        ['Authorization', 'T'],
        ['UNLEASH-APPNAME', 'app'],
        ['UNLEASH-SDK', 'unleash-ruby-sdk:6.6.0'],
        ['UNLEASH-INTERVAL', '15'],
        ['Unleash-Client-Spec', '6.0.1'],
      ],
      'gzip',
    ),
    {
      to: 'GET /client/delta?project=sdks',
      headers: [['Authorization', 'T']],
      status: 200,
      schema: DeltaBody,
    },
    {
      to: 'GET /client/delta?project=sdks',
      headers: [
        ['Authorization', 'T'],
        ['If-None-Match', 'E'],
      ],
      status: 304,
    },
    registers('unleash-ruby-sdk:6.6.0', 15_000, withOffset('1'), { yggdrasilVersion: '0.13.3' }),
    reports({ start: withOffset('1'), stop: withOffset('1'), toggles: {} }),
  ],
  'Ruby 3.2': [
    ...polls(POLL, [
      ['User-Agent', 'Ruby'],
      ['Authorization', 'T'],
      ['UNLEASH-APPNAME', 'app'],
    ]),
    reports({ start: now, stop: now, toggles: { [FLAG]: { yes: 1, no: 0, variant: { blue: 1 } } } }),
  ],
  'PHP 2': [
    {
      to: `${POLL}?namePrefix=pay`,
      headers: [
        ['UNLEASH-APPNAME', 'app'],
        ['UNLEASH-INSTANCEID', 'i'],
        ['Unleash-Interval', '30000'],
        ['Unleash-Client-Spec', '5.1.9'],
        ['unleash-appname', 'app'],
        ['unleash-sdk', 'unleash-php-sdk:2.10.1'],
        ['Authorization', 'T'],
      ],
      status: 200,
      schema: PollBody,
    },
    registers('unleash-php-sdk:2.10.1', 30_000, withOffset('0'), { yggdrasilVersion: null }),
    // PHP writes an empty map, and one with the keys 0, 1, 2, as a list.
    reports({ start: now, stop: now, toggles: [] }),
    reports({ start: now, stop: now, toggles: [{ yes: 1, no: 0 }] }),
    reports({ start: now, stop: now, toggles: { [FLAG]: { yes: 1, no: 0 } } }),
  ],
  '.NET 6': [
    ...polls(`${POLL}?project=sdks`, [
      ['Accept', 'application/json'],
      ['User-Agent', 'My App'],
      ['UNLEASH-INSTANCEID', 'host-generated-guid'],
      ['Unleash-Client-Spec', '6.0.1'],
      ['unleash-connection-id', ID],
      ['unleash-appname', 'My App'],
      ['Unleash-Interval', '15000'],
      ['Authorization', 'T'],
    ]),
    registers('unleash-dotnet-sdk:6.1.0', 15_000, withOffset('1234567')),
    reports({ start: now, stop: now, toggles: {} }, { impactMetrics: [] }),
  ],
  'Rust 0.15': [
    {
      to: POLL,
      headers: [
        ['appname', 'app'],
        ['unleash-appname', 'app'],
        ['unleash-sdk', 'unleash-rust-sdk:0.15.0'],
        ['unleash-connection-id', ID],
        ['unleash-instanceid', 'i'],
        ['unleash-interval', '15000'],
        ['authorization', 'T'],
      ],
      status: 200,
      schema: PollBody,
    },
    { to: POLL, headers: [['authorization', '*:production.wrong']], status: 401 },
    reports({ start: now.replace('Z', '456789Z'), stop: now.replace('Z', '456789Z'), toggles }),
  ],
  Elixir: [
    {
      to: POLL,
      headers: [
        ['Authorization', 'T'],
        ['If-None-Match', 'ok'],
      ],
      status: 200,
      schema: PollBody,
    },
    ...polls(POLL, [
      ['Accept', 'application/json'],
      ['UNLEASH-APPNAME', 'app'],
      ['Authorization', 'T'],
    ]),
    reports({ start: now, stop: now, toggles }),
  ],
  'nestjs-unleash 2': [
    {
      to: POLL,
      headers: [
        ['Accept', 'application/json, text/plain, */*'],
        ['UNLEASH-INSTANCEID', 'i'],
        ['UNLEASH-APPNAME', 'app'],
        ['Authorization', 'T'],
        ['User-Agent', 'axios/1.7.9'],
        ['Accept-Encoding', 'gzip, compress, deflate, br'],
      ],
      status: 200,
      schema: PollBody,
      encoding: 'gzip',
    },
    registers('nestjs-unleash@2.2.4', 60_000, now),
    reports({ start: now, stop: now, toggles: { [FLAG]: { yes: 1, no: 0 } } }),
  ],
  'JavaScript 1.0': [
    {
      to: 'GET /frontend?appName=app&environment=&userId=ada',
      headers: [['Accept', 'application/json'], JSON_TYPE, ['Authorization', 'F'], ['If-None-Match', '']],
      status: 200,
      schema: FrontendBody,
    },
  ],
  Android: [
    {
      to: 'GET /frontend?appName=app&userId=ada&properties%5Bk%5D=v',
      headers: [
        ['Authorization', 'F'],
        JSON_TYPE,
        ['UNLEASH-APPNAME', 'app'],
        ['UNLEASH-CONNECTION-ID', 'i'],
        ['UNLEASH-SDK', 'unleash-android-sdk:3.3.1'],
        ['unleash-sdk-flavor', 'x'],
        ['Accept-Encoding', 'gzip'],
      ],
      status: 200,
      schema: FrontendBody,
    },
    {
      to: 'GET /frontend?appName=app&userId=ben',
      headers: [
        ['Authorization', 'F'],
        ['If-None-Match', 'E'],
      ],
      status: 200,
      schema: FrontendBody,
    },
    { to: 'GET /frontend?appName=app', headers: [['Authorization', '']], status: 401 },
    {
      to: `GET /frontend?appName=app&userId=${'x'.repeat(7_900)}`,
      headers: [['Authorization', 'F']],
      status: 200,
    },
  ],
  iOS: [
    {
      to: 'GET /frontend?userId=ada&properties%5Bplan%5D=pro&appName=app',
      headers: [
        JSON_TYPE,
        ['Authorization', 'F'],
        ['If-None-Match', ''],
        ['unleash-appname', 'app'],
        ['unleash-connection-id', ID.toUpperCase()],
        ['unleash-sdk', 'unleash-ios-sdk:2.4.0'],
      ],
      status: 200,
      schema: FrontendBody,
    },
    {
      to: 'GET /frontend?userId=ada&properties%5Bplan%5D=pro&appName=app',
      headers: [
        ['Authorization', 'F'],
        ['If-None-Match', 'E'],
      ],
      status: 304,
    },
    {
      to: FRONTEND_METRICS,
      headers: [['Authorization', 'F'], JSON_TYPE],
      body: { appName: 'app', instanceId: 'swift', bucket: { start: now, stop: '', toggles } },
      status: 200,
    },
  ],
  Flutter: [
    {
      to: 'GET /frontend?userId=ada&appName=app&environment=default',
      headers: [
        ['Accept', 'application/json'],
        ['Cache', 'no-cache'],
        ['Authorization', 'F'],
        ['unleash-sdk', 'unleash-flutter-sdk:1.9.8'],
      ],
      status: 200,
      schema: FrontendBody,
    },
    {
      to: FRONTEND_METRICS,
      headers: [['Authorization', 'F'], JSON_TYPE],
      body: { appName: 'app', instanceId: 'flutter', bucket: { start: now, stop: now, toggles } },
      status: 200,
    },
  ],
  'C++': [
    {
      to: 'POST /frontend',
      headers: [['authorization', 'F'], JSON_TYPE, [`'unleash-connection-id'`, ID]],
      body: { context: { appName: 'app', userId: 'ada' } },
      status: 200,
      schema: FrontendBody,
    },
  ],
  'Unleash Edge 20': [
    {
      to: 'POST /edge/validate',
      headers: [JSON_TYPE],
      body: { tokens: ['T', 'F', 'x:y.z'] },
      status: 200,
      schema: ValidTokens,
    },
    registers('unleash-edge:20.4.1', 15, now, { connectVia: null, sdkType: 'backend', strategies: [] }),
    ...polls(POLL, [
      ['Authorization', 'T'],
      ['UNLEASH-APPNAME', 'unleash-edge'],
      ['User-Agent', 'unleash-edge-20.4.1'],
      ['Unleash-Client-Spec', '6.1.0'],
      ['Unleash-Interval', '15'],
    ]),
    {
      to: 'POST /client/metrics/bulk',
      headers: [['Authorization', 'T'], JSON_TYPE],
      body: {
        applications: [{ appName: 'app', interval: 15, started: now, strategies: [] }],
        metrics: [
          {
            appName: 'app',
            featureName: FLAG,
            environment: 'production',
            timestamp: now,
            yes: 1,
            no: 0,
            variants: {},
          },
          {
            appName: '',
            featureName: FLAG,
            environment: 'production',
            timestamp: now,
            yes: 1,
            no: 0,
            variants: {},
          },
        ],
        impactMetrics: [],
      },
      status: 202,
    },
    { to: 'POST /client/metrics/edge', headers: [['Authorization', 'T'], JSON_TYPE], body: {}, status: 202 },
  ],
};

beforeAll(async () => {
  await makeProject(harness.db, { id: 'sdks' });
  tokens.backend = await server.token('production', ['sdks']);
  tokens.frontend = await server.token('production', ['sdks'], 'frontend');
  const admin = async (method: 'POST' | 'PUT', path: string, body?: object) => {
    const response = await call(harness.app, method, `/api/admin/${path}`, { body });
    expect([path, response.status]).toEqual([path, response.status < 300 ? response.status : response.body]);
    return response.body;
  };
  const segment = await admin('POST', 'segments', {
    name: 'eu',
    constraints: [{ contextName: 'country', operator: 'IN', values: ['DE'], inverted: true }],
  });
  for (const name of [FLAG, 'pay.other'])
    await makeFeature(harness.db, 'sdks', { name, type: 'release', description: 'x' });
  const path = `projects/sdks/features/${FLAG}/environments/production`;
  const variant = { name: 'blue', weight: 1_000, weightType: 'variable', stickiness: 'default' };
  await admin('PUT', `${path}/strategies`, [
    {
      name: 'flexibleRollout',
      parameters: { rollout: '100', stickiness: 'default', groupId: FLAG },
      segments: [segment.id],
      constraints: [
        { contextName: 'userId', operator: 'IN', values: ['ada'] },
        { contextName: 'age', operator: 'NUM_GT', value: '5' },
        { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-01-01T00:00:00.000Z' },
        { contextName: 'email', operator: 'STR_ENDS_WITH', values: ['@x.y'], caseInsensitive: true },
      ],
      variants: [{ ...variant, payload: { type: 'json', value: '{"a":1}' } }],
    },
    { name: 'default' },
  ]);
  await admin('PUT', 'projects/sdks/features/pay.other/environments/production/strategies', [
    {
      name: 'flexibleRollout',
      parameters: { rollout: '100', stickiness: 'default', groupId: 'other' },
      variants: [{ ...variant, payload: { type: 'string', value: '#0000ff' } }],
    },
  ]);
  await admin('POST', `${path}/on`);
  await admin('POST', 'projects/sdks/features/pay.other/environments/production/on');
});

type ReceivedResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer };

async function send({ to, headers = [], body }: Step, etag: string): Promise<ReceivedResponse> {
  const [method = '', path = ''] = to.split(' ');
  const { host, port } = new URL(server.url);
  const fillIn = (text: string) => ({ T: tokens.backend, F: tokens.frontend, E: etag })[text] ?? text;
  const payload =
    body === undefined
      ? undefined
      : JSON.stringify(body, (_, value) => (typeof value === 'string' ? fillIn(value) : value));
  const lengths = payload === undefined ? [] : ['Content-Length', String(Buffer.byteLength(payload))];
  const outgoing = request({
    port,
    method,
    path: path.startsWith('/edge') ? path : `/api${path}`,
    agent: false,
    headers: ['Host', host, ...headers.flatMap(([name, value]) => [name, fillIn(value)]), ...lengths],
  });
  outgoing.end(payload);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}

function parseBody({ headers, body }: ReceivedResponse): unknown {
  return JSON.parse((headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString());
}

test.each(Object.entries(SDKS))('%s can read the responses to its requests', async (_sdk, steps) => {
  let etag = '';
  for (const step of steps) {
    const received = await send(step, etag);

    expect([step.to, received.status]).toEqual([step.to, step.status]);
    if (step.encoding) expect(received.headers['content-encoding']).toBe(step.encoding);
    if (!step.headers?.some(([name]) => name === 'Accept-Encoding'))
      expect(received.headers['content-encoding']).toBeUndefined();
    if (received.status === 304) expect(received.body).toHaveLength(0);
    if (received.status === 401) expect(parseBody(received)).toHaveProperty('message');
    if (!step.schema) continue;
    expect(received.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(findStrictViolations(step.schema, parseBody(received))).toEqual([]);
    if (step.schema === ValidTokens) continue;
    expect(received.headers.etag).toMatch(/^"[^"]+"$/);
    etag = String(received.headers.etag);
  }
});

test('the frontend API returns each flag once', async () => {
  const step = {
    to: 'GET /frontend?userId=ada',
    headers: [['Authorization', 'F']],
    status: 200,
  } satisfies Step;

  const { toggles: shown } = parseBody(await send(step, '')) as { toggles: { name: string }[] };

  expect(shown.map(({ name }) => name)).toEqual([FLAG, 'pay.other']);
});

test.each([
  'unleash-java-sdk:12.2.3',
  'unleash-go-sdk:6.4.0',
  'unleash-python-sdk:6.8.0',
  'unleash-ruby-sdk:6.6.0',
  'unleash-dotnet-sdk:6.1.0',
])('a stream for %s begins with a hydration that the SDK can read', async sdk => {
  const stream = await openStream(server.url, tokens.backend, {
    'unleash-sdk': sdk,
    'unleash-connection-id': sdk,
  });
  await expect.poll(() => stream.received[0]?.name).toBe('unleash-connected');
  const [first] = stream.received;
  stream.close();

  expect(stream.headers['content-type']).toMatch(/^text\/event-stream/);
  expect(findStrictViolations(DeltaBody, { events: first?.events })).toEqual([]);
});

test('every report is counted', async () => {
  await makeFlusher(harness.db, harness.app.usage).flush();
  const countBefore = await readCount();
  for (const body of [
    { start: { seconds: 1, nanos: 5 }, stop: { seconds: 2, nanos: 5 }, toggles },
    { start: now, stop: '', toggles: { [FLAG]: { yes: 1, no: 0, variants: null } } },
    { start: now, stop: now, toggles: { [FLAG]: { yes: 1, no: 0, variant: { blue: 1 } } } },
  ])
    await send(reports(body), '');
  await makeFlusher(harness.db, harness.app.usage).flush();

  expect((await readCount()) - countBefore).toBe(3);
});

async function readCount(): Promise<number> {
  const { body } = await call(harness.app, 'GET', `/api/admin/client-metrics/features/${FLAG}/raw`);
  return body.data.reduce((sum: number, { yes }: { yes: number }) => sum + yes, 0);
}
