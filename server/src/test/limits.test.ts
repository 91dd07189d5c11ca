import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { countActiveInInstance } from '../flags/features/store.ts';
import type { Tx } from '../platform/db/database.ts';
import { makeProject } from './factories.ts';
import { useHarness } from './harness.ts';
import { type ApiResponse, call } from './request.ts';
import { countLockWaiters, waitForLockWaiters } from './waiting.ts';

const harness = useHarness({
  limits: { projects: 5, environments: 5, segments: 3, apiTokens: 4, features: 6 },
});

let count = 0;
const post = (path: string, body: object): Promise<ApiResponse> =>
  call(harness.app, 'POST', `/api/admin/${path}`, { body });
const TOO_MANY = { status: 400, body: { name: 'ExceedsLimitError' } };

type Kind = {
  kind: string;
  max: number;
  add: (name: string) => Promise<ApiResponse>;
  /** Makes `add('held')`, but no other call, wait until the transaction ends. */
  hold: (tx: Tx) => Promise<unknown>;
  countExisting: () => Promise<number>;
};

const countRows = (table: string) => async () => {
  const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(table)}`.execute(harness.db);
  return rows[0]?.count ?? 0;
};

const KINDS: Kind[] = [
  {
    kind: 'projects',
    max: 5,
    add: name => post('projects', { id: name, name: 'x' }),
    hold: tx => sql`insert into projects (id, name) values ('held', 'x')`.execute(tx),
    countExisting: countRows('projects'),
  },
  {
    kind: 'environments',
    max: 5,
    add: name => post('environments', { name, type: 'test' }),
    hold: tx => sql`insert into environments (name, type, sort_order) values ('held', 'test', 1)`.execute(tx),
    countExisting: countRows('environments'),
  },
  {
    kind: 'segments',
    max: 3,
    add: name => post('segments', { name, constraints: [] }),
    hold: tx => sql`insert into segments (name, created_by) values ('held', 'x')`.execute(tx),
    countExisting: countRows('segments'),
  },
  {
    kind: 'API tokens',
    max: 4,
    add: name =>
      post('api-tokens', {
        tokenName: name,
        type: 'client',
        environment: name === 'held' ? 'production' : 'development',
      }),
    hold: tx => sql`select from environments where name = 'production' for update`.execute(tx),
    countExisting: countRows('api_tokens'),
  },
  {
    kind: 'features',
    max: 6,
    add: name => post(`projects/${name === 'held' ? 'other' : 'default'}/features`, { name }),
    hold: tx =>
      sql`insert into features (name, project, type) values ('held', 'default', 'release')`.execute(tx),
    countExisting: countRows('features'),
  },
];

beforeAll(async () => {
  await makeProject(harness.db, { id: 'other' });
});

test.each(KINDS)('concurrent requests that add $kind do not wait for each other', async ({ add, hold }) => {
  const blocker = await harness.db.startTransaction().execute();
  await hold(blocker);
  const waitingRequest = add('held');
  await waitForLockWaiters(harness.db);

  const other = await add(`unblocked-${++count}`);

  expect(await countLockWaiters(harness.db)).toBe(1);
  expect(other.status).toBe(201);
  await blocker.rollback().execute();
  expect((await waitingRequest).status).toBe(201);
});

test.each(KINDS)('allows at most $max $kind', async ({ add, countExisting, max }) => {
  while ((await countExisting()) < max) expect((await add(`more-${++count}`)).status).toBe(201);

  expect(await add(`more-${++count}`)).toMatchObject(TOO_MANY);
  expect(await countExisting()).toBe(max);
});

test('revoking a token or deleting a segment makes room for a new one', async () => {
  const { tokens } = (await call(harness.app, 'GET', '/api/admin/api-tokens')).body;
  const { segments } = (await call(harness.app, 'GET', '/api/admin/segments')).body;
  await call(harness.app, 'DELETE', `/api/admin/api-tokens/${tokens[1].id}`);
  await call(harness.app, 'DELETE', `/api/admin/segments/${segments[0].id}`);

  expect((await KINDS[3]?.add('again'))?.status).toBe(201);
  expect((await KINDS[2]?.add('again'))?.status).toBe(201);
});

describe('archived features do not count', () => {
  const postToDefault = (action: string, ...features: string[]) =>
    post(`projects/default/${action}`, { features });
  const readCounts = async () => {
    const { rows } = await sql<{ counted: number; there: number }>`
      select (select sum(features) from active_feature_counts) as counted,
        (select count(*) from features where archived_at is null) as there`.execute(harness.db);
    return rows[0];
  };
  let names: string[];
  beforeAll(async () => {
    const { features } = (await call(harness.app, 'GET', '/api/admin/projects/default/features')).body;
    names = features.map(({ name }: { name: string }) => name);
  });

  test('archiving a feature makes room, and the feature can be revived only if there is room', async () => {
    const [first = '', second = ''] = names;
    await postToDefault('archive', first, second);
    const creations = [
      await post('projects/default/features', { name: 'replacing-1' }),
      await post('projects/default/features', { name: 'replacing-2' }),
    ];

    const rejection = await postToDefault('revive', first);
    await postToDefault('archive', 'replacing-1');
    const tooMany = await postToDefault('revive', first, second);
    await postToDefault('archive', 'replacing-2');
    await post(`archive/revive/${second}`, {});
    const singleRevival = await postToDefault('revive', first);
    const repeatedRevival = await postToDefault('revive', first);
    const revivalByName = await post('archive/revive/replacing-1', {});

    expect(creations.map(({ status }) => status)).toEqual([201, 201]);
    expect(rejection).toMatchObject(TOO_MANY);
    expect(tooMany).toMatchObject(TOO_MANY);
    expect([singleRevival.status, repeatedRevival.status]).toEqual([200, 200]);
    expect(revivalByName).toMatchObject(TOO_MANY);
  });

  test('the count stays correct through every kind of change, even one that is rolled back', async () => {
    const [, , third = '', fourth = ''] = names;
    const other = await sql<{ id: string }>`select id from projects where id <> 'default' limit 1`.execute(
      harness.db,
    );
    await postToDefault('archive', third, fourth);
    await postToDefault('delete', third);
    await postToDefault('revive', fourth);
    await post('projects/default/features', { name: 'a/b' });
    await post('projects/default/features', { name: fourth });
    await sql`update features set stale = true`.execute(harness.db);
    await sql`update features set project = ${other.rows[0]?.id} where name = ${fourth}`.execute(harness.db);
    await sql`delete from features where name = ${fourth}`.execute(harness.db);

    const countsNow = await readCounts();

    expect(countsNow?.there).toBeGreaterThan(0);
    expect(countsNow?.counted).toBe(countsNow?.there);
  });

  test('many rows of counts are merged into a few, by transactions that do not wait for each other', async () => {
    await sql`insert into active_feature_counts select 1 - 2 * (n % 2) from generate_series(1, 200) as n`.execute(
      harness.db,
    );
    const countsBefore = await readCounts();
    const rows = async () =>
      (await sql<{ rows: number }>`select count(*) as rows from active_feature_counts`.execute(harness.db))
        .rows[0]?.rows;
    const active = await call(harness.app, 'GET', '/api/admin/projects/default/features');
    const name: string = active.body.features[0].name;
    const foldingTransaction = await harness.db.startTransaction().execute();
    await countActiveInInstance(foldingTransaction);

    const statuses = [await postToDefault('archive', name), await postToDefault('revive', name)].map(
      ({ status }) => status,
    );
    await foldingTransaction.commit().execute();

    expect(statuses).toEqual([202, 200]);
    expect(await rows()).toBeLessThan(10);
    expect(await readCounts()).toEqual(countsBefore);
  });

  test('no feature can be revived in a full project or in an archived one', async () => {
    await sql`update features set archived_at = now()`.execute(harness.db);
    await sql`delete from projects where id like 'p-%' and not exists (
      select from features where project = projects.id)`.execute(harness.db);
    const { id } = await makeProject(harness.db);
    const project = `projects/${id}`;
    for (const name of ['back-1', 'back-2']) {
      await post(`${project}/features`, { name });
      await post(`${project}/archive`, { features: [name] });
    }
    await call(harness.app, 'PUT', `/api/admin/${project}/settings`, { body: { featureLimit: 1 } });

    const bothRevivals = await post(`${project}/revive`, { features: ['back-1', 'back-2'] });
    await post(`projects/archive/${id}`, {});
    const archivedRevival = await post(`${project}/revive`, { features: ['back-1'] });
    await post(`projects/revive/${id}`, {});
    const singleRevival = await post(`${project}/revive`, { features: ['back-1'] });

    expect(bothRevivals).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
    expect(archivedRevival.status).toBe(404);
    expect(singleRevival.status).toBe(200);
  });
});
