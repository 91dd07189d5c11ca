import { makeUsage } from '@halyard/plane/counting/usage.ts';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { beforeAll, expect, test } from 'vitest';
import { makeFeature, makeProject } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { makeFlusher } from '../metrics/flush.ts';

const harness = useHarness();
const USAGE = '/api/admin/client-metrics/features/used';
const HOUR_MS = 3_600_000;

const get = async (path: string) => await call(harness.app, 'GET', path);

beforeAll(async () => {
  await makeFeature(harness.db, 'default', { name: 'used', type: 'release' });
  await makeFeature(harness.db, 'default', { name: 'unused', type: 'release' });
  await sql`update features set created_at = now() - interval '90 days'`.execute(harness.db);
  const usage = makeUsage(new Registry(), () => true);
  const report = (appName: string, environment: string, hoursAgo: number, counts: object) =>
    void usage.report(
      { id: 1, type: 'backend', environment, projects: undefined },
      {},
      {
        appName,
        instanceId: 'i',
        bucket: { stop: Date.now() - hoursAgo * HOUR_MS, toggles: { used: counts } },
      },
    );
  report('shop', 'production', 0, { yes: 5, no: 1, variants: { blue: 3, red: 2 } });
  report('shop', 'production', 1, { yes: 2, no: 0, variants: { blue: 2 } });
  report('shop', 'production', 20, { yes: 100, no: 0 });
  report('other', 'development', 0, { yes: 0, no: 4 });
  await makeFlusher(harness.db, usage).flush();
  const month = new Date(Date.now() - 40 * 24 * HOUR_MS).toISOString().slice(0, 10);
  await sql
    .raw(
      `create table metric_days_test partition of metric_days for values from ('2001-01-01') to ('${month}')`,
    )
    .execute(harness.db);
});

test('counts the current and the previous hour by environment, and lists the applications', async () => {
  const { status, body } = await get(USAGE);

  expect(status).toBe(200);
  expect(body).toEqual({
    version: 1,
    maturity: 'stable',
    featureName: 'used',
    lastHourUsage: [
      { environment: 'development', timestamp: expect.any(String), yes: 0, no: 4, variants: {} },
      {
        environment: 'production',
        timestamp: expect.any(String),
        yes: 7,
        no: 1,
        variants: { blue: 5, red: 2 },
      },
    ],
    seenApplications: ['other', 'shop'],
  });
});

test('lists counts by application, environment and hour', async () => {
  const { body } = await get(`${USAGE}/raw`);
  const shortResponse = await get(`${USAGE}/raw?hoursBack=2`);

  expect(body.data).toHaveLength(4);
  expect(body.data[0]).toEqual({
    featureName: 'used',
    appName: 'shop',
    environment: 'production',
    timestamp: expect.stringMatching(/:00:00.000Z$/),
    yes: 100,
    no: 0,
    variants: {},
  });
  expect(shortResponse.body.data).toHaveLength(3);
});

test('lists counts of more than two days by day', async () => {
  const { body } = await get(`${USAGE}/raw?hoursBack=720`);

  const total = body.data.reduce((sum: number, { yes }: { yes: number }) => sum + yes, 0);
  expect(total).toBe(107);
  expect(body.data[0].timestamp).toMatch(/T00:00:00.000Z$/);
});

test('lists the usage of the features of a project by environment', async () => {
  const { status, body } = await get('/api/admin/projects/default/usage?days=2');
  const today = new Date().toISOString().slice(0, 10);

  expect(status).toBe(200);
  expect(body).toEqual({
    total: 1,
    features: [
      {
        name: 'used',
        environments: [
          { environment: 'development', yes: 0, no: 4, lastDay: today },
          { environment: 'production', yes: 107, no: 1, lastDay: today },
        ],
      },
    ],
  });
  expect((await get('/api/admin/projects/default/usage?offset=1')).body).toEqual({ total: 1, features: [] });
  expect((await get('/api/admin/projects/default/usage?days=0&limit=x')).body.details).toHaveLength(2);
  expect((await get('/api/admin/projects/nowhere/usage')).status).toBe(404);
});

test('pages through the features that were evaluated within the given days', async () => {
  const { db } = harness;
  await makeProject(db, { id: 'paged' });
  const names = ['paged-1', 'paged-2', 'paged-3', 'paged-archived', 'paged-earlier'];
  for (const name of names) await makeFeature(db, 'paged', { name, type: 'release' });
  const usage = makeUsage(new Registry(), () => true);
  const toggles = Object.fromEntries(names.map((name, n) => [name, { yes: n, no: 1 }]));
  const token = { id: 1, type: 'backend', environment: 'production', projects: undefined };
  void usage.report(token, {}, { appName: 'shop', instanceId: 'i', bucket: { stop: Date.now(), toggles } });
  await makeFlusher(db, usage).flush();
  await sql`update features set archived_at = now() where name = 'paged-archived'`.execute(db);
  await sql`update feature_last_seen set enabled_on = enabled_on - 5, disabled_on = disabled_on - 5
    where feature_name = 'paged-earlier'`.execute(db);

  const pages = await Promise.all(
    [0, 2].map(async offset => await get(`/api/admin/projects/paged/usage?days=2&limit=2&offset=${offset}`)),
  );

  const features = pages.flatMap(({ body }) => body.features);
  expect(pages.map(({ body }) => body.total)).toEqual([3, 3]);
  expect(features.map(({ name, environments }) => [name, environments[0].yes, environments[0].no])).toEqual([
    ['paged-1', 0, 1],
    ['paged-2', 1, 1],
    ['paged-3', 2, 1],
  ]);
});

test('a feature that was never evaluated has no counts', async () => {
  const { body } = await get('/api/admin/client-metrics/features/unused');

  expect(body).toMatchObject({ lastHourUsage: [], seenApplications: [] });
  expect((await get('/api/admin/client-metrics/features/unused/raw')).body.data).toEqual([]);
});

test('a recreated feature does not have the counts of the deleted feature', async () => {
  await call(harness.app, 'DELETE', '/api/admin/projects/default/features/used');
  await call(harness.app, 'DELETE', '/api/admin/archive/used');
  await makeFeature(harness.db, 'default', { name: 'used', type: 'release' });
  await sql`update features set created_at = now() + interval '2 hours' where name = 'used'`.execute(
    harness.db,
  );

  expect((await get(USAGE)).body).toMatchObject({ lastHourUsage: [], seenApplications: [] });
  expect((await get(`${USAGE}/raw`)).body.data).toEqual([]);
});

test.each(['0', '2161', 'x', '1.5'])('rejects hoursBack=%s', async hours => {
  const { status, body } = await get(`${USAGE}/raw?hoursBack=${hours}`);

  expect(status).toBe(400);
  expect(body.message).toBe('hoursBack must be an integer from 1 to 2160');
});

test('responds with 404 for an unknown feature', async () => {
  expect((await get('/api/admin/client-metrics/features/nope')).status).toBe(404);
});

test('serves impact metrics to Prometheus without a token', async () => {
  const impactMetrics = [{ name: 'sold', type: 'counter', help: 'Sold', samples: [{ value: 2 }] }];
  await harness.app.usage.report(
    { id: 1, type: 'backend', environment: 'production', projects: undefined },
    {},
    { impactMetrics },
  );

  const { status, body, headers } = await call(harness.app, 'GET', '/internal-backstage/impact/metrics', {
    token: null,
  });

  expect(status).toBe(200);
  expect(headers['content-type']).toContain('text/plain');
  expect(body).toContain('unleash_counter_sold 2\n');
});
