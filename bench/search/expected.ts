import type pg from 'pg';
import { withClient } from '../database.ts';
import { type Caller, conditionOf, keyOf, literal, type Result, readPlain, type Search } from './plain.ts';

const BATCH = 100_000;

export type Asked = { search: Search; caller: Caller };

/**
 * Results of plain SQL. A scan for text takes minutes at 10 million events, so the results for texts among the loaded events are kept
 * in the database; events that were added later are searched each time.
 */
export async function readExpected(
  client: pg.Client,
  { search, caller }: Asked,
  loaded: number,
): Promise<Result> {
  const condition = conditionOf(search, caller.sight);
  if (!search.query) return await readPlain(client, search, condition);
  const kept = await readKept(client, condition);
  const end = endOf(search);
  const later = await readPlain(client, { limit: end }, `id > ${loaded} and ${condition}`);
  return {
    total: later.total + kept.total,
    ids: [...later.ids, ...kept.ids].slice(search.offset ?? 0, end),
  };
}

const endOf = (search: Search) => (search.offset ?? 0) + (search.limit ?? 50);

async function readKept(client: pg.Client, condition: string): Promise<Result> {
  const { rows } = await client.query<{ total: string; ids: string[] }>(
    'select total, ids from bench.expected where key = $1',
    [keyOf(condition)],
  );
  const [row] = rows;
  if (!row) throw new Error(`No result is kept for ${condition}`);
  return { total: Number(row.total), ids: row.ids.map(Number) };
}

type Missing = { key: string; end: number; condition: string; total: number; ids: number[] };

/** Computes the results for all texts in one pass over the log, because reading and lower-casing the text is most of the cost. */
export async function computeTexts(url: URL, asked: Asked[], loaded: number): Promise<void> {
  await withClient(url, async client => {
    await client.query(`
      create schema if not exists bench;
      create table if not exists bench.expected (key text primary key, total bigint not null, ids bigint[] not null)`);
    const forms: string[] = [];
    const missing = await listMissing(client, asked, forms);
    if (missing.length === 0) return;
    const start = performance.now();
    for (let last = loaded; last > 0; last -= BATCH) {
      await addBatch(client, missing, forms, Math.max(0, last - BATCH), last);
    }
    for (const { key, total, ids } of missing) {
      // Two cases may differ only in the page: the longer list serves both.
      await client.query(
        `insert into bench.expected values ($1, $2, $3) on conflict (key) do update set ids = excluded.ids
         where cardinality(excluded.ids) > cardinality(expected.ids)`,
        [key, total, ids],
      );
    }
    console.error(
      `plain SQL for ${missing.length} texts: ${((performance.now() - start) / 1_000).toFixed(0)} s`,
    );
  });
}

/** Adds the texts to look for to `forms`; the conditions refer to them by number. */
async function listMissing(client: pg.Client, asked: Asked[], forms: string[]): Promise<Missing[]> {
  const { rows } = await client.query<{ key: string; ids: number; complete: boolean }>(
    'select key, cardinality(ids) as ids, cardinality(ids) = total as complete from bench.expected',
  );
  const known = new Map(rows.map(row => [row.key, row.complete ? Number.POSITIVE_INFINITY : row.ids]));
  const isKnown = ({ search, caller }: Asked) =>
    (known.get(keyOf(conditionOf(search, caller.sight))) ?? -1) >= endOf(search);
  const matches = (form: string) => {
    if (!forms.includes(form)) forms.push(form);
    return `contains${forms.indexOf(form)}`;
  };
  return asked
    .filter(one => one.search.query && !isKnown(one))
    .map(({ search, caller }) => ({
      key: keyOf(conditionOf(search, caller.sight)),
      end: endOf(search),
      condition: conditionOf(search, caller.sight, matches),
      total: 0,
      ids: [],
    }));
}

/** As ilike does it: both sides in lower case. Every text is looked for once per event, although several cases need it. */
async function addBatch(
  client: pg.Client,
  missing: Missing[],
  forms: string[],
  after: number,
  upTo: number,
): Promise<void> {
  const contained = forms.map((form, n) => `strpos(text, lower(${literal(form)})) > 0 as contains${n}`);
  const columns = missing.map(({ condition, ids, end }, n) => {
    const pageIsFull = ids.length >= end;
    const page = pageIsFull
      ? `'{}'`
      : `(array_agg(id order by id desc) filter (where ${condition}))[1:${end}]`;
    return `count(*) filter (where ${condition}) as "total${n}", ${page}::bigint[] as "ids${n}"`;
  });
  const { rows } = await client.query<Record<string, string | string[] | null>>(`
    select ${columns.join(', ')}
    from (
      select id, created_at, project, type, feature_name, created_by_user_id, environment, ${contained.join(', ')}
      from (
        select *, lower(event_text(data, pre_data, tags, comment)) as text from events
        where id > ${after} and id <= ${upTo} offset 0
      ) as events offset 0
    ) as events`);
  for (const [n, one] of missing.entries()) {
    one.total += Number(rows[0]?.[`total${n}`]);
    const ids = rows[0]?.[`ids${n}`] ?? [];
    one.ids = [...one.ids, ...[...ids].map(Number)].slice(0, one.end);
  }
}
