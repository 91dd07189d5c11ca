import { type SqlBool, sql } from 'kysely';
import type { Reader, Tx } from '../../../platform/db/database.ts';
import { containsPattern } from '../../../platform/db/like.ts';
import { containsText } from '../../events/conditions.ts';
import { EVENT_WEIGHT } from '../../events/weight.ts';
import { getFirstId } from '../bitmap.ts';
import { TEXT_FORMAT } from '../store.ts';
import type { Kind, TextSet } from './collect.ts';
import { hashRuns } from './large.ts';

/** The sets that a search reads, which are those of one key. */
export type TextIndex = { db: Reader; key: number };

/** Returns the key of the index's hashes, or undefined until this version's index has been started. */
export async function readKey(db: Reader): Promise<number | undefined> {
  const { rows } = await sql<{ key: number | null }>`
    select key from event_index_progress where part = 'keyed-text' and format = ${TEXT_FORMAT}`.execute(db);
  return rows[0]?.key ?? undefined;
}

/** Deletes what was stored before the index was restarted. Searches use only the sets of the current key. */
export async function deleteOtherKeys(tx: Tx, key: number): Promise<void> {
  await sql`delete from event_text_sets where key < ${key} or key > ${key}`.execute(tx);
  await sql`delete from event_text_large where key < ${key} or key > ${key}`.execute(tx);
}

/** Folds case in PostgreSQL, because the index and searches must fold it in the same way. */
export async function foldCase(db: Reader, texts: string[]): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select fold_case(text) as text from unnest(${texts}::text[]) with ordinality as form (text, n)
    order by n`.execute(db);
  return rows.map(row => row.text);
}

export type EventText = { position: number; text: string };

/**
 * One statement returns at most this many events and about this many bytes, so that large events take no more memory than others.
 */
const [TEXTS_PER_BATCH, WEIGHT_PER_BATCH] = [500, 2_000_000];

/** Returns the folded texts of some events of a chunk, starting at a position. Returns an empty list at the end of the chunk. */
export async function listTexts(db: Reader, chunk: number, firstPosition: number): Promise<EventText[]> {
  const first = getFirstId(chunk);
  const { rows } = await sql<EventText>`
    select (id - ${first})::integer as position, fold_case(event_text(data, pre_data, tags, comment)) as text
    from (
      select *, sum(weight) over (order by id rows unbounded preceding) - weight as weight_before
      from (
        select *, ${EVENT_WEIGHT} as weight from events
        where id >= ${first + firstPosition} and id < ${getFirstId(chunk + 1)} order by id limit ${TEXTS_PER_BATCH}
      ) as weighed
    ) as events
    where weight_before < ${WEIGHT_PER_BATCH} order by id`.execute(db);
  return rows;
}

const setRows = (sets: TextSet[]) => sql`unnest(
  ${sets.map(({ kind }) => kind)}::text[], ${sets.map(({ value }) => value)}::text[],
  ${sets.map(({ count }) => count)}::integer[], ${sets.map(({ positions }) => positions)}::text[]
) as stored (kind, value, count, positions)`;

/** Inserts sets, and adds their words and phrases to the dictionary. */
export async function insertTextSets(tx: Tx, key: number, chunk: number, sets: TextSet[]): Promise<void> {
  await sql`
    with inserted as (
      insert into event_text_sets (key, kind, value, chunk, count, positions)
      select ${key}, kind, value, ${chunk}, count, positions from ${setRows(sets)} returning kind, value
    )
    insert into event_text_dictionary (kind, value)
    select kind, value from inserted where kind in ('word', 'phrase') on conflict do nothing`.execute(tx);
}

/** A checksum of sets, which almost certainly changes when a set changes. */
const DIGEST = sql`sum(hashtextextended(concat_ws(' ', kind, value, count, positions), 0))::text`;

/**
 * Returns the digest of the stored sets of each chunk, without words and phrases that the dictionary lacks. It reads the whole
 * table.
 */
export async function readTextDigests(tx: Tx, key: number): Promise<Map<number, string>> {
  const { rows } = await sql<{ chunk: number; digest: string }>`
    select chunk, ${DIGEST} as digest from event_text_sets left join event_text_dictionary as term using (kind, value)
    where key = ${key} and (kind not in ('word', 'phrase') or term is not null) group by chunk`.execute(tx);
  return new Map(rows.map(({ chunk, digest }) => [chunk, digest]));
}

export async function computeDigest(db: Reader, sets: TextSet[]): Promise<string | null> {
  const { rows } = await sql<{ digest: string | null }>`
    select ${DIGEST} as digest from ${setRows(sets)}`.execute(db);
  return rows[0]?.digest ?? null;
}

export async function deleteTextSets(tx: Tx, key: number, chunk: number): Promise<void> {
  await sql`delete from event_text_sets where key = ${key} and chunk = ${chunk}`.execute(tx);
}

/** Returns the shortest words or phrases of the dictionary that contain a string. */
export async function listTerms(
  db: Reader,
  kind: 'word' | 'phrase',
  text: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`
    select value from event_text_dictionary where kind = ${kind} and value like ${containsPattern(text)}
    order by length(value) limit ${limit}`.execute(db);
  return rows.map(row => row.value);
}

export type TextTerm = { kind: Kind; value: string };
export type ChunkPositions = { chunk: number; positions: string };

/** Returns the sets of the terms in some chunks. */
export async function readTermPositions(
  { db, key }: TextIndex,
  terms: TextTerm[],
  chunks: number[],
): Promise<ChunkPositions[]> {
  // offset 0 keeps the planner from reading the whole table for a list of unknown length.
  const { rows } = await sql<ChunkPositions>`
    select stored.chunk, stored.positions
    from unnest(${terms.map(term => term.kind)}::text[], ${terms.map(term => term.value)}::text[])
      as term (kind, value)
    cross join lateral (
      select chunk, positions from event_text_sets as of_term
      where key = ${key} and of_term.kind = term.kind and of_term.value = term.value and chunk = any(${chunks}) offset 0
    ) as stored`.execute(db);
  return rows;
}

/**
 * For each chunk, takes from each list the first term that the chunk has. If there is one in every list, returns the sets of the
 * `max` rarest of these terms.
 */
export async function readRarest(
  { db, key }: TextIndex,
  lists: TextTerm[][],
  chunks: number[],
  max: number,
): Promise<ChunkPositions[]> {
  const terms = lists.flatMap((list, n) => list.map(term => ({ ...term, list: n })));
  const { rows } = await sql<ChunkPositions>`
    with present as (
      select distinct on (stored.chunk, term.list) stored.chunk, term.kind, term.value, stored.count
      from unnest(
        ${terms.map(term => term.list)}::integer[], ${terms.map(term => term.kind)}::text[], ${terms.map(term => term.value)}::text[]
      ) with ordinality as term (list, kind, value, n)
      cross join lateral (
        select chunk, count from event_text_sets as of_term
        where key = ${key} and of_term.kind = term.kind and of_term.value = term.value and chunk = any(${chunks}) offset 0
      ) as stored
      order by stored.chunk, term.list, term.n
    ), ranked as materialized (
      select *, count(*) over (partition by chunk) as found, row_number() over (partition by chunk order by count) as rank
      from present
    )
    select stored.chunk, stored.positions from ranked cross join lateral (
      select chunk, positions from event_text_sets as rarest
      where rarest.key = ${key} and rarest.kind = ranked.kind and rarest.value = ranked.value
        and rarest.chunk = ranked.chunk offset 0
    ) as stored
    where ranked.found = ${lists.length} and ranked.rank <= ${max}`.execute(db);
  return rows;
}

/** Returns the given events that contain the text. */
export async function filterByText(db: Reader, ids: number[], text: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from events where id = any(${ids}::bigint[]) and ${containsText(text)}`.execute(db);
  return rows.map(row => row.id);
}

/** Locks the last id whose text was examined. Returns undefined while another process holds the lock. */
export async function lockLargeProgress(tx: Tx): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select last_id as id from event_text_large_progress for update skip locked`.execute(tx);
  return rows[0]?.id;
}

export async function updateLargeProgress(tx: Tx, id: number): Promise<void> {
  await sql`update event_text_large_progress set last_id = ${id}`.execute(tx);
}

/**
 * An event of this weight cannot have a large text: JSON writes a stored byte as at most 6 characters, which is the length of an
 * escaped control character.
 */
const SMALL_WEIGHT = 4_096;

/** Returns the first events of a range whose texts may be large, by the stored size of their values. */
export async function listLikelyLarge(
  tx: Tx,
  afterId: number,
  end: number,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from events where id > ${afterId} and id <= ${end} and ${EVENT_WEIGHT} > ${SMALL_WEIGHT}
    order by id limit ${limit}`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function findFoldedText(db: Reader, id: number): Promise<string | undefined> {
  const { rows } = await sql<{ text: string }>`
    select fold_case(event_text(data, pre_data, tags, comment)) as text from events
    where id = ${id}`.execute(db);
  return rows[0]?.text;
}

export type LargeText = { id: number; filter: Buffer; text: string };

export async function upsertLargeText(
  db: Reader,
  key: number,
  { id, filter, text }: LargeText,
): Promise<void> {
  await sql`
    insert into event_text_large (key, id, filter, text) values (${key}, ${id}, ${filter}, ${text})
    on conflict (key, id) do update set filter = excluded.filter, text = excluded.text`.execute(db);
}

export async function listLargeTexts(
  db: Reader,
  key: number,
  afterId: number,
  limit: number,
): Promise<LargeText[]> {
  const { rows } = await sql<LargeText>`
    select id, filter, text from event_text_large where key = ${key} and id > ${afterId}
    order by id limit ${limit}`.execute(db);
  return rows;
}

/** Returns the given events whose texts are stored as large, and whether they contain one of the folded forms. */
export async function findLargeTexts(
  { db, key }: TextIndex,
  ids: number[],
  forms: string[],
): Promise<Map<number, boolean>> {
  // The filter's bits come first, because they exclude most texts. substring reads one byte of the filter.
  const isSet = (hash: number) => sql<SqlBool>`
    get_byte(substring(filter from ${hash}::integer % (8 * octet_length(filter)) / 8 + 1 for 1), 0)
      >> (${hash}::integer % (8 * octet_length(filter)) % 8) & 1 = 1`;
  const contains = forms.map(
    form =>
      sql<SqlBool>`(${sql.join([...hashRuns(key, form).map(isSet), sql`strpos(text, ${form}) > 0`], sql` and `)})`,
  );
  const { rows } = await sql<{ id: number; matches: boolean }>`
    select id, ${sql.join(contains, sql` or `)} as matches from event_text_large
    where key = ${key} and id = any(${ids}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, matches }) => [id, matches]));
}
