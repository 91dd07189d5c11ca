import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeApiToken } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { MAX_EDGES_PER_TOKEN } from './store.ts';

const harness = useHarness();
let token: { id: number; secret: string };

beforeAll(async () => {
  const fields = { tokenName: 'edge', type: 'edge' as const, environment: 'development', projects: ['*'] };
  token = await makeApiToken(harness.db, fields);
  await harness.app.serving.refresh();
});

const makeSighting = (id: string, fields: object = {}) => ({
  token: token.id,
  id,
  application: 'shop',
  instance: 'pod',
  epoch: '',
  revision: 1,
  isExact: true,
  isStreaming: false,
  interval: 15,
  age: 0,
  ...fields,
});

const report = async (fields: object = {}) =>
  await harness.app.sdk.inject({
    method: 'POST',
    url: '/api/edge/v1/report',
    headers: { authorization: token.secret },
    payload: {
      edge: randomUUID(),
      version: '0.1.0',
      epoch: '',
      revision: 1,
      age: 0,
      clients: 1,
      isIgnoring: false,
      isStopping: false,
      heard: [],
      requests: [],
      uses: [],
      ...fields,
    },
  });

test('returns 400 for a report whose content PostgreSQL rejects, so that an edge does not retry it forever', async () => {
  await sql`alter table reach_instances add constraint odd check (application <> 'odd')`.execute(harness.db);
  const response = await report({ heard: [makeSighting('a', { application: 'odd' })] });

  expect(response.statusCode).toBe(400);
  expect(response.json()).toMatchObject({ name: 'BadDataError' });
});

test('accepts a report with a repeated instance, with strings that PostgreSQL cannot store, and with any number of requests', async () => {
  const requests = [{ environment: 'development', revision: 1, requests: Number.MAX_SAFE_INTEGER }];
  const repeated = [
    makeSighting('b', { revision: 1 }),
    makeSighting('b', { revision: 2, application: 'a\0\ud800' }),
  ];

  for (let times = 0; times < 3; times++)
    expect((await report({ heard: repeated, requests })).statusCode).toBe(200);

  const { rows } = await sql`
    select application from reach_instances where connection_id = 'b'`.execute(harness.db);
  expect(rows).toEqual([{ application: 'a\ufffd\ufffd' }]);
});

test('a token has a limited number of edges, even if many report simultaneously', async () => {
  const countEdges = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*) from edges where token_id = ${token.id}`.execute(harness.db);
    return Number(rows[0]?.count);
  };
  const knownEdge = randomUUID();
  expect((await report({ edge: knownEdge })).statusCode).toBe(200);
  await sql`
    insert into edges (id, token_id, version, epoch, revision, age_seconds, clients)
    select 'made-' || number, ${token.id}, '', '', 1, 0, 0
    from generate_series(1, ${MAX_EDGES_PER_TOKEN - 2 - (await countEdges())}) as number`.execute(harness.db);

  const isWaiting = sql<{ count: number }>`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const reports = await harness.db.transaction().execute(async tx => {
    await sql`select from api_tokens where id = ${token.id} for update`.execute(tx);
    const reports = Array.from({ length: 4 }, () => report());
    await expect
      .poll(async () => Number((await isWaiting.execute(harness.db)).rows[0]?.count), { timeout: 60_000 })
      .toBeGreaterThanOrEqual(3);
    return reports;
  });

  const statuses = (await Promise.all(reports)).map(({ statusCode }) => statusCode);
  expect(statuses.toSorted()).toEqual([200, 200, 429, 429]);
  expect(await countEdges()).toBe(MAX_EDGES_PER_TOKEN);
  expect((await report({ edge: knownEdge })).statusCode).toBe(200);
});

test('the total number of keys in a batch is limited, no matter how they are distributed', async () => {
  const bucket = (application: string, features: number) => ({
    token: token.id,
    application,
    hour: Math.floor(Date.now() / 3_600_000),
    features: Array.from({ length: features }, (_, index) => ({
      name: `flag-${index}`,
      yes: 1,
      no: 0,
      seenAt: 1,
      variants: { a: 1 },
    })),
  });
  const batch = { sequence: 1, buckets: [bucket('a', 2_500), bucket('b', 2_500)], instances: [] };

  const response = await report({ batch });

  expect(response.statusCode).toBe(400);
  expect(response.json().details[0].message).toBe(
    'batch must have at most 10000 buckets, features and variants, not 10002',
  );
});
