import { type SqlBool, sql } from 'kysely';
import type { Reader, Tx } from '../../../platform/db/database.ts';
import { likeText } from '../../../platform/db/like.ts';
import { containsText } from '../../events/conditions.ts';
import { EVENT_WEIGHT } from '../../events/weight.ts';
import { firstIdOf } from '../bitmap.ts';
import { hashesOf } from './large.ts';
import type { TextDimension } from './posting.ts';

/** PostgreSQL folds the case of texts, for the index and for searches. */
export async function foldCase(db: Reader, texts: string[]): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select fold_case(text) as text from unnest(${texts}::text[]) with ordinality as form (text, n) order by n`.execute(
    db,
  );
  return rows.map(row => row.text);
}

export type TextOfEvent = { position: number; text: string };

/** The folded text of the events of a chunk whose positions lie in a range. */
export async function listTexts(db: Reader, chunk: number, from: number, to: number): Promise<TextOfEvent[]> {
  const first = firstIdOf(chunk);
  const { rows } = await sql<TextOfEvent>`
    select (id - ${first})::integer as position, fold_case(event_text(data, pre_data, tags, comment)) as text
    from events where id >= ${first + from} and id < ${first + to} order by id`.execute(db);
  return rows;
}

/** The folded texts of recent events in a range of positions. null: the text is among the large texts. */
export async function listSmallTexts(
  db: Reader,
  chunk: number,
  from: number,
  to: number,
): Promise<{ position: number; text: string | null }[]> {
  const first = firstIdOf(chunk);
  const { rows } = await sql<{ position: number; text: string | null }>`
    select (events.id - ${first})::integer as position,
      case when large.id is null then fold_case(event_text(data, pre_data, tags, comment)) end as text
    from events left join event_large_folded_texts as large on large.id = events.id
    where events.id >= ${first + from} and events.id < ${first + to}`.execute(db);
  return rows;
}

/** Postings as columns. */
export type PostingColumns = {
  dimensions: TextDimension[];
  values: string[];
  counts: number[];
  positions: string[];
};

export async function insertTextPostings(
  tx: Tx,
  chunk: number,
  { dimensions, values, counts, positions }: PostingColumns,
): Promise<void> {
  await sql`
    insert into event_folded_postings (dimension, value, chunk, count, positions)
    select dimension, value, ${chunk}, count, positions from unnest(
      ${dimensions}::text[], ${values}::text[], ${counts}::integer[], ${positions}::text[]
    ) as posting (dimension, value, count, positions)`.execute(tx);
}

/** Adds the words, separators and phrases among the postings to the terms. */
export async function insertTerms(tx: Tx, { dimensions, values }: PostingColumns): Promise<void> {
  await sql`
    insert into event_folded_terms (dimension, value)
    select dimension, value from unnest(${dimensions}::text[], ${values}::text[]) as term (dimension, value)
    where dimension in ('word', 'separator', 'phrase')
    on conflict do nothing`.execute(tx);
}

/** A sum over postings that hardly ever stays the same when one of them changes. */
const DIGEST = sql`sum(hashtextextended(concat_ws(' ', dimension, value, count, positions), 0))::text`;

/** The digest of the stored postings of each chunk. It reads the whole table. */
export async function readTextDigests(tx: Tx): Promise<Map<number, string>> {
  const { rows } = await sql<{ chunk: number; digest: string }>`
    select chunk, ${DIGEST} as digest from event_folded_postings group by chunk`.execute(tx);
  return new Map(rows.map(({ chunk, digest }) => [chunk, digest]));
}

export async function digestOf(
  db: Reader,
  { dimensions, values, counts, positions }: PostingColumns,
): Promise<string | null> {
  const { rows } = await sql<{ digest: string | null }>`
    select ${DIGEST} as digest from unnest(
      ${dimensions}::text[], ${values}::text[], ${counts}::integer[], ${positions}::text[]
    ) as posting (dimension, value, count, positions)`.execute(db);
  return rows[0]?.digest ?? null;
}

/** The chunks with a word, separator or phrase that is not among the terms. */
export async function listChunksWithoutTerms(tx: Tx): Promise<number[]> {
  const { rows } = await sql<{ chunk: number }>`
    select distinct chunk from event_folded_postings as posting
    where dimension in ('word', 'separator', 'phrase') and not exists (
      select from event_folded_terms as term where term.dimension = posting.dimension and term.value = posting.value
    )`.execute(tx);
  return rows.map(({ chunk }) => chunk);
}

export async function deleteTextPostings(tx: Tx, chunk: number): Promise<void> {
  await sql`delete from event_folded_postings where chunk = ${chunk}`.execute(tx);
}

/** Words, separators or phrases that contain a text, begin or end with it. The shortest first. */
export async function listTerms(
  db: Reader,
  dimension: 'word' | 'separator' | 'phrase',
  text: string,
  where: 'anywhere' | 'beginning' | 'end',
  limit: number,
): Promise<string[]> {
  const pattern = likeText(text);
  const like = { anywhere: pattern, beginning: pattern.slice(1), end: pattern.slice(0, -1) }[where];
  const { rows } = await sql<{ value: string }>`
    select value from event_folded_terms where dimension = ${dimension} and value like ${like}
    order by length(value) limit ${limit}`.execute(db);
  return rows.map(row => row.value);
}

export type TextTerm = { dimension: TextDimension; value: string };
export type ChunkPositions = { chunk: number; positions: string };

/** The sets of the terms in the chunks from `first` to `last`. */
export async function readTermPositions(
  db: Reader,
  terms: TextTerm[],
  first: number,
  last: number,
): Promise<ChunkPositions[]> {
  // offset 0 keeps the planner from reading the whole table for a list of unknown length.
  const { rows } = await sql<ChunkPositions>`
    select posting.chunk, posting.positions
    from unnest(${terms.map(term => term.dimension)}::text[], ${terms.map(term => term.value)}::text[])
      as term (dimension, value)
    cross join lateral (
      select chunk, positions from event_folded_postings as of_term
      where of_term.dimension = term.dimension and of_term.value = term.value
        and chunk >= ${first} and chunk <= ${last} offset 0
    ) as posting`.execute(db);
  return rows;
}

/** In each chunk that has all the rare runs of characters, the sets of the `most` rarest of them. */
export async function readRarestPositions(
  db: Reader,
  grams: string[],
  first: number,
  last: number,
  most: number,
): Promise<ChunkPositions[]> {
  const { rows } = await sql<ChunkPositions>`
    with present as materialized (
      select chunk, value, count(*) over (partition by chunk) as found,
        row_number() over (partition by chunk order by count) as rank
      from event_folded_postings
      where dimension = 'rare' and value = any(${grams}) and chunk >= ${first} and chunk <= ${last}
    )
    select posting.chunk, posting.positions from present cross join lateral (
      select chunk, positions from event_folded_postings as rarest
      where rarest.dimension = 'rare' and rarest.value = present.value and rarest.chunk = present.chunk offset 0
    ) as posting
    where present.found = ${grams.length} and present.rank <= ${most}`.execute(db);
  return rows;
}

/** Those of the events that contain the text. */
export async function filterByText(db: Reader, ids: number[], text: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from events where id = any(${ids}::bigint[]) and ${containsText(text)}`.execute(db);
  return rows.map(row => row.id);
}

/** Locks the last id whose text was looked at. Undefined while another process has it. */
export async function lockLargeProgress(tx: Tx): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select last_id as id from event_large_folded_progress for update skip locked`.execute(tx);
  return rows[0]?.id;
}

export async function updateLargeProgress(tx: Tx, id: number): Promise<void> {
  await sql`update event_large_folded_progress set last_id = ${id}`.execute(tx);
}

/** JSON text has at most 6 characters for a stored byte: a control character. */
const SMALL_WEIGHT = 4_096;

/** The first events of a range whose texts may be large, by the stored size of their values. */
export async function listLikelyLarge(tx: Tx, after: number, end: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from events where id > ${after} and id <= ${end} and ${EVENT_WEIGHT} > ${SMALL_WEIGHT}
    order by id limit ${limit}`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function findFoldedText(db: Reader, id: number): Promise<string | undefined> {
  const { rows } = await sql<{ text: string }>`
    select fold_case(event_text(data, pre_data, tags, comment)) as text from events where id = ${id}`.execute(
    db,
  );
  return rows[0]?.text;
}

export type LargeText = { id: number; filter: Buffer; text: string };

export async function insertLargeText(tx: Tx, { id, filter, text }: LargeText): Promise<void> {
  await sql`
    insert into event_large_folded_texts (id, filter, text) values (${id}, ${filter}, ${text}) on conflict do nothing`.execute(
    tx,
  );
}

export async function deleteLargeText(tx: Tx, id: number): Promise<void> {
  await sql`delete from event_large_folded_texts where id = ${id}`.execute(tx);
}

export async function listLargeTexts(db: Reader, after: number, limit: number): Promise<LargeText[]> {
  const { rows } = await sql<LargeText>`
    select id, filter, text from event_large_folded_texts where id > ${after} order by id limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Those of the events whose texts are stored as large, and whether they contain one of the folded forms. */
export async function findLargeTexts(
  db: Reader,
  ids: number[],
  forms: string[],
): Promise<Map<number, boolean>> {
  // The bits come first, because they exclude most texts. substring reads one byte of the filter.
  const isSet = (hash: number) => sql<SqlBool>`
    get_byte(substring(filter from ${hash}::integer % (8 * octet_length(filter)) / 8 + 1 for 1), 0)
      >> (${hash}::integer % (8 * octet_length(filter)) % 8) & 1 = 1`;
  const contains = forms.map(
    form =>
      sql<SqlBool>`(${sql.join([...hashesOf(form).map(isSet), sql`strpos(text, ${form}) > 0`], sql` and `)})`,
  );
  const { rows } = await sql<{ id: number; matches: boolean }>`
    select id, ${sql.join(contains, sql` or `)} as matches from event_large_folded_texts
    where id = any(${ids}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, matches }) => [id, matches]));
}
