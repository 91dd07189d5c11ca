import { type Attack, json, once } from '../attack.ts';

/** A body that is rejected with a violation for each of its 49,000 strings, each with a path of 30,000 characters. */
const violations = once(() => {
  const open = Array.from({ length: 30 }, () => `"${'k'.repeat(999)}":{`).join('');
  return `{${open}"z":[${Array(49_000).fill('"\\u0000"').join(',')}]${'}'.repeat(31)}`;
});

const invalidItems = once(() => JSON.stringify({ features: Array(49_000).fill(1) }));

const importOf = (featureStrategies: object[]) =>
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
  return importOf(
    Array.from({ length: 25 }, (_, k) => ({
      name: 'default',
      featureName: 'imported',
      constraints: constraints(k),
    })),
  );
});

const largeImport = once(() =>
  importOf(
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

/** Attacks by a viewer on the admin API. */
export const adminAttacks: Attack[] = [
  {
    name: 'large feature searches',
    caller: 'viewer',
    request: n => ({
      path: `/api/admin/search/features?limit=1000&sortBy=lastSeenAt&query=a,b,c,d,e,f,g,h,i,j&offset=${n % 50}`,
    }),
  },
  {
    name: 'large pages of events, never read',
    caller: 'viewer',
    client: 'stalls',
    request: n => ({ path: `/api/admin/search/events?limit=1000&offset=${n % 50}` }),
  },
  {
    name: 'hostile text searches',
    caller: 'viewer',
    request: n => ({
      path: `/api/admin/search/events?query=${encodeURIComponent(['e', '"', ' \u{1f600}', 'aa%_\\', 'ſß'][n % 5] ?? '')}${n}&limit=1000`,
    }),
  },
  {
    name: 'exports of all events',
    caller: 'viewer',
    client: 'leaves',
    request: () => ({ path: '/api/admin/search/events/export?format=csv' }),
  },
  {
    name: 'event streams, opened and left',
    caller: 'viewer',
    client: 'leaves',
    request: () => ({ path: '/api/admin/events/stream' }),
  },
  {
    name: 'playground with many contexts',
    caller: 'viewer',
    request: () => ({
      path: '/api/admin/playground/advanced',
      ...json({ environments: ['development'], projects: ['big'], context: { appName: 'x', userId: 'a,b' } }),
    }),
  },
  {
    name: 'health reports',
    caller: 'viewer',
    request: () => ({ path: '/api/admin/projects/big/health-report' }),
  },
  {
    name: 'bodies with 49,000 violations and long paths',
    caller: 'viewer',
    request: () => post('/api/admin/features/validate', violations()),
  },
  {
    name: 'bodies with 49,000 invalid items',
    caller: 'viewer',
    request: () => post('/api/admin/projects/default/stale', invalidItems()),
  },
  {
    name: 'deep JSON',
    caller: 'viewer',
    request: () => post('/api/admin/features/validate', `${'['.repeat(200_000)}1${']'.repeat(200_000)}`),
  },
  {
    name: 'validations of imports with patterns',
    caller: 'viewer',
    request: () => post('/api/admin/features-batch/validate', patterns()),
  },
  {
    name: 'validations of imports of 8 MB',
    caller: 'viewer',
    request: () => post('/api/admin/features-batch/validate', largeImport()),
  },
  {
    name: 'idempotency keys',
    caller: 'viewer',
    request: n => ({
      path: '/api/admin/constraints/validate',
      ...json({ contextName: 'userId', operator: 'IN', values: ['a'] }),
      headers: { 'content-type': 'application/json', 'idempotency-key': `harm-${process.pid}-${n}` },
    }),
  },
];
