import { BUCKET, get, STOP } from './given.ts';
import type { Request, Until } from './step.ts';

export const SDK_REQUESTS: (Request | Until)[] = [
  { until: { step: { operation: 'GET /api/client/features', as: 'backend' }, contains: 'flag-a' } },
  get('/api/client/features', { as: 'backend' }),
  get('/api/client/features', { as: 'frontend', name: 'frontend token', only: true }),
  get('/api/client/features', { as: 'admin', name: 'admin token', only: true }),
  get('/api/client/features/:featureName', { as: 'backend', params: { featureName: 'flag-a' } }),
  get('/api/client/delta', { as: 'backend' }),
  {
    operation: 'POST /api/client/register',
    as: 'backend',
    body: {
      appName: 'shop',
      instanceId: 'one',
      sdkVersion: 'unleash-client-node:6.0.0',
      strategies: ['default'],
      started: STOP,
      interval: 10_000,
    },
  },
  {
    operation: 'POST /api/client/metrics',
    as: 'backend',
    body: { appName: 'shop', instanceId: 'one', bucket: BUCKET },
  },
  {
    operation: 'POST /api/client/metrics/bulk',
    as: 'backend',
    body: {
      applications: [
        {
          appName: 'warehouse',
          instanceId: 'one',
          environment: 'development',
          started: STOP,
          interval: 10,
          strategies: [],
        },
      ],
      metrics: [
        {
          featureName: 'flag-a',
          appName: 'warehouse',
          environment: 'development',
          timestamp: STOP,
          yes: 1,
          no: 0,
          variants: {},
        },
      ],
    },
  },
  get('/api/frontend', { as: 'frontend', query: '?userId=7' }),
  { operation: 'POST /api/frontend', as: 'frontend', body: { context: { userId: '7' } } },
  {
    operation: 'POST /api/frontend/client/metrics',
    as: 'frontend',
    body: { appName: 'web', instanceId: 'one', bucket: BUCKET },
  },
  {
    operation: 'POST /api/frontend/client/register',
    as: 'frontend',
    body: {
      appName: 'web',
      instanceId: 'one',
      sdkVersion: 'unleash-client-js:3.0.0',
      strategies: [],
      started: STOP,
      interval: 10_000,
    },
  },
  { operation: 'POST /edge/validate', as: 'nobody', body: { tokens: ['{backendToken}', 'unknown:token.x'] } },
];
