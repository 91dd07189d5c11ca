import type pg from 'pg';
import { type Caller, conditionOf, type Result, readPlain, type Search } from './plain.ts';

/**
 * The result of plain SQL. Without an index, a scan for text takes seconds per million events, so its result among the loaded events
 * is kept in the database. Events that were added later are searched each time.
 */
export async function readExpected(
  client: pg.Client,
  search: Search,
  caller: Caller,
  loaded: number,
): Promise<Result> {
  const condition = conditionOf(search, caller.visibility);
  if (!search.query) return await readPlain(client, search, condition);
  const { offset = 0, limit = 50 } = search;
  const page = { limit: offset + limit };
  const kept = await readKept(client, page, `id <= ${loaded} and ${condition}`);
  const later = await readPlain(client, page, `id > ${loaded} and ${condition}`);
  return {
    total: later.total + kept.total,
    ids: [...later.ids, ...kept.ids].slice(offset, offset + limit),
  };
}

async function readKept(client: pg.Client, page: { limit: number }, condition: string): Promise<Result> {
  const key = `${page.limit} ${condition}`;
  await client.query(`
    create schema if not exists bench;
    create table if not exists bench.results (key text primary key, total bigint not null, ids bigint[] not null)`);
  const { rows } = await client.query<{ total: string; ids: string[] }>(
    'select total, ids from bench.results where key = $1',
    [key],
  );
  const [row] = rows;
  if (row) return { total: Number(row.total), ids: row.ids.map(Number) };
  const result = await readPlain(client, page, condition);
  await client.query('insert into bench.results values ($1, $2, $3)', [key, result.total, result.ids]);
  return result;
}
