import { expect, test } from 'vitest';
import { version } from '../../platform/command-line.ts';
import { DEFAULT_LIMITS } from '../../platform/config.ts';
import { makeUser } from '../../test/factories.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
const URL = '/api/admin/instance';

test('shows a user the version, limits, schedule and login methods, but nothing about the database', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');

  const { status, body } = await call(harness.app, 'GET', URL, { token });

  expect(status).toBe(200);
  expect(body).toEqual({
    version: version(),
    edition: 'open-source',
    license: 'Apache-2.0',
    publicUrl: 'http://localhost:4242',
    limits: { ...DEFAULT_LIMITS, writesPerMinute: null, writeBurst: null },
    deliveries: {
      attempts: APP_SETTINGS.deliverySchedule.length,
      waitSeconds: APP_SETTINGS.deliverySchedule,
      disableAfterHours: 120,
    },
    login: { password: true, singleSignOn: false },
    mail: false,
    eventRetentionDays: null,
  });
});

test('shows root admins the PostgreSQL version', async () => {
  const { body } = await call(harness.app, 'GET', URL);

  expect(body.postgresVersion).toMatch(/^\d+\.\d+$/);
});

test('returns the server settings and the current login methods', async () => {
  const server = await harness.secondServer({
    limits: { ...DEFAULT_LIMITS, projects: 7 },
    writeLimit: { perMinute: 60, burst: 90 },
    deliverySchedule: [0, 2.5],
    disableAfterHours: 0,
  });
  const oidc = { enabled: true, discoverUrl: 'https://login.example.com', clientId: 'h', secret: 'hush' };
  await call(harness.app, 'POST', '/api/admin/auth/oidc/settings', { body: oidc });

  const { body } = await call(server, 'GET', URL);

  expect(body.limits).toMatchObject({ projects: 7, writesPerMinute: 60, writeBurst: 90 });
  expect(body.deliveries).toEqual({ attempts: 2, waitSeconds: [0, 2.5], disableAfterHours: null });
  expect(body.login).toEqual({ password: true, singleSignOn: true });
  expect(JSON.stringify(body)).not.toContain('hush');
});

test('rejects a request without a token with 401', async () => {
  expect((await call(harness.app, 'GET', URL, { token: null })).status).toBe(401);
});

test('counts the contents of the instance, and keeps the instance id', async () => {
  const readStatistics = async () =>
    (await call(harness.app, 'GET', '/api/admin/instance-admin/statistics')).body;
  const statisticsBefore = await readStatistics();

  await makeUser(harness.db, 'Viewer');
  await call(harness.app, 'POST', '/api/admin/projects/default/features', { body: { name: 'counted' } });
  await call(harness.app, 'POST', '/api/admin/projects/default/features', { body: { name: 'archived' } });
  await call(harness.app, 'DELETE', '/api/admin/projects/default/features/archived');
  for (const type of ['client', 'backend', 'edge', 'frontend'])
    await call(harness.app, 'POST', '/api/admin/api-tokens', { body: { tokenName: type, type } });

  const statisticsAfter = await readStatistics();
  expect(statisticsAfter).toEqual({
    ...statisticsBefore,
    timestamp: expect.any(String),
    users: statisticsBefore.users + 1,
    featureToggles: statisticsBefore.featureToggles + 1,
    archivedFeatureToggles: statisticsBefore.archivedFeatureToggles + 1,
    apiTokens: {
      ...statisticsBefore.apiTokens,
      client: statisticsBefore.apiTokens.client + 3,
      frontend: statisticsBefore.apiTokens.frontend + 1,
    },
  });
  expect(statisticsAfter).toMatchObject({
    versionOSS: version(),
    projects: 1,
    environments: 2,
    strategies: 4,
    passwordAuthEnabled: true,
    clientApps: [
      { range: '7d', count: 0 },
      { range: '30d', count: 0 },
      { range: 'allTime', count: 0 },
    ],
  });
});

test('requires ADMIN for the statistics', async () => {
  const { token } = await makeUser(harness.db, 'Editor');

  const { status } = await call(harness.app, 'GET', '/api/admin/instance-admin/statistics', { token });

  expect(status).toBe(403);
});

test('shows versions, sizes, limits and delays in the diagnostics, but nothing that people entered', async () => {
  const canary = 'a-canary-that-must-not-be-seen';
  const oidc = { enabled: true, discoverUrl: `https://${canary}.example`, clientId: canary, secret: canary };
  await call(harness.app, 'POST', '/api/admin/auth/oidc/settings', { body: oidc });
  await call(harness.app, 'POST', '/api/admin/projects', { body: { id: canary, name: canary } });
  const parameters = { url: `https://example.com/${canary}`, authorization: canary };
  const addon = { provider: 'webhook', enabled: true, description: canary, parameters, events: ['*'] };
  expect((await call(harness.app, 'POST', '/api/admin/addons', { body: addon })).status).toBe(201);
  await makeUser(harness.db, 'Viewer', canary);

  const { status, body } = await call(harness.app, 'GET', `${URL}/diagnostics`);

  expect(status).toBe(200);
  expect(body).toMatchObject({
    version: version(),
    login: { password: true, singleSignOn: true },
    secretKey: true,
    server: { node: process.versions.node },
    database: { version: expect.stringMatching(/^\d+\.\d+$/), limitedBy: expect.any(String) },
    events: { newestAt: expect.any(String), indexLagSeconds: { filters: 0, text: 0 } },
    integrations: { enabled: 1, failing: 0 },
  });
  expect(body.database.bytes).toBeGreaterThan(1_000_000);
  expect(body.database.connections.length).toBeGreaterThan(0);
  expect(body.integrations.openDeliveries).toBeGreaterThan(0);
  expect(body.limits).toContainEqual({
    name: 'environments',
    used: expect.any(Number),
    limit: DEFAULT_LIMITS.environments,
  });
  const text = JSON.stringify(body);
  for (const secret of [canary, APP_SETTINGS.secretKey?.toString('base64') ?? canary, 'postgres://'])
    expect(text).not.toContain(secret);
});

test('requires ADMIN for the diagnostics', async () => {
  const { token } = await makeUser(harness.db, 'Editor');

  expect((await call(harness.app, 'GET', `${URL}/diagnostics`, { token })).status).toBe(403);
});
