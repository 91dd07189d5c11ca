import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { InMemStorageProvider, Unleash } from 'unleash-client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyDatabase, discardDatabase, getDatabaseUrl } from '../../test/database.ts';
import { type RunningServer, startProcess, stopProcess } from '../../test/process.ts';

const ADMIN = '*:*.an-operator-chose-this-secret-0123456789';
const name = `halyard_metrics_${randomBytes(4).toString('hex')}`;
const env = { DATABASE_URL: getDatabaseUrl(name), HALYARD_INIT_ADMIN_TOKENS: ADMIN };
let servers: RunningServer[] = [];
let token: string;

beforeAll(async () => {
  await copyDatabase(inject('template'), name);
  const first = await startProcess(env);
  servers = [first, await startProcess(env)];
  const body = { tokenName: 'sdk', type: 'backend', environment: 'production' };
  const apiToken = (await admin(first, 'POST', '/api/admin/api-tokens', body)) as { secret: string };
  token = apiToken.secret;
  const feature = { name: 'evaluated', type: 'release' };
  await admin(first, 'POST', '/api/admin/projects/default/features', feature);
  await admin(first, 'POST', '/api/admin/projects/default/features/evaluated/environments/production/on');
});
afterAll(async () => {
  for (const server of servers) await stopProcess(server);
  await discardDatabase(name);
});

async function admin(server: RunningServer, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: ADMIN, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
  return await response.json().catch(() => undefined);
}

/** Runs a real SDK that evaluates a flag this many times, and sends its metrics. */
async function evaluate(server: RunningServer, times: number): Promise<void> {
  const sdk = new Unleash({
    url: `${server.url}/api/`,
    appName: 'evaluator',
    customHeaders: { Authorization: token },
    skipInstanceCountWarning: true,
    metricsInterval: 3_600_000,
    storageProvider: new InMemStorageProvider(),
  });
  sdk.on('error', () => {});
  await once(sdk, 'synchronized');
  for (let n = 0; n < times; n++) sdk.isEnabled('evaluated');
  sdk.isEnabled('does-not-exist');
  const metricsSent = once(sdk, 'sent');
  await sdk.flushMetrics();
  await metricsSent;
  sdk.destroy();
}

test('two servers add up the evaluations of real SDKs, and write them before they stop', async () => {
  const [first, second] = servers as [RunningServer, RunningServer];
  await evaluate(first, 30);
  await evaluate(second, 12);

  const exit = await stopProcess(second);
  servers = [first];
  expect(exit.code).toBe(0);

  await expect
    .poll(() => admin(first, 'GET', '/api/admin/client-metrics/features/evaluated/raw'), { interval: 500 })
    .toMatchObject({ data: [{ appName: 'evaluator', yes: 42, no: 0 }] });
  const unknownFlags = await admin(first, 'GET', '/api/admin/metrics/unknown-flags');
  expect(unknownFlags).toMatchObject({ unknownFlags: [{ name: 'does-not-exist' }] });
  const feature = await admin(first, 'GET', '/api/admin/projects/default/features/evaluated');
  expect(feature).toMatchObject({ lastSeenAt: expect.any(String), lifecycle: { stage: 'live' } });
  const application = await admin(first, 'GET', '/api/admin/metrics/applications/evaluator');
  expect(application).toMatchObject({
    instances: [{ environment: 'production', sdkVersion: expect.stringMatching(/^unleash-node-sdk:/) }],
  });
});
