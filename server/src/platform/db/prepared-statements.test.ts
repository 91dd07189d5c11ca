import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../app.ts';
import { setEnabled } from '../../flags/feature-environments/store.ts';
import { setArchived, setStale } from '../../flags/features/store.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { type Db, openDb, type Reader } from './database.ts';
import { translateDbError } from './failures.ts';
import { PREPARED } from './prepared-statements.ts';

const harness = useHarness();
/** The pool has one connection, whose prepared statements the tests read. */
let db: Db;

beforeAll(async () => {
  db = openDb({ url: harness.databaseUrl, poolSize: 1, onError: () => {} });
  await sql`create table notes (id integer primary key, text text)`.execute(db);
});
afterAll(async () => await db.destroy());

let count = 0;
const countPrepared = async (part: string, at: Reader = db): Promise<number> => {
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(at);
  return rows.filter(({ statement }) => statement.includes(part)).length;
};
const repeat = async (count: number, work: () => Promise<unknown>) => {
  for (let round = 0; round < count; round++) await work();
};

test('prepares a statement in transactions from its third execution, but no reads outside transactions', async () => {
  const inTransaction = () =>
    db.transaction().execute(tx => sql`select 'inside' from notes where id = ${1}`.execute(tx));
  await repeat(2, inTransaction);
  expect(await countPrepared("'inside'")).toBe(0);
  await repeat(2, inTransaction);
  expect(await countPrepared("'inside'")).toBe(1);

  await repeat(4, () => sql`select 'outside' from notes where id = ${1}`.execute(db));
  expect(await countPrepared("'outside'")).toBe(0);
});

test('prepares a read marked PREPARED outside a transaction', async () => {
  await repeat(3, () => sql`select ${PREPARED} 'often' from notes where id = ${1}`.execute(db));

  expect(await countPrepared("'often'")).toBe(1);
});

test('does not prepare reads that run after a rollback', async () => {
  const failingQuery = () =>
    db.transaction().execute(async tx => {
      await sql`select 'rolled back' from notes where id = ${1}`.execute(tx);
      throw new Error('on purpose');
    });
  await repeat(3, () => failingQuery().catch(() => {}));
  expect(await countPrepared("'rolled back'")).toBe(1);

  await repeat(4, () => sql`select 'afterwards' from notes where id = ${1}`.execute(db));
  expect(await countPrepared("'afterwards'")).toBe(0);
});

test('fails with 503 once after a migration changes the columns of a prepared statement', async () => {
  const insert = (id: number) =>
    db.transaction().execute(async tx => {
      const { rows } = await sql`insert into notes (id) values (${id}) returning *`.execute(tx);
      return rows[0];
    });
  for (let id = 10; id < 14; id++) await insert(id);
  await sql`alter table notes add column later text`.execute(harness.db);

  const rejection = await insert(14).catch(error => translateDbError(error));

  expect(rejection).toMatchObject({ name: 'ServiceUnavailableError' });
  expect(await insert(14)).toEqual({ id: 14, text: null, later: null });
});

test('evicts the least recently used prepared statement at the limit', async () => {
  const selectNumber = (n: number) =>
    db.transaction().execute(async tx => {
      const { rows } = await sql<{ many: number }>`
        select ${sql.lit(n)}::integer as many from (select ${1}::integer) as one`.execute(tx);
      return rows[0]?.many;
    });
  for (let n = 0; n < 320; n++) await repeat(3, () => selectNumber(n));

  expect(await countPrepared('as many')).toBe(300);
  expect(await countPrepared('select 0::integer')).toBe(0);
  // Whether evicted or prepared, each statement returns its own rows.
  for (const n of [319, 0, 20, 1, 319]) expect(await selectNumber(n)).toBe(n);
  expect(await countPrepared('select 0::integer')).toBe(1);
  expect(await countPrepared('as many')).toBe(300);

  const failingQuery = db.transaction().execute(async tx => {
    await sql`select 1 / 0`.execute(tx).catch(() => {});
    await sql`select ${sql.lit(2)}::integer as many from (select ${1}::integer) as one`.execute(tx);
  });
  await expect(failingQuery).rejects.toThrow('transaction is aborted');
  expect(await selectNumber(2)).toBe(2);
});

test('bulk changes of every size share their prepared statements', async () => {
  const names = Array.from({ length: 100 }, (_, n) => `bulk-${n}`);
  const singleConnection = openDb({ url: harness.databaseUrl, poolSize: 1, onError: () => {} });
  const app = await buildApp(singleConnection, APP_SETTINGS);
  for (let size = 1; size <= 100; size++) {
    const someNames = names.slice(0, size);
    await repeat(3, () =>
      singleConnection.transaction().execute(async tx => {
        await setStale(tx, someNames, true);
        await setArchived(tx, someNames, true);
        await setEnabled(tx, someNames, 'development', true);
      }),
    );
  }
  expect(await countPrepared('', singleConnection)).toBeLessThan(10);

  await repeat(4, () => call(app, 'POST', '/api/admin/tag-types', { body: { name: `type-${++count}` } }));

  expect(await countPrepared('insert into events', singleConnection)).toBe(1);
  await app.close();
  await singleConnection.destroy();
});

test('prepares nothing when prepared statements are disabled', async () => {
  const unpreparedDb = openDb({
    url: harness.databaseUrl,
    poolSize: 1,
    onError: () => {},
    preparedStatements: false,
  });

  await repeat(4, () =>
    unpreparedDb.transaction().execute(tx => sql`select 'plain' from notes where id = ${1}`.execute(tx)),
  );

  expect(await countPrepared("'plain'", unpreparedDb)).toBe(0);
  await unpreparedDb.destroy();
});
