import { randomInt } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { isReadable } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { PREPARED } from '../../platform/db/prepared-statements.ts';
import { findLastImported, LOWEST_ID } from '../events/imported.ts';
import { readWatermark } from '../events/tail.ts';
import { CHUNK_SIZE, getFirstId, toChunk } from './bitmap.ts';
import type { Clause, Dimension } from './clauses.ts';

/** The parts of the index: filters and text. They are indexed separately, because text takes longer. */
export type IndexPart = 'filters' | 'text';

/** The two parts of the log: events of this instance and imported events. Imported events are older and have ids below zero. */
export type Log = 'own' | 'imported';
export const LOGS: readonly Log[] = ['own', 'imported'];

/** The chunk in which a log begins. */
export const FIRST_CHUNK: Record<Log, number> = { own: 0, imported: toChunk(LOWEST_ID) };

/**
 * The names of the parts in `event_index_progress`. The row `folded-text` belongs to the previous version, which stored different
 * sets.
 */
const STORED_NAMES: Record<Log, Record<IndexPart, string>> = {
  own: { filters: 'filters', text: 'keyed-text' },
  imported: { filters: 'imported-filters', text: 'imported-keyed-text' },
};
const storedNames = (log: Log, parts: readonly IndexPart[]): string[] =>
  parts.map(part => STORED_NAMES[log][part]);
const TEXT_PARTS = LOGS.map(log => STORED_NAMES[log].text);

/** Must be changed whenever the content of the text index changes. The next server to start then rebuilds the index. */
export const TEXT_FORMAT = 2;

/** A text index in the format of a different version counts as empty. */
const CHUNKS = sql`case when format = ${sql.lit(TEXT_FORMAT)} or part like '%filters' then chunks else 0 end`;

/** Returns how many chunks are indexed in all the given parts. */
export const readIndexedChunks = async (
  db: Reader,
  parts: readonly IndexPart[] = ['filters'],
  log: Log = 'own',
): Promise<number> => (await readIndexState(db, parts, log)).chunks;

/** Returns the chunks of both logs that are indexed in a part. */
export async function listIndexedChunks(db: Reader, part: IndexPart): Promise<number[]> {
  const chunks: number[] = [];
  for (const log of LOGS) {
    const count = await readIndexedChunks(db, [part], log);
    for (let n = 0; n < count; n++) chunks.push(FIRST_CHUNK[log] + n);
  }
  return chunks;
}

export type IndexState = { chunks: number; generation: number; key: number };

/**
 * Returns how many chunks are indexed in all the given parts, the key of the text index, and a generation that changes whenever a
 * chunk is rebuilt.
 */
export async function readIndexState(
  db: Reader,
  parts: readonly IndexPart[],
  log: Log = 'own',
): Promise<IndexState> {
  const { rows } = await sql<{ chunks: number | null; generation: number; key: number }>`
    select ${PREPARED} min(${CHUNKS}) filter (where part = any(${storedNames(log, parts)})) as chunks,
      coalesce(sum(generation), 0) as generation, coalesce(max(key), 0) as key
    from event_index_progress`.execute(db);
  const { chunks, generation, key } = rows[0] ?? { chunks: 0, generation: 0, key: 0 };
  return { chunks: chunks ?? 0, generation, key };
}

/**
 * Restarts the text index with a new key if the index has the format of a different version. Searches read the log directly until
 * its chunks are indexed.
 */
export async function beginTextIndex(db: Reader): Promise<void> {
  await sql`
    with begun as (
      update event_index_progress set format = ${TEXT_FORMAT}, key = ${randomInt(2 ** 31)}, chunks = 0
      where part = any(${TEXT_PARTS}) and format <> ${TEXT_FORMAT} returning part
    )
    update event_text_large_progress set last_id = 0 where exists (select from begun)`.execute(db);
}

/** Makes all servers drop the sets that they keep in memory, because those sets may be wrong. */
export async function startGeneration(tx: Tx, part: IndexPart): Promise<void> {
  await sql`update event_index_progress set generation = generation + 1 where part = ${STORED_NAMES.own[part]}`.execute(
    tx,
  );
}

/** Locks the progress of a part and returns the number of indexed chunks, or undefined while another process holds the lock. */
export async function lockProgress(tx: Tx, part: IndexPart, log: Log = 'own'): Promise<number | undefined> {
  const { rows } = await sql<{ chunks: number }>`
    select chunks from event_index_progress
    where part = ${STORED_NAMES[log][part]} for update skip locked`.execute(tx);
  return rows[0]?.chunks;
}

export async function updateProgress(tx: Tx, part: IndexPart, log: Log, chunks: number): Promise<void> {
  await sql`
    update event_index_progress set chunks = ${chunks} where part = ${STORED_NAMES[log][part]}`.execute(tx);
}

/** Returns the highest id below which no further event can be added to a log. */
export async function readFinalId(db: Reader, log: Log): Promise<number> {
  if (log === 'own') return await readWatermark(db);
  // An Unleash transaction that commits late has one of the last ids. No transaction stays open while 24,000 events are written.
  return ((await findLastImported(db)) ?? LOWEST_ID) - CHUNK_SIZE;
}

/** The events of a chunk that have a value. `positions` is encoded as in bitmap.ts. */
export type StoredPosting = { dimension: Dimension; value: string; count: number; positions: string };

/** Like `Posting`, but with the positions as a sorted list of big-endian 2-byte integers. */
export type PostingList = Omit<StoredPosting, 'positions'> & { list: Buffer };

/** Returns every value of the events of a chunk, or of those between two ids, with their positions as a sorted list. */
export async function computePostings(
  db: Reader,
  chunk: number,
  { firstId = getFirstId(chunk), lastId = getFirstId(chunk + 1) - 1 } = {},
): Promise<PostingList[]> {
  const { rows } = await sql<PostingList>`
    select entry.dimension, entry.value, count(*)::integer as count,
      string_agg(int2send((events.id - ${getFirstId(chunk)})::smallint), ''::bytea order by events.id) as list
    from events cross join lateral (values
      ('all', ''),
      ('day', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')),
      ('project', coalesce(project, '')),
      ('feature', feature_name),
      ('type', type),
      ('creator', created_by_user_id::text),
      ('environment', environment),
      ('own', case when project is null then created_by_user_id::text end)
    ) as entry (dimension, value)
    where events.id >= ${firstId} and events.id <= ${lastId} and entry.value is not null
    group by entry.dimension, entry.value`.execute(db);
  return rows;
}

export async function insertPostings(tx: Tx, chunk: number, postings: StoredPosting[]): Promise<void> {
  await sql`
    insert into event_postings (dimension, value, chunk, count, positions)
    select dimension, value, ${chunk}, count, positions from unnest(
      ${postings.map(posting => posting.dimension)}::text[], ${postings.map(posting => posting.value)}::text[],
      ${postings.map(posting => posting.count)}::integer[], ${postings.map(posting => posting.positions)}::text[]
    ) as posting (dimension, value, count, positions)`.execute(tx);
}

export async function listPostings(db: Reader, chunk: number): Promise<StoredPosting[]> {
  const { rows } = await sql<StoredPosting>`
    select dimension, value, count, positions from event_postings where chunk = ${chunk}`.execute(db);
  return rows;
}

export async function deletePostings(tx: Tx, chunk: number): Promise<void> {
  await sql`delete from event_postings where chunk = ${chunk}`.execute(tx);
}

/**
 * Builds the query for the postings of the clauses' terms, with one lookup in the primary key for each term. With a join, the
 * planner read the whole table, because it does not know how few values lie between `low` and `high`.
 */
function selectPostings(
  clauses: readonly Clause[],
  columns: RawBuilder<unknown>,
  chunkCondition: RawBuilder<unknown>,
) {
  const terms = clauses.flatMap(({ minus, plus }, clause) => [
    ...minus.map(term => ({ ...term, clause, minus: true })),
    ...plus.map(term => ({ ...term, clause, minus: false })),
  ]);
  const termRows = sql`unnest(
    ${terms.map(term => term.clause)}::integer[], ${terms.map(term => term.minus)}::boolean[],
    ${terms.map(term => term.dimension)}::text[], ${terms.map(term => term.low)}::text[], ${terms.map(term => term.high)}::text[]
  ) as term (clause, minus, dimension, low, high)`;
  const matchingPostings = (values: RawBuilder<unknown>) => sql`lateral (
    select ${columns} from event_postings where dimension = term.dimension and ${values} and ${chunkCondition} offset 0
  ) as posting`;
  return sql`(
    select term.clause, term.minus, posting.* from ${termRows} cross join ${matchingPostings(sql`value = term.low`)} where low = high
    union all
    select term.clause, term.minus, posting.*
    from ${termRows} cross join ${matchingPostings(sql`value >= term.low and value <= term.high`)} where low < high
  )`;
}

/** The chunks from `first` to below `end`. */
export type ChunkRange = { first: number; end: number };

/** For each of the chunks, the number of events with a `plus` term of the clause, less the number with a `minus` term. */
export type ClauseCounts = { clause: number; chunks: number[]; counts: number[] };

/**
 * Returns the counts of each clause in a range of chunks, read with an index-only scan. Returns lists, because a row for each count
 * took twice as long.
 */
export async function readCounts(
  db: Reader,
  clauses: readonly Clause[],
  { first, end }: ChunkRange,
): Promise<ClauseCounts[]> {
  const { rows } = await sql<ClauseCounts>`
    select ${PREPARED} clause, array_agg(chunk) as chunks, array_agg(count) as counts
    from (
      select clause, chunk, sum(case when minus then -count else count end)::integer as count
      from ${selectPostings(clauses, sql`chunk, count`, sql`chunk >= ${first} and chunk < ${end}`)} as posting
      group by clause, chunk
    ) as counted
    group by clause`.execute(db);
  return rows;
}

export type ClausePositions = { clause: number; minus: boolean; chunk: number; positions: string };

/** Returns the sets of the clauses' terms in some chunks. */
export async function readPositions(
  db: Reader,
  clauses: readonly Clause[],
  chunks: readonly number[],
): Promise<ClausePositions[]> {
  const { rows } = await sql<ClausePositions>`
    select ${PREPARED} clause, minus, chunk, positions
    from ${selectPostings(clauses, sql`chunk, positions`, sql`chunk = any(${chunks})`)} as posting`.execute(
    db,
  );
  return rows;
}

/** Returns how many events of some chunks have each value of a dimension. */
export async function countValues(
  db: Reader,
  dimension: Dimension,
  chunks: readonly number[],
): Promise<{ value: string; count: number }[]> {
  const { rows } = await sql<{ value: string; count: number }>`
    select value, sum(count) as count from event_postings
    where dimension = ${dimension} and chunk = any(${chunks}) group by value`.execute(db);
  return rows;
}

export type ValuePositions = { value: string; chunk: number; positions: string };

/**
 * Returns the sets of the values of a dimension in some chunks, starting after the value and the chunk of the cursor. Returns at
 * most `limit` sets.
 */
export async function listValuePositions(
  db: Reader,
  dimension: Dimension,
  chunks: readonly number[],
  cursor: { value: string; chunk: number },
  limit: number,
): Promise<ValuePositions[]> {
  const { rows } = await sql<ValuePositions>`
    select value, chunk, positions from event_postings
    where dimension = ${dimension} and (value, chunk) > (${cursor.value}, ${cursor.chunk}) and chunk = any(${chunks})
    order by value, chunk limit ${limit}`.execute(db);
  return rows;
}

/** Returns the projects that the actor can read, and all projects in the index, including deleted ones. */
export async function listProjectsFor(
  db: Reader,
  actor: Actor,
): Promise<{ readable: string[]; indexed: string[] }> {
  const { rows } = await sql<{ readable: string[]; indexed: string[] }>`
    with recursive indexed (value) as (
      (select value from event_postings where dimension = 'project' and value > '' order by value limit 1)
      union all
      select (
        select value from event_postings where dimension = 'project' and value > indexed.value order by value limit 1
      ) from indexed where indexed.value is not null
    )
    select array(select projects.id from projects where ${isReadable(actor)}) as readable,
      array(select value from indexed where value is not null) as indexed`.execute(db);
  return rows[0] ?? { readable: [], indexed: [] };
}
