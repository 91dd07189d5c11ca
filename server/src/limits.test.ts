import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { lockAdding } from './db/adding.ts';
import type { Tx } from './db/database.ts';
import { during } from './test/during.ts';
import { makeProject } from './test/factories.ts';
import { useHarness } from './test/harness.ts';
import { type Answer, call } from './test/request.ts';

const harness = useHarness({
  limits: { projects: 5, environments: 5, segments: 3, apiTokens: 4, features: 6 },
});

let count = 0;
const post = (path: string, body: object): Promise<Answer> =>
  call(harness.app, 'POST', `/api/admin/${path}`, { body });
const TOO_MANY = { status: 400, body: { name: 'ExceedsLimitError' } };

type Kind = {
  kind: string;
  most: number;
  lock: Parameters<typeof lockAdding>[1];
  add: () => Promise<Answer>;
  /** Adds one in a transaction of the test's own. */
  fill: (tx: Tx) => Promise<unknown>;
  have: () => Promise<number>;
};

const have = (table: string) => async () => {
  const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(table)}`.execute(harness.db);
  return rows[0]?.count ?? 0;
};

const KINDS: Kind[] = [
  {
    kind: 'projects',
    most: 5,
    add: () => post('projects', { id: `p-${++count}`, name: 'x' }),
    lock: 'projects',
    fill: tx => sql`insert into projects (id, name) values ('filler', 'x')`.execute(tx),
    have: have('projects'),
  },
  {
    kind: 'environments',
    most: 5,
    add: () => post('environments', { name: `e-${++count}`, type: 'test' }),
    lock: 'environments',
    fill: tx =>
      sql`insert into environments (name, type, sort_order) values ('filler', 'test', 1)`.execute(tx),
    have: have('environments'),
  },
  {
    kind: 'segments',
    most: 3,
    add: () => post('segments', { name: `s-${++count}`, constraints: [] }),
    lock: 'segments',
    fill: tx => sql`insert into segments (name, created_by) values ('filler', 'x')`.execute(tx),
    have: have('segments'),
  },
  {
    kind: 'API tokens',
    most: 4,
    add: () => post('api-tokens', { tokenName: `t-${++count}`, type: 'client', environment: 'production' }),
    lock: 'api tokens',
    fill: tx =>
      sql`insert into api_tokens (hash, type, name, hint, all_projects) values ('x', 'client', 'filler', '', true)`.execute(
        tx,
      ),
    have: have('api_tokens'),
  },
  {
    kind: 'features',
    most: 6,
    add: () => post('projects/default/features', { name: `f-${++count}` }),
    lock: 'features',
    fill: tx =>
      sql`with added as (insert into features (name, project, type) values ('filler', 'default', 'release') returning name) insert into feature_lifecycles (feature_name, stage) select name, 'initial' from added`.execute(
        tx,
      ),
    have: have('features'),
  },
];

test.each(KINDS)('of $kind there are at most $most, also if two add the last at once', async kind => {
  while ((await kind.have()) < kind.most - 1) expect((await kind.add()).status).toBe(201);

  const late = await during(
    harness.db,
    async tx => {
      await lockAdding(tx, kind.lock);
      await kind.fill(tx);
    },
    kind.add,
  );

  expect(late).toMatchObject(TOO_MANY);
  expect(await kind.have()).toBe(kind.most);
});

test('a revoked token and a deleted segment leave their place to others', async () => {
  const { tokens } = (await call(harness.app, 'GET', '/api/admin/api-tokens')).body;
  const { segments } = (await call(harness.app, 'GET', '/api/admin/segments')).body;
  await call(harness.app, 'DELETE', `/api/admin/api-tokens/${tokens[1].id}`);
  await call(harness.app, 'DELETE', `/api/admin/segments/${segments[0].id}`);

  expect((await KINDS[3]?.add())?.status).toBe(201);
  expect((await KINDS[2]?.add())?.status).toBe(201);
});

describe('archived features do not count', () => {
  const inDefault = (act: string, ...features: string[]) => post(`projects/default/${act}`, { features });
  const counted = async () => {
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

  test('so an archived one makes place, and comes back only if there is one', async () => {
    const [first = '', second = ''] = names;
    await inDefault('archive', first, second);
    const created = [
      await post('projects/default/features', { name: 'replacing-1' }),
      await post('projects/default/features', { name: 'replacing-2' }),
    ];

    const refused = await inDefault('revive', first);
    await inDefault('archive', 'replacing-1');
    const tooMany = await inDefault('revive', first, second);
    await inDefault('archive', 'replacing-2');
    await post(`archive/revive/${second}`, {});
    const one = await inDefault('revive', first);
    const already = await inDefault('revive', first);
    const byName = await post('archive/revive/replacing-1', {});

    expect(created.map(({ status }) => status)).toEqual([201, 201]);
    expect(refused).toMatchObject(TOO_MANY);
    expect(tooMany).toMatchObject(TOO_MANY);
    expect([one.status, already.status]).toEqual([200, 200]);
    expect(byName).toMatchObject(TOO_MANY);
  });

  test('the count stays true through every kind of change, also one that is undone', async () => {
    const [, , third = '', fourth = ''] = names;
    const other = await sql<{ id: string }>`select id from projects where id <> 'default' limit 1`.execute(
      harness.db,
    );
    await inDefault('archive', third, fourth);
    await inDefault('delete', third);
    await inDefault('revive', fourth);
    await post('projects/default/features', { name: 'a/b' });
    await post('projects/default/features', { name: fourth });
    await sql`update features set stale = true`.execute(harness.db);
    await sql`update features set project = ${other.rows[0]?.id} where name = ${fourth}`.execute(harness.db);
    await sql`delete from features where name = ${fourth}`.execute(harness.db);

    const now = await counted();

    expect(now?.there).toBeGreaterThan(0);
    expect(now?.counted).toBe(now?.there);
  });

  test('a project that is full takes no archived feature back, and an archived one neither', async () => {
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

    const both = await post(`${project}/revive`, { features: ['back-1', 'back-2'] });
    await post(`projects/archive/${id}`, {});
    const archived = await post(`${project}/revive`, { features: ['back-1'] });
    await post(`projects/revive/${id}`, {});
    const one = await post(`${project}/revive`, { features: ['back-1'] });

    expect(both).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
    expect(archived.status).toBe(404);
    expect(one.status).toBe(200);
  });
});
