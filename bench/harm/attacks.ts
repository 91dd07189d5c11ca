import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** Accounts, tokens and data that attacks and probes use. */
export type World = {
  port: number;
  /** The attackers' credentials, by kind of caller. */
  attacker: Record<Caller, string>;
  /** The credentials of callers on a different network, whose requests are measured during the attack. */
  other: { viewer: string; editor: string; client: string; frontend: string };
  user: { username: string; password: string };
  /** The secret of a signup link. */
  invitation: string;
  /** The path of the event stream that the server returns when the attacker evaluates flags. */
  pageStream: string;
};

export type Caller = 'anonymous' | 'frontend' | 'client' | 'viewer' | 'agent';

export type AttackRequest = {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
};

export type Attack = {
  name: string;
  caller: Caller;
  /** Builds the nth request. The caller's token is added, unless the request has an Authorization header. */
  request: (n: number, world: World) => AttackRequest;
  /**
   * Whether the client reads its responses (the default), stops reading after the first bytes, disconnects after 1 s, or sends a byte
   * of its body every second.
   */
  client?: 'reads' | 'stalls' | 'leaves' | 'trickles';
};

export const json = (body: unknown): Pick<AttackRequest, 'method' | 'headers' | 'body'> => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Caches the value, because some bodies are several megabytes. */
function once<T>(make: () => T): () => T {
  let cached: { value: T } | undefined;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}

const BROTLI = { 'accept-encoding': 'br' };
const PASSWORD = 'quite another horse battery 99';

/** 4 KB that inflate to 4 MiB. */
const bomb = once(() =>
  gzipSync(JSON.stringify({ appName: 'a', bucket: { toggles: {} }, pad: 'x'.repeat(4 * 2 ** 20 - 200) }), {
    level: 9,
  }),
);

/** A body with 49,000 invalid strings, each at a path of 30,000 characters. */
const violations = once(() => {
  const openings = Array.from({ length: 30 }, () => `"${'k'.repeat(999)}":{`).join('');
  return `{${openings}"z":[${Array(49_000).fill('"\\u0000"').join(',')}]${'}'.repeat(31)}`;
});

/** Sent to an operation that a viewer may call, because the permission is checked before the body. */
const invalidItems = once(() =>
  JSON.stringify({ contextName: 'userId', operator: 'IN', values: Array(49_000).fill({}) }),
);

const importBody = (featureStrategies: object[]) =>
  JSON.stringify({
    project: 'default',
    environment: 'development',
    data: { features: [{ name: 'imported' }], featureStrategies },
  });

const patterns = once(() => {
  const constraints = (k: number) =>
    Array.from({ length: 30 }, (_, i) => ({
      contextName: `c${i}`,
      operator: 'REGEX',
      value: `(a{1,20}){1,18}${i}x${k}`,
    }));
  return importBody(
    Array.from({ length: 25 }, (_, k) => ({
      name: 'default',
      featureName: 'imported',
      constraints: constraints(k),
    })),
  );
});

const largeImport = once(() =>
  importBody(
    Array.from({ length: 80 }, () => ({
      name: 'default',
      featureName: 'imported',
      parameters: { a: 'y'.repeat(99_000) },
    })),
  ),
);

const post = (path: string, body: string) => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json' },
  body,
});

const attackBy =
  (caller: Caller, client: Attack['client'] = 'reads') =>
  (name: string, request: (n: number, world: World) => AttackRequest): Attack => ({
    name,
    caller,
    client,
    request,
  });

/** Requests without a valid credential. */
const ANONYMOUS: Attack[] = [
  attackBy('anonymous', 'leaves')('API page script, left after 1 s', () => ({
    path: '/docs/js/scalar.js',
    headers: BROTLI,
  })),
  attackBy('anonymous', 'stalls')('API document, never read', () => ({ path: '/docs/openapi.json' })),
  attackBy('anonymous')('API document, compressed', () => ({ path: '/docs/openapi.json', headers: BROTLI })),
  attackBy('anonymous')('metrics for Prometheus', () => ({ path: '/internal-backstage/prometheus' })),
  attackBy('anonymous')('signups with one link', (n, { invitation }) => ({
    path: `/invite/${invitation}/signup`,
    ...json({ email: `harm-${process.pid}-${n}@example.com`, password: PASSWORD }),
  })),
  attackBy('anonymous')('logins with wrong passwords', n => ({
    path: '/auth/simple/login',
    ...json({ username: `nobody-${n % 5_000}`, password: PASSWORD }),
  })),
  attackBy('anonymous')('random tokens', () => ({
    path: '/api/admin/projects',
    headers: { authorization: `*:*.${randomBytes(24).toString('hex')}` },
  })),
  attackBy('anonymous')('long query strings', n => ({ path: `/auth/methods?${'a=%61&'.repeat(1_900)}${n}` })),
  attackBy('anonymous')('HEAD and OPTIONS', n => ({
    method: n % 2 === 0 ? 'HEAD' : 'OPTIONS',
    path: ['/docs/', '/api/admin/projects', '/'][n % 3] ?? '/',
  })),
];

/** Requests from a viewer to the admin API. */
const ADMIN: Attack[] = [
  attackBy('viewer')('large feature searches', n => ({
    path: `/api/admin/search/features?limit=1000&sortBy=lastSeenAt&query=a,b,c,d,e,f,g,h,i,j&offset=${n % 50}`,
  })),
  attackBy('viewer', 'stalls')('large pages of events, never read', n => ({
    path: `/api/admin/search/events?limit=1000&offset=${n % 50}`,
  })),
  attackBy('viewer')('hostile text searches', n => ({
    path: `/api/admin/search/events?query=${encodeURIComponent(['e', '"', ' \u{1f600}', 'aa%_\\', 'ſß'][n % 5] ?? '')}${n}&limit=1000`,
  })),
  attackBy('viewer', 'leaves')('exports of all events', () => ({
    path: '/api/admin/search/events/export?format=csv',
  })),
  attackBy('viewer', 'leaves')('event streams, opened and left', () => ({
    path: '/api/admin/events/stream',
  })),
  attackBy('viewer')('playground with many contexts', () => ({
    path: '/api/admin/playground/advanced',
    ...json({ environments: ['development'], projects: ['big'], context: { appName: 'x', userId: 'a,b' } }),
  })),
  attackBy('viewer')('health reports', () => ({ path: '/api/admin/projects/big/health-report' })),
  attackBy('viewer')('bodies with 49,000 violations and long paths', () =>
    post('/api/admin/features/validate', violations()),
  ),
  attackBy('viewer')('bodies with 49,000 invalid items', () =>
    post('/api/admin/constraints/validate', invalidItems()),
  ),
  attackBy('viewer')('deep JSON', () =>
    post('/api/admin/features/validate', `${'['.repeat(200_000)}1${']'.repeat(200_000)}`),
  ),
  attackBy('viewer')('validations of imports with patterns', () =>
    post('/api/admin/features-batch/validate', patterns()),
  ),
  attackBy('viewer')('validations of imports of 8 MB', () =>
    post('/api/admin/features-batch/validate', largeImport()),
  ),
  attackBy('viewer')('idempotency keys', n => ({
    path: '/api/admin/constraints/validate',
    ...json({ contextName: 'userId', operator: 'IN', values: ['a'] }),
    headers: { 'content-type': 'application/json', 'idempotency-key': `harm-${process.pid}-${n}` },
  })),
];

const MCP_VERSION = '2026-07-28';

/** A tool call at /mcp. */
const toolCall = (name: string, input: object): AttackRequest => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name, arguments: input, _meta };
  const request = json({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return {
    ...request,
    path: '/mcp',
    headers: {
      ...request.headers,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MCP_VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
  };
};

/** MCP tool calls. */
const MCP: Attack[] = [
  // A plan locks its flags until it is rolled back, so callers who change the same flag have to wait.
  attackBy('agent')('plans for a flag that others change', n =>
    toolCall('plan_change', {
      changes: Array.from({ length: 20 }, (_, k) => ({
        do: 'describe',
        flag: 'probed',
        description: `plan ${n}, step ${k}`,
      })),
      reason: 'Harm',
    }),
  ),
  attackBy('viewer')('large flag searches through MCP', n =>
    toolCall('find_flags', { query: 'a,b,c,d,e,f,g,h,i,j', limit: 50, cursor: n % 50 }),
  ),
];

/** Requests with SDK tokens. */
const SDK: Attack[] = [
  attackBy('frontend')('metrics that inflate to 4 MiB', () => ({
    method: 'POST',
    path: '/api/frontend/client/metrics',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: bomb(),
  })),
  attackBy('frontend')('evaluations of distinct contexts', n => ({
    path: '/api/frontend',
    ...json({ context: { userId: `u${n % 100_000}`, sessionId: `s${n}` } }),
  })),
  attackBy('client')('client API requests with new filters', n => ({
    path: `/api/client/features?namePrefix=f&project=big&project=zz${n}`,
    headers: { 'accept-encoding': 'gzip', 'unleash-client-spec': '5.2.0' },
  })),
  attackBy('frontend')('registrations of new applications', n => ({
    path: '/api/frontend/client/register',
    ...json({ appName: `harm-${process.pid}-${n}`, instanceId: 'i', strategies: ['default'] }),
  })),
  attackBy('frontend')('OpenFeature evaluations', n => ({
    path: '/ofrep/v1/evaluate/flags',
    ...json({ context: { targetingKey: `u${n}` } }),
  })),
  attackBy('client', 'stalls')('all flags, never read', () => ({ path: '/api/client/features' })),
  attackBy('client', 'leaves')('SDK streams, opened and left', () => ({
    path: '/api/client/streaming',
    headers: { accept: 'text/event-stream' },
  })),
  attackBy('frontend', 'stalls')('evaluations, never read', n => ({ path: `/api/frontend?userId=${n}` })),
  attackBy('frontend', 'leaves')('evaluations, left after 1 s', n => ({
    path: '/ofrep/v1/evaluate/flags',
    ...json({ context: { targetingKey: `l${n}` } }),
  })),
  attackBy('anonymous')('page streams, held open', (_, { pageStream }) => ({
    path: pageStream,
    headers: { accept: 'text/event-stream' },
  })),
  attackBy('anonymous', 'leaves')('page streams, opened and left', (_, { pageStream }) => ({
    path: pageStream,
    headers: { accept: 'text/event-stream' },
  })),
  attackBy('client', 'stalls')('SDK streams, never read', () => ({
    path: '/api/client/streaming',
    headers: { accept: 'text/event-stream' },
  })),
  attackBy('frontend')('unknown flags in metrics', n => ({
    path: '/api/frontend/client/metrics',
    ...json({
      appName: `harm-${n}`,
      instanceId: `i${n}`,
      bucket: {
        start: new Date(Date.now() - 60_000),
        stop: new Date(),
        toggles: Object.fromEntries(
          Array.from({ length: 50 }, (_, k) => [`unknown-${n}-${k}`, { yes: 1, no: 1, variants: {} }]),
        ),
      },
    }),
  })),
  attackBy('client')('instances in bulk metrics', n => ({
    path: '/api/client/metrics/bulk',
    ...json({
      applications: Array.from({ length: 100 }, (_, k) => ({
        appName: `bulk-${n}-${k}`,
        instanceId: `i${k}`,
        environment: 'development',
      })),
      metrics: [],
    }),
  })),
  attackBy('frontend', 'trickles')('bodies sent a byte a second', () => ({
    path: '/api/frontend',
    ...json({ context: { userId: 'x'.repeat(1_000) } }),
  })),
];

export const ATTACKS: Attack[] = [...ANONYMOUS, ...ADMIN, ...MCP, ...SDK];
