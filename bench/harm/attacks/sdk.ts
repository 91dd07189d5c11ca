import { gzipSync } from 'node:zlib';
import { type Attack, json, once } from '../attack.ts';

/** 4 KB that inflate to 4 MiB. */
const bomb = once(() =>
  gzipSync(JSON.stringify({ appName: 'a', bucket: { toggles: {} }, pad: 'x'.repeat(4 * 2 ** 20 - 200) }), {
    level: 9,
  }),
);

/** Attacks with SDK tokens. */
export const sdkAttacks: Attack[] = [
  {
    name: 'metrics that inflate to 4 MiB',
    caller: 'frontend',
    request: () => ({
      method: 'POST',
      path: '/api/frontend/client/metrics',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: bomb(),
    }),
  },
  {
    name: 'evaluations of distinct contexts',
    caller: 'frontend',
    request: n => ({
      path: '/api/frontend',
      ...json({ context: { userId: `u${n % 100_000}`, sessionId: `s${n}` } }),
    }),
  },
  {
    name: 'new filters of the client API',
    caller: 'client',
    request: n => ({
      path: `/api/client/features?namePrefix=f&project=big&project=zz${n}`,
      headers: { 'accept-encoding': 'gzip', 'unleash-client-spec': '5.2.0' },
    }),
  },
  {
    name: 'registrations of new applications',
    caller: 'frontend',
    request: n => ({
      path: '/api/frontend/client/register',
      ...json({ appName: `harm-${process.pid}-${n}`, instanceId: 'i', strategies: ['default'] }),
    }),
  },
  {
    name: 'OpenFeature evaluations',
    caller: 'frontend',
    request: n => ({ path: '/ofrep/v1/evaluate/flags', ...json({ context: { targetingKey: `u${n}` } }) }),
  },
  {
    name: 'all flags, never read',
    caller: 'client',
    client: 'stalls',
    request: () => ({ path: '/api/client/features' }),
  },
  {
    name: 'SDK streams, opened and left',
    caller: 'client',
    client: 'leaves',
    request: () => ({ path: '/api/client/streaming', headers: { accept: 'text/event-stream' } }),
  },
  {
    name: 'evaluations, never read',
    caller: 'frontend',
    client: 'stalls',
    request: n => ({ path: `/api/frontend?userId=${n}` }),
  },
  {
    name: 'evaluations, left after 1 s',
    caller: 'frontend',
    client: 'leaves',
    request: n => ({ path: '/ofrep/v1/evaluate/flags', ...json({ context: { targetingKey: `l${n}` } }) }),
  },
  {
    name: 'page streams, held open',
    caller: 'anonymous',
    request: (_, { pageStream }) => ({ path: pageStream, headers: { accept: 'text/event-stream' } }),
  },
  {
    name: 'page streams, opened and left',
    caller: 'anonymous',
    client: 'leaves',
    request: (_, { pageStream }) => ({ path: pageStream, headers: { accept: 'text/event-stream' } }),
  },
  {
    name: 'SDK streams, never read',
    caller: 'client',
    client: 'stalls',
    request: () => ({ path: '/api/client/streaming', headers: { accept: 'text/event-stream' } }),
  },
  {
    name: 'unknown flags in metrics',
    caller: 'frontend',
    request: n => ({
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
    }),
  },
  {
    name: 'instances in bulk metrics',
    caller: 'client',
    request: n => ({
      path: '/api/client/metrics/bulk',
      ...json({
        applications: Array.from({ length: 100 }, (_, k) => ({
          appName: `bulk-${n}-${k}`,
          instanceId: `i${k}`,
          environment: 'development',
        })),
        metrics: [],
      }),
    }),
  },
  {
    name: 'bodies sent a byte a second',
    caller: 'frontend',
    client: 'trickles',
    request: () => ({ path: '/api/frontend', ...json({ context: { userId: 'x'.repeat(1_000) } }) }),
  },
];
