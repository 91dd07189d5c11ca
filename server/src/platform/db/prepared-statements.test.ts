import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../app.ts';
import { setEnabled } from '../../flags/feature-environments/store.ts';
import { setArchived, setStale } from '../../flags/features/store.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { type Db, openDb, type Reader } from './database.ts';
import { asRefusal } from './failures.ts';
import { PREPARED } from './prepared-statements.ts';

const harness = useHarness();
/** One connection, so that what it keeps can be looked at. */
let db: Db;

beforeAll(async () => {
  db = openDb({ url: harness.databaseUrl, poolSize: 1, onError: () => {} });
  await sql`create table notes (id integer primary key, text text)`.execute(db);
});
afterAll(async () => await db.destroy());

let count = 0;
const kept = async (part: string, at: Reader = db): Promise<number> => {
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(at);
  return rows.filter(({ statement }) => statement.includes(part)).length;
};
const times = async (count: number, work: () => Promise<unknown>) => {
  for (let round = 0; round < count; round++) await work();
};

test('a statement of transactions is kept from the third time on; a read outside of them is not', async () => {
  const inTransaction = () =>
    db.transaction().execute(tx => sql`select 'inside' from notes where id = ${1}`.execute(tx));
  await times(2, inTransaction);
  expect(await kept("'inside'")).toBe(0);
  await times(2, inTransaction);
  expect(await kept("'inside'")).toBe(1);

  await times(4, () => sql`select 'outside' from notes where id = ${1}`.execute(db));
  expect(await kept("'outside'")).toBe(0);
});

test('a read that is asked often is kept wherever it is asked', async () => {
  await times(3, () => sql`select ${PREPARED} 'often' from notes where id = ${1}`.execute(db));

  expect(await kept("'often'")).toBe(1);
});

test('after a rollback statements are planned as before', async () => {
  const failing = () =>
    db.transaction().execute(async tx => {
      await sql`select 'rolled back' from notes where id = ${1}`.execute(tx);
      throw new Error('on purpose');
    });
  await times(3, () => failing().catch(() => {}));
  expect(await kept("'rolled back'")).toBe(1);

  await times(4, () => sql`select 'afterwards' from notes where id = ${1}`.execute(db));
  expect(await kept("'afterwards'")).toBe(0);
});

test('when a migration changes what a statement returns, one caller is asked to try again, and then it works', async () => {
  const insert = (id: number) =>
    db.transaction().execute(async tx => {
      const { rows } = await sql`insert into notes (id) values (${id}) returning *`.execute(tx);
      return rows[0];
    });
  for (let id = 10; id < 14; id++) await insert(id);
  await sql`alter table notes add column later text`.execute(harness.db);

  const refused = await insert(14).catch(error => asRefusal(error));

  expect(refused).toMatchObject({ name: 'ServiceUnavailableError' });
  expect(await insert(14)).toEqual({ id: 14, text: null, later: null });
});

test('there is an end to what is kept: the statement that was used longest ago makes place', async () => {
  const numbered = (n: number) =>
    db.transaction().execute(async tx => {
      const { rows } = await sql<{ many: number }>`
        select ${sql.lit(n)}::integer as many from (select ${1}::integer) as one`.execute(tx);
      return rows[0]?.many;
    });
  for (let n = 0; n < 320; n++) await times(3, () => numbered(n));

  expect(await kept('as many')).toBe(300);
  expect(await kept('select 0::integer')).toBe(0);
  // Evicted or kept, each text gets its own rows.
  for (const n of [319, 0, 20, 1, 319]) expect(await numbered(n)).toBe(n);
  expect(await kept('select 0::integer')).toBe(1);
  expect(await kept('as many')).toBe(300);

  const failing = db.transaction().execute(async tx => {
    await sql`select 1 / 0`.execute(tx).catch(() => {});
    await sql`select ${sql.lit(2)}::integer as many from (select ${1}::integer) as one`.execute(tx);
  });
  await expect(failing).rejects.toThrow('transaction is aborted');
  expect(await numbered(2)).toBe(2);
});

test('bulk changes of every size leave place for the statements of other changes', async () => {
  const names = Array.from({ length: 100 }, (_, n) => `bulk-${n}`);
  const one = openDb({ url: harness.databaseUrl, poolSize: 1, onError: () => {} });
  const app = await buildApp(one, APP_SETTINGS);
  for (let size = 1; size <= 100; size++) {
    const some = names.slice(0, size);
    await times(3, () =>
      one.transaction().execute(async tx => {
        await setStale(tx, some, true);
        await setArchived(tx, some, true);
        await setEnabled(tx, some, 'development', true);
      }),
    );
  }
  expect(await kept('', one)).toBeLessThan(10);

  await times(4, () => call(app, 'POST', '/api/admin/tag-types', { body: { name: `type-${++count}` } }));

  expect(await kept('insert into events', one)).toBe(1);
  await app.close();
  await one.destroy();
});

test('a pool can be told to keep none', async () => {
  const plain = openDb({
    url: harness.databaseUrl,
    poolSize: 1,
    onError: () => {},
    preparedStatements: false,
  });

  await times(4, () =>
    plain.transaction().execute(tx => sql`select 'plain' from notes where id = ${1}`.execute(tx)),
  );

  expect(await kept("'plain'", plain)).toBe(0);
  await plain.destroy();
});
