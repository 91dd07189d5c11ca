import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFeature } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { findDifferences } from './verify.ts';

const harness = useHarness();
const clients: pg.Client[] = [];
let flagCount = 0;
let [flag, otherFlag] = ['', ''];
let segment = 0;

beforeEach(async () => {
  [flag, otherFlag] = [`flag-${++flagCount}`, `flag-${++flagCount}`];
  for (const name of [flag, otherFlag]) await makeFeature(harness.db, 'default', { name });
  const { rows } = await sql<{ id: number }>`
    insert into segments (name, constraints, created_by) values (${flag}, '[]', 'test') returning id`.execute(
    harness.db,
  );
  segment = rows[0]?.id ?? 0;
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
});

/** Opens a transaction the way an application other than the server would. */
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
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  work.then(end, end);
  await expect
    .poll(async () => {
      const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        harness.db,
      );
      return hasEnded || rows.length > 0;
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

async function readDocument(name: string) {
  const { rows } = await sql<{ document: string | null; revision: number }>`
    select document, revision from sdk_features where name = ${name} and environment = 'production'`.execute(
    harness.db,
  );
  return rows[0]?.document ? JSON.parse(rows[0].document) : null;
}

test("two transactions that change the same flag are both published, even though neither sees the other's change", async () => {
  const first = await begin();
  const second = await begin();
  await first.run(enable(flag));
  expect(await first.publish()).toEqual([]);
  await second.run(addStrategy(flag));

  const publication = second.publish();
  await endOrWait(publication);
  await first.commit();
  await publication;
  await second.commit();

  expect(await readDocument(flag)).toMatchObject({ enabled: true, strategies: [{ name: 'default' }] });
  expect(await findDifferences(harness.db)).toEqual([]);
});

test.each([
  ['attaches it', () => [addStrategy(flag)], () => useSegment(flag)],
  [
    'enables the strategy that uses it',
    () => [addStrategy(flag, true), useSegment(flag)],
    () => `update feature_strategies set disabled = false where feature_name = '${flag}'`,
  ],
  [
    'revives the flag that uses it',
    () => [
      addStrategy(flag),
      useSegment(flag),
      `update features set archived_at = now() where name = '${flag}'`,
    ],
    () => `update features set archived_at = null where name = '${flag}'`,
  ],
])(
  'publishes the new version of a segment that changes while another transaction %s',
  async (_, statements, startUse) => {
    for (const statement of statements()) await sql.raw(statement).execute(harness.db);
    const changingTx = await begin();
    const usingTx = await begin();
    await changingTx.run(changeSegment());
    await changingTx.publish();

    const use = (async () => {
      await usingTx.run(startUse());
      await usingTx.publish();
      await usingTx.commit();
    })();
    await endOrWait(use);
    await changingTx.commit();
    await use;

    expect(await findDifferences(harness.db)).toEqual([]);
  },
);

test('a segment stays in use when one flag stops using it while another starts', async () => {
  for (const statement of [addStrategy(flag), useSegment(flag), addStrategy(otherFlag)])
    await sql.raw(statement).execute(harness.db);
  const detachingTx = await begin();
  const attachingTx = await begin();
  await detachingTx.run(`delete from feature_strategy_segments where segment_id = ${segment}`);
  await detachingTx.publish();

  const use = (async () => {
    await attachingTx.run(useSegment(otherFlag));
    await attachingTx.publish();
    await attachingTx.commit();
  })();
  await endOrWait(use);
  await detachingTx.commit();
  await use;

  expect(await findDifferences(harness.db)).toEqual([]);
});

test('rejects a repeatable read transaction, because its documents could be wrong', async () => {
  const oldTx = await begin('repeatable read');
  await oldTx.run('select 1 from features');
  await sql.raw(enable(flag)).execute(harness.db);

  await oldTx.run(addStrategy(flag));

  await expect(oldTx.commit()).rejects.toMatchObject({ code: '0A000' });
  expect(await readDocument(flag)).toMatchObject({ enabled: false, strategies: [] });
  expect(await findDifferences(harness.db)).toEqual([]);
});

test('a change in one environment does not wait for an open change in another', async () => {
  const openTx = await begin();
  await openTx.run(addStrategy(flag));
  expect(await openTx.publish()).toMatchObject([{ environment: 'production' }]);
  const otherTx = await begin();

  await otherTx.run(addStrategy(otherFlag).replace('production', 'development'));
  await otherTx.publish();
  await otherTx.commit();
  await openTx.commit();

  expect(await findDifferences(harness.db)).toEqual([]);
});

test('a change that is rolled back to a savepoint publishes nothing', async () => {
  const openTx = await begin();
  await openTx.run('savepoint before');
  await openTx.run(addStrategy(flag));
  await openTx.run('rollback to before');

  expect(await openTx.publish()).toEqual([]);
  await openTx.commit();
  expect(await findDifferences(harness.db)).toEqual([]);
});

test.each([
  ['attached to', () => [], () => useSegment(flag)],
  [
    'detached from',
    () => [useSegment(flag)],
    () => `delete from feature_strategy_segments where segment_id = ${segment}`,
  ],
])(
  'a segment %s a strategy that another transaction enables leaves no wrong document',
  async (_, statements, changes) => {
    for (const statement of [addStrategy(flag, true), ...statements()])
      await sql.raw(statement).execute(harness.db);
    const enablingTx = await begin();
    const usingTx = await begin();
    await enablingTx.run(`update feature_strategies set disabled = false where feature_name = '${flag}'`);
    await enablingTx.publish();

    const use = (async () => {
      await usingTx.run(changes());
      await usingTx.commit();
    })();
    await endOrWait(use);
    await enablingTx.commit();
    await use;

    expect(await findDifferences(harness.db)).toEqual([]);
  },
);

test('publishes a segment attached to a flag that another transaction renames', async () => {
  await sql.raw(addStrategy(flag)).execute(harness.db);
  const renamingTx = await begin();
  const usingTx = await begin();
  await renamingTx.run(`update features set name = '${flag}-renamed' where name = '${flag}'`);
  await renamingTx.publish();

  const use = (async () => {
    await usingTx.run(useSegment(flag));
    await usingTx.commit();
  })();
  await endOrWait(use);
  await renamingTx.commit();
  await use;

  expect(await findDifferences(harness.db)).toEqual([]);
});
