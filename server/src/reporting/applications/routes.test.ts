import { makeUsage, type Usage } from '@halyard/plane/counting/usage.ts';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { beforeAll, expect, test } from 'vitest';
import { makeFeature, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { makeFlusher } from '../metrics/flush.ts';
import { upsertInstances } from './store.ts';

const harness = useHarness();
const APPLICATIONS = '/api/admin/metrics/applications';
let outsider: string;
let hiddenProject: string;

const get = async (path: string, token?: string) =>
  await call(harness.app, 'GET', path, token === undefined ? {} : { token });

async function flushWith(fill: (usage: Usage) => void): Promise<void> {
  const usage = makeUsage(new Registry(), () => true);
  fill(usage);
  await makeFlusher(harness.db, usage).flush();
}

const report = (usage: Usage, appName: string, environment: string, names: string[], type = 'backend') =>
  void usage.report(
    { id: 1, type, environment, projects: undefined },
    { 'unleash-sdk': `${type}-sdk:1.0.0` },
    {
      appName,
      instanceId: `${appName}-${environment}`,
      bucket: { stop: Date.now(), toggles: Object.fromEntries(names.map(name => [name, { yes: 1, no: 0 }])) },
    },
  );

beforeAll(async () => {
  hiddenProject = (await makeProject(harness.db, { id: 'hidden', mode: 'private' })).id;
  await makeFeature(harness.db, 'default', { name: 'open-flag', type: 'release' });
  await makeFeature(harness.db, 'default', { name: 'old-flag', type: 'release' });
  await makeFeature(harness.db, hiddenProject, { name: 'hidden-flag', type: 'release' });
  outsider = (await makeUser(harness.db, 'Editor')).token;
  await flushWith(usage => {
    usage.register(
      { id: 1, type: 'backend', environment: 'production', projects: undefined },
      {},
      {
        appName: 'shop',
        instanceId: 'starting',
        sdkVersion: 'unleash-node-sdk:6.12.1',
        strategies: ['default', 'mine'],
      },
    );
    report(usage, 'shop', 'production', ['open-flag', 'hidden-flag', 'typo']);
    report(usage, 'shop', 'development', ['open-flag', 'old-flag'], 'frontend');
    report(usage, 'other', 'production', ['hidden-flag', 'hidden-typo']);
  });
  await call(harness.app, 'DELETE', '/api/admin/projects/default/features/old-flag');
});

test('lists applications with their usage', async () => {
  const { status, body } = await get(APPLICATIONS);

  expect(status).toBe(200);
  expect(body).toEqual({
    total: 2,
    applications: [
      {
        appName: 'other',
        createdAt: expect.any(String),
        lastSeenAt: expect.any(String),
        strategies: [],
        usage: [{ project: 'hidden', environments: ['production'] }],
        instancesBehind: 0,
      },
      {
        appName: 'shop',
        createdAt: expect.any(String),
        lastSeenAt: expect.any(String),
        strategies: ['default', 'mine'],
        usage: [
          { project: 'default', environments: ['development', 'production'] },
          { project: 'hidden', environments: ['production'] },
        ],
        instancesBehind: 0,
      },
    ],
  });
});

test.each([
  ['query=SHO', ['shop']],
  ['query=%25', []],
  ['project=hidden', ['other', 'shop']],
  ['project=default', ['shop']],
  ['sortOrder=desc', ['shop', 'other']],
  ['limit=1&offset=1', ['shop']],
])('finds applications with %s', async (query, names) => {
  const { body } = await get(`${APPLICATIONS}?${query}`);

  expect(body.applications.map(({ appName }: { appName: string }) => appName)).toEqual(names);
});

test.each(['lastSeenAt', 'createdAt'])('sorts applications by %s in both directions', async sortBy => {
  // Only the requested time puts "shop" first. The names, the ids and the other time put "other" first.
  const [shopCreated, shopSeen] = sortBy === 'createdAt' ? [1, 3] : [3, 1];
  await sql`
    update applications
    set created_at = now() - make_interval(days => 10 - case name when 'shop' then ${shopCreated}::integer else 2 end)
    where name in ('other', 'shop')`.execute(harness.db);
  await sql`
    update application_instances
    set seen_at = now() - make_interval(hours => 10 - case name when 'shop' then ${shopSeen}::integer else 2 end)
    from applications where applications.id = application_id and name in ('other', 'shop')`.execute(
    harness.db,
  );
  const listNames = async (query: string) =>
    (await get(`${APPLICATIONS}?project=hidden&sortBy=${sortBy}${query}`)).body.applications.map(
      ({ appName }: { appName: string }) => appName,
    );

  expect(await listNames('')).toEqual(['shop', 'other']);
  expect(await listNames('&sortOrder=desc')).toEqual(['other', 'shop']);
  expect(await listNames('&limit=1')).toEqual(['shop']);
  expect(await listNames('&limit=1&sortOrder=desc')).toEqual(['other']);
});

test('rejects every invalid parameter', async () => {
  const { status, body } = await get(`${APPLICATIONS}?sortBy=size&limit=0`);

  expect(status).toBe(400);
  expect(body.details.map(({ path }: { path: string }) => path)).toEqual(['/query/sortBy', '/query/limit']);
});

test('lists the applications of a project with their environments, instances and SDKs', async () => {
  const { status, body } = await get('/api/admin/projects/default/applications');

  expect(status).toBe(200);
  expect(body).toEqual({
    total: 1,
    applications: [
      {
        name: 'shop',
        environments: ['development', 'production'],
        instances: ['shop-development', 'shop-production', 'starting'],
        sdks: [
          { name: 'backend-sdk', versions: ['1.0.0'] },
          { name: 'frontend-sdk', versions: ['1.0.0'] },
          { name: 'unleash-node-sdk', versions: ['6.12.1'] },
        ],
      },
    ],
  });
});

test.each([
  ['', ['other', 'shop']],
  ['?sortOrder=desc&sortBy=appName', ['shop', 'other']],
  ['?query=SHO', ['shop']],
  ['?limit=1&offset=1', ['shop']],
  ['?query=100%', []],
])('selects applications of a project: %s', async (query, names) => {
  const { body } = await get(`/api/admin/projects/hidden/applications${query}`);

  expect(body.applications.map(({ name }: { name: string }) => name)).toEqual(names);
});

test('rejects invalid parameters, and returns 404 to callers who cannot read the project', async () => {
  const invalidResponse = await get(
    '/api/admin/projects/default/applications?sortBy=x&sortOrder=y&limit=0&offset=-1',
  );

  expect(invalidResponse.status).toBe(400);
  expect(invalidResponse.body.details).toHaveLength(4);
  expect((await get('/api/admin/projects/hidden/applications', outsider)).status).toBe(404);
  expect((await get('/api/admin/projects/nowhere/applications')).status).toBe(404);
});

test('shows nothing about private projects to outsiders', async () => {
  const list = await get(APPLICATIONS, outsider);
  const filteredResponse = await get(`${APPLICATIONS}?project=hidden`, outsider);
  const response = await get(`${APPLICATIONS}/shop`, outsider);
  const overview = await get(`${APPLICATIONS}/shop/overview`, outsider);

  expect(list.body).toMatchObject({
    total: 1,
    applications: [
      { appName: 'shop', usage: [{ project: 'default', environments: ['development', 'production'] }] },
    ],
  });
  expect(filteredResponse.body.total).toBe(0);
  expect(JSON.stringify([response.body, overview.body])).not.toContain('hidden');
  expect(overview.body).toMatchObject({ projects: ['default'], featureCount: 2 });
  expect((await get('/api/admin/client-metrics/features/hidden-flag', outsider)).status).toBe(404);
  expect((await get('/api/admin/client-metrics/features/hidden-flag/raw', outsider)).status).toBe(404);
});

test.each([
  ['GET', `${APPLICATIONS}/other`],
  ['GET', `${APPLICATIONS}/other/overview`],
  ['GET', '/api/admin/metrics/instances/other/environment/production'],
  ['POST', `${APPLICATIONS}/other`],
  ['DELETE', `${APPLICATIONS}/other`],
] as const)('hides an application of private projects from outsiders: %s %s', async (method, path) => {
  const options = { token: outsider, ...(method === 'POST' ? { body: { color: 'red' } } : {}) };

  expect((await call(harness.app, method, path, options)).status).toBe(404);
});

test('shows unknown flags of the applications that the caller can see', async () => {
  const listNames = async (token?: string) =>
    (await get('/api/admin/metrics/unknown-flags', token)).body.unknownFlags
      .map(({ name }: { name: string }) => name)
      .toSorted();

  expect(await listNames()).toEqual(['hidden-typo', 'typo']);
  expect(await listNames(outsider)).toEqual(['typo']);
});

test('shows an application that requested no feature to everyone, and its event only to admins', async () => {
  await flushWith(usage => report(usage, 'blank', 'production', []));
  const events = '/api/admin/search/events?type=IS:application-created';

  expect((await get(`${APPLICATIONS}/blank`, outsider)).body.usage).toEqual([]);
  expect((await get(events)).body.total).toBe(3);
  expect((await get(events, outsider)).body.total).toBe(0);
  await call(harness.app, 'DELETE', `${APPLICATIONS}/blank`);
});

test('shows the instances of an application, and archived features that it still requests', async () => {
  const { body } = await get(`${APPLICATIONS}/shop`);

  expect(body.instances).toHaveLength(3);
  expect(body.instances).toContainEqual({
    instanceId: 'starting',
    environment: 'production',
    sdkVersion: 'unleash-node-sdk:6.12.1',
    createdAt: expect.any(String),
    lastSeen: expect.any(String),
  });
  expect(body.seenToggles).toMatchObject([
    { name: 'hidden-flag', project: 'hidden', archived: false },
    { name: 'old-flag', project: 'default', archived: true, environments: ['development'] },
    { name: 'open-flag', project: 'default', archived: false, environments: ['development', 'production'] },
  ]);
});

test('shows the environments of an application with SDKs and issues', async () => {
  const { body } = await get(`${APPLICATIONS}/shop/overview`);

  expect(body).toMatchObject({
    projects: ['default', 'hidden'],
    featureCount: 3,
    environments: [
      { name: 'development', instanceCount: 1, frontendSdks: ['frontend-sdk:1.0.0'], backendSdks: [] },
      {
        name: 'production',
        instanceCount: 2,
        sdks: ['backend-sdk:1.0.0', 'unleash-node-sdk:6.12.1'],
        issues: { missingFeatures: ['typo'], outdatedSdks: [], instancesBehind: [] },
      },
    ],
    issues: { missingStrategies: ['mine'] },
  });
});

test('lists the instances in an environment', async () => {
  const { status, body } = await get('/api/admin/metrics/instances/shop/environment/development');

  expect(status).toBe(200);
  expect(body.instances).toEqual([
    { instanceId: 'shop-development', sdkVersion: 'frontend-sdk:1.0.0', lastSeen: expect.any(String) },
  ]);
  expect((await get('/api/admin/metrics/instances/shop/environment/moon')).body).toEqual({ instances: [] });
});

test('stores at most 1,000 instances of an application, and shows 100', async () => {
  const instance = { application: 'other', environment: 'production', sdkVersion: null, isFrontend: false };
  const crowd = Array.from({ length: 1_100 }, (_, n) => ({
    ...instance,
    instanceId: `i${n}`,
    strategies: undefined,
    seenAt: Date.now(),
    token: 1,
  }));

  await upsertInstances(harness.db, crowd.slice(0, 700));
  await upsertInstances(harness.db, crowd);

  const { body } = await get(`${APPLICATIONS}/other/overview`);
  expect(body.environments).toMatchObject([{ name: 'production', instanceCount: 1_000 }]);
  expect((await get(`${APPLICATIONS}/other`)).body.instances).toHaveLength(100);
});

test('lists the applications that use each token, and moves an instance to the token that it used last', async () => {
  const register = (token: number, instanceId: string) =>
    flushWith(usage =>
      usage.register(
        { id: token, type: 'backend', environment: 'staging', projects: undefined },
        {},
        { appName: 'mover', instanceId, sdkVersion: 'unleash-node-sdk:6.12.1' },
      ),
    );
  const readTokenUse = async (token: number | string, caller?: string) =>
    await get(`/api/admin/metrics/api-tokens?token=${token}`, caller);
  await register(71, 'first');
  await register(71, 'second');
  expect((await readTokenUse(71)).body).toEqual({
    tokens: [
      {
        id: 71,
        applications: [
          {
            appName: 'mover',
            environment: 'staging',
            sdkVersion: 'unleash-node-sdk:6.12.1',
            instances: 2,
            lastSeen: expect.any(String),
          },
        ],
      },
    ],
  });

  await register(72, 'second');

  expect((await readTokenUse(71)).body.tokens).toMatchObject([{ id: 71, applications: [{ instances: 1 }] }]);
  expect((await readTokenUse(72)).body.tokens).toMatchObject([{ id: 72, applications: [{ instances: 1 }] }]);
  expect((await readTokenUse(73)).body).toEqual({ tokens: [] });
  expect((await readTokenUse('x')).status).toBe(400);
});

test('token usage omits applications that the caller cannot see', async () => {
  const listNames = async (caller?: string): Promise<string[]> => {
    const { body } = await get('/api/admin/metrics/api-tokens', caller);
    const tokenUses: { id: number; applications: { appName: string }[] }[] = body.tokens;
    return tokenUses.flatMap(({ id, applications }) =>
      id === 1 ? applications.map(application => application.appName) : [],
    );
  };

  expect(await listNames()).toContain('other');
  expect(await listNames(outsider)).toContain('shop');
  expect(await listNames(outsider)).not.toContain('other');
});

test.each([
  ['GET', `${APPLICATIONS}/nobody`],
  ['GET', `${APPLICATIONS}/nobody/overview`],
  ['GET', '/api/admin/metrics/instances/nobody/environment/production'],
  ['POST', `${APPLICATIONS}/nobody`],
  ['DELETE', `${APPLICATIONS}/nobody`],
] as const)('responds with 404 to %s %s', async (method, path) => {
  const { status, body } = await call(harness.app, method, path, method === 'POST' ? { body: {} } : {});

  expect(status).toBe(404);
  expect(body.message).toContain('Application "nobody"');
});

test('describes an application, keeps omitted fields and removes null fields', async () => {
  const post = async (body: object) => await call(harness.app, 'POST', `${APPLICATIONS}/shop`, { body });

  const statuses = [
    await post({ description: 'The shop', url: 'https://shop.example.com' }),
    await post({ url: null, color: 'red' }),
    await post({ color: 'red' }),
  ].map(({ status }) => status);

  expect(statuses).toEqual([202, 202, 202]);
  const { body } = await get(`${APPLICATIONS}/shop`);
  expect(body).toMatchObject({ description: 'The shop', color: 'red' });
  expect(body).not.toHaveProperty('url');
  const events = await get('/api/admin/search/events?type=IS:application-updated');
  expect(events.body.events).toHaveLength(2);
  expect(events.body.events[0]).toMatchObject({
    preData: { appName: 'shop', url: 'https://shop.example.com', color: null },
    data: { appName: 'shop', url: null, color: 'red' },
  });
});

test.each(['javascript:alert(1)', 'checkout', 'https://me:secret@example.com'])(
  'rejects the URL %s of an application',
  async url => {
    const { status, body } = await call(harness.app, 'POST', `${APPLICATIONS}/shop`, { body: { url } });

    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ path: '/body/url' }]);
  },
);

test('rejects a description that is too long, and a caller without the permission', async () => {
  const viewer = (await makeUser(harness.db, 'Viewer')).token;
  const body = { description: 'x'.repeat(2_001) };

  expect((await call(harness.app, 'POST', `${APPLICATIONS}/shop`, { body })).status).toBe(400);
  expect((await call(harness.app, 'POST', `${APPLICATIONS}/shop`, { body: {}, token: viewer })).status).toBe(
    403,
  );
  expect((await call(harness.app, 'DELETE', `${APPLICATIONS}/shop`, { token: viewer })).status).toBe(403);
});

test('a delete waits for a flush of the application, and the next flush creates the application again', async () => {
  await flushWith(usage => report(usage, 'brief', 'production', ['open-flag']));
  const lock = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holder = harness.db.transaction().execute(async tx => {
    await sql`select from applications where name = 'brief' for key share`.execute(tx);
    lock.resolve();
    await release.promise;
  });
  await lock.promise;

  const deletion = call(harness.app, 'DELETE', `${APPLICATIONS}/brief`);
  await waitForLockWaiters(harness.db);
  release.resolve();
  await holder;

  expect((await deletion).status).toBe(200);
  expect((await get(`${APPLICATIONS}/brief`)).status).toBe(404);
  await flushWith(usage => report(usage, 'brief', 'production', ['open-flag']));
  expect((await get(`${APPLICATIONS}/brief`)).status).toBe(200);
});
