import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFeature } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { findDifferences } from './verify.ts';

const harness = useHarness();
const clients: pg.Client[] = [];
let flags = 0;
let [one, other] = ['', ''];
let segment = 0;

beforeEach(async () => {
  [one, other] = [`flag-${++flags}`, `flag-${++flags}`];
  for (const name of [one, other]) await makeFeature(harness.db, 'default', { name });
  const { rows } = await sql<{ id: number }>`
    insert into segments (name, constraints, created_by) values (${one}, '[]', 'test') returning id`.execute(
    harness.db,
  );
  segment = rows[0]?.id ?? 0;
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
});

/** A transaction of an application other than our server. */
async function begin(isolation = 'read committed') {
  const client = new pg.Client({ connectionString: harness.databaseUrl });
  await client.connect();
  clients.push(client);
  await client.query(`begin isolation level ${isolation}`);
  return {
    run: async (text: string) => void (await client.query(text)),
    publish: async () => (await client.query('select * from publish_sdk_documents()')).rows,
    commit: async () => void (await client.query('commit')),
  };
}

/** Resolves when the work has ended or is waiting for a lock. */
async function endOrWait(work: Promise<unknown>): Promise<void> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  await expect
    .poll(async () => {
      const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        harness.db,
      );
      return ended || rows.length > 0;
    })
    .toBe(true);
}

const enable = (name: string) =>
  `update feature_environments set enabled = true where feature_name = '${name}' and environment = 'production'`;
const addStrategy = (name: string, disabled = false) => `
  insert into feature_strategies (feature_name, environment, strategy_name, sort_order, disabled)
  values ('${name}', 'production', 'default', 0, ${disabled})`;
const useSegment = (name: string) => `
  insert into feature_strategy_segments (strategy_id, segment_id)
  select id, ${segment} from feature_strategies where feature_name = '${name}'`;
const changeSegment = () =>
  `update segments set constraints = '[{"contextName": "userId", "operator": "IN", "values": ["7"]}]' where id = ${segment}`;

async function documentOf(name: string) {
  const { rows } = await sql<{ document: string | null; revision: number }>`
    select document, revision from sdk_features where name = ${name} and environment = 'production'`.execute(
    harness.db,
  );
  return rows[0]?.document ? JSON.parse(rows[0].document) : null;
}

test('two transactions that change one flag both have an effect, though neither sees the other', async () => {
  const first = await begin();
  const second = await begin();
  await first.run(enable(one));
  expect(await first.publish()).toEqual([]);
  await second.run(addStrategy(one));

  const published = second.publish();
  await endOrWait(published);
  await first.commit();
  await published;
  await second.commit();

  expect(await documentOf(one)).toMatchObject({ enabled: true, strategies: [{ name: 'default' }] });
  expect(await findDifferences(harness.db)).toEqual([]);
});

test.each([
  ['attaches it', () => [addStrategy(one)], () => useSegment(one)],
  [
    'enables the strategy that uses it',
    () => [addStrategy(one, true), useSegment(one)],
    () => `update feature_strategies set disabled = false where feature_name = '${one}'`,
  ],
  [
    'revives the flag that uses it',
    () => [
      addStrategy(one),
      useSegment(one),
      `update features set archived_at = now() where name = '${one}'`,
    ],
    () => `update features set archived_at = null where name = '${one}'`,
  ],
])(
  'a segment that changes while another transaction %s is published as changed',
  async (_, given, begins) => {
    for (const statement of given()) await sql.raw(statement).execute(harness.db);
    const changing = await begin();
    const using = await begin();
    await changing.run(changeSegment());
    await changing.publish();

    const used = (async () => {
      await using.run(begins());
      await using.publish();
      await using.commit();
    })();
    await endOrWait(used);
    await changing.commit();
    await used;

    expect(await findDifferences(harness.db)).toEqual([]);
  },
);

test('a segment stays in use when one flag stops using it while another starts', async () => {
  for (const statement of [addStrategy(one), useSegment(one), addStrategy(other)])
    await sql.raw(statement).execute(harness.db);
  const ceasing = await begin();
  const beginning = await begin();
  await ceasing.run(`delete from feature_strategy_segments where segment_id = ${segment}`);
  await ceasing.publish();

  const used = (async () => {
    await beginning.run(useSegment(other));
    await beginning.publish();
    await beginning.commit();
  })();
  await endOrWait(used);
  await ceasing.commit();
  await used;

  expect(await findDifferences(harness.db)).toEqual([]);
});

test('rejects a transaction with one snapshot, whose documents could be wrong', async () => {
  const old = await begin('repeatable read');
  await old.run('select 1 from features');
  await sql.raw(enable(one)).execute(harness.db);

  await old.run(addStrategy(one));

  await expect(old.commit()).rejects.toMatchObject({ code: '0A000' });
  expect(await documentOf(one)).toMatchObject({ enabled: false, strategies: [] });
  expect(await findDifferences(harness.db)).toEqual([]);
});

test('a change of one environment does not wait for an open change of another', async () => {
  const open = await begin();
  await open.run(addStrategy(one));
  expect(await open.publish()).toMatchObject([{ environment: 'production' }]);
  const elsewhere = await begin();

  await elsewhere.run(addStrategy(other).replace('production', 'development'));
  await elsewhere.publish();
  await elsewhere.commit();
  await open.commit();

  expect(await findDifferences(harness.db)).toEqual([]);
});

test('a change that is rolled back to a savepoint publishes nothing', async () => {
  const open = await begin();
  await open.run('savepoint before');
  await open.run(addStrategy(one));
  await open.run('rollback to before');

  expect(await open.publish()).toEqual([]);
  await open.commit();
  expect(await findDifferences(harness.db)).toEqual([]);
});

test.each([
  ['attached to', () => [], () => useSegment(one)],
  [
    'detached from',
    () => [useSegment(one)],
    () => `delete from feature_strategy_segments where segment_id = ${segment}`,
  ],
])('a segment %s a strategy that another transaction enables is published', async (_, given, changes) => {
  for (const statement of [addStrategy(one, true), ...given()]) await sql.raw(statement).execute(harness.db);
  const enabling = await begin();
  const using = await begin();
  await enabling.run(`update feature_strategies set disabled = false where feature_name = '${one}'`);
  await enabling.publish();

  const used = (async () => {
    await using.run(changes());
    await using.commit();
  })();
  await endOrWait(used);
  await enabling.commit();
  await used;

  expect(await findDifferences(harness.db)).toEqual([]);
});

test('a segment attached to a flag that another transaction renames is published', async () => {
  await sql.raw(addStrategy(one)).execute(harness.db);
  const renaming = await begin();
  const using = await begin();
  await renaming.run(`update features set name = '${one}-renamed' where name = '${one}'`);
  await renaming.publish();

  const used = (async () => {
    await using.run(useSegment(one));
    await using.commit();
  })();
  await endOrWait(used);
  await renaming.commit();
  await used;

  expect(await findDifferences(harness.db)).toEqual([]);
});
