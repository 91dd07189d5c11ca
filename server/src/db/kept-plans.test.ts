import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useHarness } from '../test/harness.ts';
import { type Db, openDb, type Reader } from './database.ts';
import { asRefusal } from './failures.ts';
import { ASKED_OFTEN } from './kept-plans.ts';

const harness = useHarness();
/** One connection, so that what it keeps can be looked at. */
let db: Db;

beforeAll(async () => {
  db = openDb({ url: harness.databaseUrl, poolSize: 1, onError: () => {} });
  await sql`create table notes (id integer primary key, text text)`.execute(db);
});
afterAll(async () => await db.destroy());

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
  await times(3, () => sql`select ${ASKED_OFTEN} 'often' from notes where id = ${1}`.execute(db));

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

test('there is an end to what is kept', async () => {
  for (let n = 0; n < 320; n++) {
    await times(3, () =>
      db
        .transaction()
        .execute(tx => sql`select ${sql.lit(n)} as many from notes where id = ${1}`.execute(tx)),
    );
  }

  expect(await kept('as many')).toBeLessThanOrEqual(300);
  expect(await kept('as many')).toBeGreaterThan(250);
});

test('a pool can be told to keep none', async () => {
  const plain = openDb({ url: harness.databaseUrl, poolSize: 1, onError: () => {}, keepPlans: false });

  await times(4, () =>
    plain.transaction().execute(tx => sql`select 'plain' from notes where id = ${1}`.execute(tx)),
  );

  expect(await kept("'plain'", plain)).toBe(0);
  await plain.destroy();
});
