import { startFlushLoop } from '../../reporting/metrics/flush-loop.ts';
import { PROJECT_PATH, type Recorder } from './recorder.ts';

export type Tokens = { backend: string; frontend: string };

export async function apiTokens({ record }: Recorder): Promise<Tokens> {
  const token = await record('createApiToken', 'POST', '/api/admin/api-tokens', {
    tokenName: 'payments service',
    type: 'backend',
    environment: 'production',
    projects: ['payments'],
  });
  const frontend = await record('createProjectApiToken', 'POST', `${PROJECT_PATH}/api-tokens`, {
    tokenName: 'web shop',
    type: 'frontend',
    environment: 'production',
  });
  await record('updateApiToken', 'PUT', `/api/admin/api-tokens/${token.id}`, {
    expiresAt: '2030-01-01T00:00:00Z',
  });
  await record('getApiTokens', 'GET', '/api/admin/api-tokens');
  await record('getApiTokensByName', 'GET', '/api/admin/api-tokens/payments%20service');
  await record('getProjectApiTokens', 'GET', `${PROJECT_PATH}/api-tokens`);
  return { backend: token.secret, frontend: frontend.secret };
}

export async function sdks(recorder: Recorder, { backend, frontend }: Tokens): Promise<void> {
  const { record, send, harness } = recorder;
  const backendOptions = { token: backend };
  const frontendOptions = { token: frontend };
  const startedAt = new Date().toISOString();
  await send(
    'POST',
    '/api/client/register',
    {
      appName: 'payments-service',
      instanceId: 'payments-1',
      sdkVersion: 'unleash-client-node:6.12.1',
      strategies: ['default', 'flexibleRollout', 'byCountry'],
      interval: 15_000,
      started: startedAt,
    },
    backendOptions,
  );
  await send(
    'POST',
    '/api/client/metrics',
    {
      appName: 'payments-service',
      instanceId: 'payments-1',
      bucket: {
        start: startedAt,
        stop: startedAt,
        toggles: {
          'pay.new-basket': { yes: 30, no: 12, variants: { blue: 16, green: 14 } },
          'pay.discounts': { yes: 0, no: 8, variants: {} },
        },
      },
    },
    backendOptions,
  );
  const flusher = startFlushLoop(harness.app.usage, harness.db, { warn: () => {} }, harness.app.metrics);
  await flusher.flush();
  await flusher.stop();

  await record('getFeatureUsage', 'GET', '/api/admin/client-metrics/features/pay.new-basket');
  await record('getRawFeatureUsage', 'GET', '/api/admin/client-metrics/features/pay.new-basket/raw');
  await record('getProjectUsage', 'GET', `${PROJECT_PATH}/usage`);
  const METRICS_PATH = '/api/admin/metrics';
  await record('getApplications', 'GET', `${METRICS_PATH}/applications`);
  await record('getProjectApplications', 'GET', `${PROJECT_PATH}/applications`);
  await record('getApplication', 'GET', `${METRICS_PATH}/applications/payments-service`);
  await record('getApplicationOverview', 'GET', `${METRICS_PATH}/applications/payments-service/overview`);
  await record(
    'getApplicationInstances',
    'GET',
    `${METRICS_PATH}/instances/payments-service/environment/production`,
  );
  await record('getApiTokenUse', 'GET', `${METRICS_PATH}/api-tokens`);
  await record('getUnknownFlags', 'GET', `${METRICS_PATH}/unknown-flags`);

  await record('getClientFeatures', 'GET', '/api/client/features', undefined, backendOptions);
  await record('getClientFeature', 'GET', '/api/client/features/pay.invoices', undefined, backendOptions);
  await record('getClientDelta', 'GET', '/api/client/delta', undefined, backendOptions);
  await record('validateTokens', 'POST', '/edge/validate', { tokens: [backend] }, { token: null });
  const context = { userId: '7', properties: { country: 'SE' } };
  await record(
    'getFrontendFeatures',
    'GET',
    '/api/frontend?userId=7&properties[country]=SE',
    undefined,
    frontendOptions,
  );
  await record(
    'getFrontendFeature',
    'GET',
    '/api/frontend/features/pay.new-basket?userId=7',
    undefined,
    frontendOptions,
  );
  await record('postFrontendFeatures', 'POST', '/api/frontend', { context }, frontendOptions);
  const evaluation = { context: { targetingKey: '7', country: 'SE' } };
  await record(
    'evaluateOfrepFlag',
    'POST',
    '/ofrep/v1/evaluate/flags/pay.new-basket',
    evaluation,
    frontendOptions,
  );
  await record('evaluateOfrepFlags', 'POST', '/ofrep/v1/evaluate/flags', evaluation, frontendOptions);
  await recordEdges(recorder);
}

/** Records the operations of an edge that has reported once. */
async function recordEdges({ record, send }: Recorder): Promise<void> {
  const { body: token } = await send('POST', '/api/admin/api-tokens', {
    tokenName: 'edge in Frankfurt',
    type: 'edge',
    environment: 'production',
  });
  const report = {
    edge: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    version: '0.1.0',
    epoch: '',
    revision: 0,
    age: 0,
    clients: 0,
    isIgnoring: false,
    isStopping: false,
    heard: [],
    requests: [],
    uses: [],
  };
  await record('reportFromEdge', 'POST', '/api/edge/v1/report', report, { token: token.secret });
  await record('getEdges', 'GET', '/api/admin/edges');
}
