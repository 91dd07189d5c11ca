import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const ADMIN = { id: -42, name: 'admin token', imageUrl: expect.stringMatching(/^https:/) };

const harness = useHarness();
const people: Record<string, TestUser> = {};

type Found = { name: string; project: string };

const search = async (query: string, token?: string) => {
  const url = `/api/admin/search/features?${query}`;
  const { status, body } = await call(harness.app, 'GET', url, token === undefined ? {} : { token });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body as { features: (Found & Record<string, unknown>)[]; total: number };
};
const searchNames = async (query: string, token?: string) =>
  (await search(query, token)).features.map(feature => feature.name);

const request = async (method: 'POST' | 'PUT', url: string, body?: unknown, token = ADMIN_TOKEN) => {
  const response = await call(harness.app, method, url, { token, ...(body === undefined ? {} : { body }) });
  expect(response).toMatchObject({ status: expect.toSatisfy(status => status < 300) });
  return response.body;
};

const insert = (table: string, row: object) =>
  sql`insert into ${sql.table(table)} select * from jsonb_populate_record(null::${sql.table(table)}, ${JSON.stringify({ created_at: '2026-11-15T00:00:00Z', ...row })})`.execute(
    harness.db,
  );

/**
 * Creates alpha, beta and gamma in `shop`, delta in the private project `vault`, and the archived feature old in `shop`, dated to five
 * consecutive days in this order. Some of the data is inserted directly.
 */
beforeAll(async () => {
  const { db } = harness;
  await makeProject(db, { id: 'shop' });
  await makeProject(db, { id: 'vault', mode: 'private' });
  for (const name of ['alice', 'bob'] as const) people[name] = await makeUser(db, 'Viewer', name);
  const { alice } = people;
  if (!alice) throw new Error('no alice');
  await makeMember(db, alice, 'shop', 'Owner');
  await makeMember(db, alice, 'vault', 'Owner');

  const create = (project: string, name: string, fields: object = {}, token?: string) =>
    request('POST', `/api/admin/projects/${project}/features`, { name, ...fields }, token);
  await create('shop', 'alpha', { description: 'The 100% checkout', impressionData: true });
  await create('shop', 'beta', { type: 'experiment' }, alice.token);
  await create('shop', 'gamma', { type: 'kill-switch' }, alice.token);
  await create('vault', 'delta');
  await create('shop', 'old');
  await request('POST', '/api/admin/projects/shop/archive', { features: ['old'] });
  await request('POST', '/api/admin/projects/shop/stale', { features: ['gamma'], stale: true });

  const segments = ['one', 'two'].map(async name => {
    const { id } = await request('POST', '/api/admin/segments', { name, constraints: [] });
    return id as number;
  });
  const [firstSegment, secondSegment] = await Promise.all(segments);
  const strategies = (feature: string) =>
    `/api/admin/projects/shop/features/${feature}/environments/production/strategies`;
  await request('POST', strategies('alpha'), { name: 'default', segments: [firstSegment, secondSegment] });
  await request('POST', strategies('beta'), { name: 'default', segments: [firstSegment], disabled: true });
  await request('POST', '/api/admin/projects/shop/features/alpha/environments/production/on');

  for (const [index, name] of ['alpha', 'beta', 'gamma', 'delta', 'old'].entries()) {
    await sql`update features set created_at = ${`2026-01-0${index + 1}T12:00:00Z`} where name = ${name}`.execute(
      db,
    );
  }
  await sql`insert into feature_last_seen values ('beta', 'production', '2026-05-01T08:00:00Z')`.execute(db);
  for (const value of ['red', 'blue', 'with:colon']) await insert('tags', { type: 'simple', value });
  for (const [feature_name, value] of [
    ['alpha', 'red'],
    ['alpha', 'blue'],
    ['beta', 'red'],
    ['gamma', 'with:colon'],
  ])
    await insert('feature_tags', { feature_name, type: 'simple', value });
  await insert('feature_dependencies', { child: 'beta', parent: 'alpha', enabled: true, variants: [] });
  await insert('favorite_features', { user_id: alice.id, feature_name: 'gamma' });
  await insert('feature_lifecycles', {
    feature_name: 'beta',
    stage: 'pre-live',
    entered_at: '2026-05-01T08:00:00Z',
  });
  await insert('feature_lifecycles', {
    feature_name: 'beta',
    stage: 'live',
    entered_at: '2026-05-02T08:00:00Z',
  });
  await insert('feature_lifecycles', {
    feature_name: 'alpha',
    stage: 'pre-live',
    entered_at: '2026-05-01T08:00:00Z',
  });
});

test('returns a feature with all its fields', async () => {
  const { features, total } = await search('query=alpha');

  expect(total).toBe(1);
  expect(features).toEqual([
    {
      name: 'alpha',
      type: 'release',
      description: 'The 100% checkout',
      project: 'shop',
      stale: false,
      impressionData: true,
      favorite: false,
      createdAt: '2026-01-01T12:00:00.000Z',
      createdBy: ADMIN,
      lifecycle: { stage: 'pre-live', enteredStageAt: '2026-05-01T08:00:00.000Z' },
      dependencyType: 'parent',
      tags: [
        { type: 'simple', value: 'blue' },
        { type: 'simple', value: 'red' },
      ],
      segments: ['one', 'two'],
      environments: [
        {
          name: 'development',
          type: 'development',
          sortOrder: 100,
          enabled: false,
          variantCount: 0,
          hasStrategies: false,
          hasEnabledStrategies: false,
          yes: 0,
          no: 0,
        },
        expect.objectContaining({
          name: 'production',
          enabled: true,
          hasStrategies: true,
          hasEnabledStrategies: true,
        }),
      ],
      collaborators: { users: [ADMIN] },
    },
  ]);
});

test('returns the dependency type, the last-seen time and disabled strategies', async () => {
  const [beta] = (await search('query=beta')).features;

  expect(beta).toMatchObject({
    dependencyType: 'child',
    lastSeenAt: '2026-05-01T08:00:00.000Z',
    lifecycle: { stage: 'live' },
    environments: [
      { name: 'development' },
      {
        name: 'production',
        hasStrategies: true,
        hasEnabledStrategies: false,
        lastSeenAt: '2026-05-01T08:00:00.000Z',
      },
    ],
  });
});

test.each([
  ['project=IS:shop', 'alpha beta gamma'],
  ['', 'alpha beta gamma delta'],
  ['project=IS_NOT:shop', 'delta'],
  ['project=IS_ANY_OF:shop,vault', 'alpha beta gamma delta'],
  ['project=IS_NONE_OF:shop,vault', ''],
  ['project=IS:nowhere', ''],
  ['type=IS:release', 'alpha delta'],
  ['type=IS_NONE_OF:release,experiment', 'gamma'],
  ['state=IS:stale', 'gamma'],
  ['state=IS_NOT:stale&project=IS:shop', 'alpha beta'],
  ['state=IS_ANY_OF:active,stale&project=IS:shop', 'alpha beta gamma'],
  ['createdBy=IS:-42', 'alpha delta'],
  ['createdBy=IS_NOT:-42', 'beta gamma'],
  ['createdAt=IS_BEFORE:2026-01-02', 'alpha'],
  ['createdAt=IS_ON_OR_AFTER:2026-01-02', 'beta gamma delta'],
  ['lifecycle=IS:initial', 'gamma delta'],
  ['lifecycle=IS:pre-live', 'alpha'],
  ['lifecycle=IS_ANY_OF:pre-live,live', 'alpha beta'],
  ['lifecycle=IS_NOT:live&project=IS:shop', 'alpha gamma'],
  ['lifecycle=IS:archived&archived=IS:true', 'old'],
  ['tag=INCLUDE:simple:red', 'alpha beta'],
  ['tag=INCLUDE_ANY_OF:simple:blue,simple:with:colon', 'alpha gamma'],
  ['tag=INCLUDE_ALL_OF:simple:red,simple:blue', 'alpha'],
  ['tag=DO_NOT_INCLUDE:simple:red', 'gamma delta'],
  ['tag=EXCLUDE_IF_ANY_OF:simple:blue,simple:with:colon', 'beta delta'],
  ['tag=EXCLUDE_ALL:simple:red,simple:blue', 'beta gamma delta'],
  ['tag=INCLUDE:other:red', ''],
  ['segment=INCLUDE:one', 'alpha beta'],
  ['segment=INCLUDE_ALL_OF:one,two', 'alpha'],
  ['segment=DO_NOT_INCLUDE:one', 'gamma delta'],
  ['segment=EXCLUDE_ALL:one,two', 'beta gamma delta'],
  ['status=production:enabled', 'alpha'],
  ['status=production:disabled&project=IS:shop', 'beta gamma'],
  ['status=production:enabled&status=development:disabled&project=IS:shop', 'alpha beta gamma'],
  ['status=nowhere:enabled', ''],
  ['archived=IS:true', 'old'],
  ['archived=IS:false&project=IS:shop', 'alpha beta gamma'],
  ['query=ALPHA', 'alpha'],
  ['query=checkout', 'alpha'],
  ['query=100%25', 'alpha'],
  ['query=1_0', ''],
  ['query=simple:re', 'alpha beta'],
  ['query=gam,%20checkout', 'alpha gamma'],
  ['query=', 'alpha beta gamma delta'],
  ['query=a%5Cb', ''],
  ['query=alphaThe', ''],
  ['query=t&project=IS:vault', 'delta'],
  ['type=IS:release&query=delta', 'delta'],
])('%s finds %s', async (query, expected) => {
  const { features, total } = await search(query);

  expect(features.map(({ name }) => name).join(' ')).toBe(expected);
  expect(total).toBe(features.length);
});

test.each([
  ['sortBy=name', 'alpha beta gamma'],
  ['sortBy=name&sortOrder=desc', 'gamma beta alpha'],
  ['sortBy=createdAt&sortOrder=desc', 'gamma beta alpha'],
  ['sortBy=type', 'beta gamma alpha'],
  ['sortBy=type&sortOrder=desc', 'alpha gamma beta'],
  ['sortBy=project&sortOrder=desc', 'gamma beta alpha'],
  ['sortBy=stale&sortOrder=desc', 'gamma beta alpha'],
  ['sortBy=lastSeenAt', 'beta alpha gamma'],
  ['sortBy=lastSeenAt&sortOrder=desc', 'beta gamma alpha'],
  ['sortBy=environment:production&sortOrder=desc', 'alpha gamma beta'],
  ['sortBy=environment:production', 'beta gamma alpha'],
  ['sortBy=environment:nowhere', 'alpha beta gamma'],
  ['sortBy=name&type=IS_NOT:experiment', 'alpha gamma'],
])('%s returns %s', async (query, expected) => {
  expect((await searchNames(`project=IS:shop&${query}`)).join(' ')).toBe(expected);
});

test.each([
  ['favoritesFirst=true', 'gamma alpha beta'],
  ['favoritesFirst=true&sortOrder=desc', 'gamma beta alpha'],
  ['favoritesFirst=true&sortBy=type', 'gamma beta alpha'],
  ['favoritesFirst=true&limit=2', 'gamma alpha'],
  ['favoritesFirst=true&limit=2&offset=1', 'alpha beta'],
  ['favoritesFirst=true&limit=2&offset=2', 'beta'],
  ['favoritesFirst=true&limit=1&offset=2', 'beta'],
  ['favoritesFirst=true&query=a', 'gamma alpha beta'],
  ['favoritesFirst=false', 'alpha beta gamma'],
])('%s returns %s to a user with gamma as a favorite', async (query, expected) => {
  const { features, total } = await search(`project=IS:shop&${query}`, people.alice?.token);

  expect(features.map(({ name }) => name).join(' ')).toBe(expected);
  expect(features.filter(({ favorite }) => favorite).map(({ name }) => name)).toEqual(
    expected.includes('gamma') ? ['gamma'] : [],
  );
  expect(total).toBe(3);
  expect((await searchNames('project=IS:shop&favoritesFirst=true')).join(' ')).toBe('alpha beta gamma');
});

test('pages do not overlap, and an empty page past the end still contains the total', async () => {
  expect(await searchNames('project=IS:shop&limit=2')).toEqual(['alpha', 'beta']);
  expect(await searchNames('project=IS:shop&limit=2&offset=2')).toEqual(['gamma']);
  expect(await search('project=IS:shop&offset=3')).toEqual({ features: [], total: 3 });
  expect(await search('project=IS:shop&type=IS:release&offset=9007199254740993')).toEqual({
    features: [],
    total: 1,
  });
});

test('hides features of a private project from the page and the total', async () => {
  expect(await search('', people.bob?.token)).toMatchObject({ total: 3 });
  expect(await searchNames('project=IS:vault', people.bob?.token)).toEqual([]);
  expect(await search('query=delta', people.bob?.token)).toEqual({ features: [], total: 0 });
  expect(await searchNames('query=delta', people.alice?.token)).toEqual(['delta']);
});

test('returns 304 for an unchanged page, and toggling a feature changes the ETag', async () => {
  const url = '/api/admin/search/features?project=IS:shop&limit=100';
  const firstResponse = await call(harness.app, 'GET', url);
  const headers = { 'if-none-match': String(firstResponse.headers.etag) };

  expect(await call(harness.app, 'GET', url, { headers })).toMatchObject({ status: 304, body: '' });

  const toggle = (state: string) =>
    call(harness.app, 'POST', `/api/admin/projects/shop/features/gamma/environments/development/${state}`);
  const { enabled } = firstResponse.body.features
    .find(({ name }: Found) => name === 'gamma')
    .environments.find(({ name }: { name: string }) => name === 'development');
  await toggle(enabled ? 'off' : 'on');
  const changedResponse = await call(harness.app, 'GET', url, { headers });
  expect(changedResponse.status).toBe(200);
  expect(changedResponse.headers.etag).not.toBe(firstResponse.headers.etag);
  await toggle(enabled ? 'on' : 'off');
});

test('a filtered search takes as many statements as a page with one feature', async () => {
  const countStatements = async (query: string) => {
    const statementsBefore = harness.statements.length;
    await search(query);
    return harness.statements.length - statementsBefore;
  };

  expect(await countStatements('query=a&tag=INCLUDE:simple:red&favoritesFirst=true')).toBe(
    await countStatements('limit=1'),
  );
});

test('a feature is potentially stale if it is older than the lifetime of its type', async () => {
  await request('PUT', '/api/admin/feature-types/experiment/lifetime', { lifetimeDays: null });

  expect((await searchNames('state=IS:potentially-stale')).toSorted()).toEqual(['alpha', 'delta']);
  expect((await searchNames('state=IS_ANY_OF:potentially-stale,stale&project=IS:shop')).toSorted()).toEqual([
    'alpha',
    'gamma',
  ]);
  expect((await searchNames('state=IS_NOT:potentially-stale&project=IS:shop')).toSorted()).toEqual([
    'beta',
    'gamma',
  ]);
});

test('a feature becomes potentially stale when its age reaches the lifetime of its type', async () => {
  await request('PUT', '/api/admin/feature-types/operational/lifetime', { lifetimeDays: 7 });
  for (const [name, age] of [
    ['aged-a-week', '7 days'],
    ['aged-almost-a-week', '6 days 23 hours 55 minutes'],
  ] as const) {
    await request('POST', '/api/admin/projects/shop/features', { name, type: 'operational' });
    await sql`update features set created_at = now() - ${age}::interval where name = ${name}`.execute(
      harness.db,
    );
  }

  expect(await searchNames('state=IS:potentially-stale&type=IS:operational')).toEqual(['aged-a-week']);
  expect(await searchNames('state=IS_NOT:potentially-stale&type=IS:operational')).toEqual([
    'aged-almost-a-week',
  ]);
  await sql`delete from features where name like 'aged-%'`.execute(harness.db);
});

test('lists the creators of features in a project and in all readable projects', async () => {
  const { alice } = people;
  const creators = [
    { id: -42, name: 'admin token' },
    { id: alice?.id, name: 'alice' },
  ];
  const get = async (url: string, token?: string) =>
    (await call(harness.app, 'GET', url, token === undefined ? {} : { token })).body;

  expect(await get('/api/admin/projects/shop/flag-creators')).toEqual(creators);
  expect(await get('/api/admin/projects/vault/flag-creators')).toEqual([creators[0]]);
  expect(await get('/api/admin/flag-creators', people.bob?.token)).toEqual({
    flagCreators: creators,
    total: creators.length,
  });
  expect(await get('/api/admin/projects/vault/flag-creators', people.bob?.token)).toMatchObject({
    name: 'NotFoundError',
  });
});

test('rejects invalid parameters with their paths', async () => {
  const response = await call(harness.app, 'GET', '/api/admin/search/features?status=x&sortBy=y&archived=z');

  expect(response.status).toBe(400);
  expect(response.body.details.map(({ path }: { path: string }) => path)).toEqual([
    '/query/status',
    '/query/sortBy',
    '/query/archived',
  ]);
});

test('names a parent that must be enabled but is disabled in the environment', async () => {
  const addParent = (feature: string, body: object) =>
    request('POST', `/api/admin/projects/shop/features/${feature}/dependencies`, body);
  for (const name of ['child', 'parent-on', 'parent-off', 'opposite'])
    await request('POST', '/api/admin/projects/shop/features', { name });
  await request('POST', '/api/admin/projects/shop/features/parent-on/environments/production/on');
  await addParent('child', { feature: 'parent-on' });
  await addParent('opposite', { feature: 'parent-off', enabled: false });
  const findBlockers = async (name: string) =>
    (await search(`query=${name}`)).features.map(({ environments }) =>
      (environments as { name: string; blockedBy?: string }[]).map(
        environment => `${environment.name} ${environment.blockedBy}`,
      ),
    );

  const [blockersBefore, opposite] = [await findBlockers('child'), await findBlockers('opposite')];
  await addParent('child', { feature: 'parent-off' });
  const blockersAfter = await findBlockers('child');

  expect(blockersBefore).toEqual([['development parent-on', 'production undefined']]);
  expect(opposite).toEqual([['development undefined', 'production undefined']]);
  expect(blockersAfter).toEqual([['development parent-off', 'production parent-off']]);
});

test('runs the searches of one caller one at a time, and serves other requests in the meantime', async () => {
  const readWaitingCount = async () =>
    /halyard_admission_waiting{kind="long-reads"} (\d+)/.exec(
      (await harness.app.inject('/internal-backstage/prometheus')).body,
    )?.[1];
  const blocker = await harness.db.startTransaction().execute();
  await sql`lock table features in access exclusive mode`.execute(blocker);
  const searches = Array.from({ length: 3 }, () => search('limit=1000'));

  try {
    await expect.poll(readWaitingCount).toBe('2');
    expect((await call(harness.app, 'GET', '/api/admin/user')).status).toBe(200);
  } finally {
    await blocker.rollback().execute();
  }
  expect(await Promise.all(searches)).toHaveLength(3);
});
