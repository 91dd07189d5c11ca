import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';
import { containsPattern } from '../../platform/db/like.ts';
import { STATES } from './schema.ts';
import type { RecordSearch, StatusFilter } from './search-query.ts';
import {
  type FlatRecord,
  RECORD_COLUMNS,
  RECORD_JOINS,
  type RecordRow,
  toRecordRow,
  WITH_LAST_ATTEMPT,
} from './store.ts';

/**
 * The maximum number of records that the total counts, and that a page examines if the search has a status, type or text filter. No
 * index covers these filters, so records are checked one by one, and an integration can have millions.
 */
export const MAX_EXAMINED = 10_000;

/** Longer than any transaction. A record gets its id in the middle of a transaction, but its time is the transaction's start. */
const MAX_TRANSACTION_DURATION = '1 hour';

export type FoundRecords = {
  records: RecordRow[];
  total: number;
  isTotalExact: boolean;
  /** The value of `before` for the next page. */
  next?: number;
};

/** The integration whose records are searched, or all integrations. */
type SearchedIntegration = number | 'all';
/** Every record between the times of the search has an id above `low` and below `high`. */
type Bounds = { low: number; high: number };

/** Searches records, newest first. */
export async function searchRecords(
  db: Reader,
  integration: SearchedIntegration,
  search: RecordSearch,
): Promise<FoundRecords> {
  const { before: _, ...withoutCursor } = search;
  const bounds = await findIdBounds(db, search);
  const counts = await countMatches(db, integration, withoutCursor, bounds);
  const page = await listPage(db, integration, search, bounds);
  const records = page.slice(0, search.limit);
  const result = { records, total: counts.total, isTotalExact: !counts.isTruncated };
  if (page.length > records.length) return { ...result, next: Number(records.at(-1)?.id) };
  if (!isFiltered(search)) return result;
  // The page is not full, but there may be more matches among the records that were not examined.
  const cursorCounts =
    search.before === undefined ? counts : await countMatches(db, integration, search, bounds);
  return cursorCounts.isTruncated && cursorCounts.lowest !== null
    ? { ...result, next: cursorCounts.lowest }
    : result;
}

/** Returns the records of the page, and the record after it if there is one. */
async function listPage(
  db: Reader,
  integration: SearchedIntegration,
  search: RecordSearch,
  bounds: Bounds,
): Promise<RecordRow[]> {
  const rowLimit = search.limit + 1;
  const candidateLimit = isFiltered(search) ? MAX_EXAMINED : search.offset + rowLimit;
  const { rows } = await sql<FlatRecord>`
    select ${RECORD_COLUMNS}
    from (
      select record.id
      from (${selectCandidates(integration, search, bounds, candidateLimit)}) as record ${filterClause(search)}
      order by record.id desc limit ${rowLimit} offset ${search.offset}
    ) as page join integration_deliveries as record on record.id = page.id ${RECORD_JOINS}
    order by record.id desc`.execute(db);
  return rows.map(toRecordRow);
}

type ExaminedCounts = { total: number; isTruncated: boolean; lowest: number | null };

/** Counts the matches among the newest candidates. */
async function countMatches(
  db: Reader,
  integration: SearchedIntegration,
  search: Omit<RecordSearch, 'limit' | 'offset'>,
  bounds: Bounds,
): Promise<ExaminedCounts> {
  const { rows } = await sql<{ total: number; examined: number; lowest: number | null }>`
    with candidate as materialized (${selectCandidates(integration, search, bounds, MAX_EXAMINED)})
    select (select count(*) from candidate as record ${filterClause(search)}) as total,
      (select count(*) from candidate) as examined, (select min(id) from candidate) as lowest`.execute(db);
  const { total = 0, examined = 0, lowest = null } = rows[0] ?? {};
  return { total, isTruncated: examined >= MAX_EXAMINED, lowest };
}

/** Returns whether the search has filters that no index covers. */
const isFiltered = ({ status, type, query }: Pick<RecordSearch, 'status' | 'type' | 'query'>): boolean =>
  status !== undefined || type !== undefined || query !== undefined;

/**
 * Selects the newest records by integration, state, time and cursor from an index, in id order. Reads
 * each state separately, because with any() the planner would read the records of all states.
 */
function selectCandidates(
  integration: SearchedIntegration,
  search: Pick<RecordSearch, 'state' | 'status' | 'from' | 'to' | 'before'>,
  { low, high }: Bounds,
  limit: number,
): RawBuilder<unknown> {
  const states = search.state ?? inferStates(search.status);
  const conditions: Expression<SqlBool>[] = [
    integration === 'all'
      ? sql`exists (select from integrations where integrations.id = integration_id)`
      : sql`integration_id = ${integration}`,
    sql`id > ${low} and id < ${Math.min(high, search.before ?? high)}`,
    ...(search.from === undefined ? [] : [sql<SqlBool>`created_at >= ${search.from}`]),
    ...(search.to === undefined ? [] : [sql<SqlBool>`created_at < ${search.to}`]),
  ];
  const selectWith = (...more: Expression<SqlBool>[]) => sql`
    select id, event_id from integration_deliveries
    where ${sql.join([...conditions, ...more], sql` and `)} order by id desc limit ${limit}`;
  if (states === undefined) return selectWith();
  // Most records are successful, so reading all records finds enough matches quickly.
  if (integration === 'all' && states.includes('success')) return selectWith(sql`state = any(${states})`);
  const stateQuery = selectWith(
    sql`state = wanted.state`,
    ...(integration === 'all' ? [sql<SqlBool>`state <> 'success'`] : []),
  );
  return sql`
    select found.id, found.event_id from unnest(${states}::text[]) as wanted (state) cross join lateral (${stateQuery}) as found
    order by found.id desc limit ${limit}`;
}

/** A successful delivery has a status from 200 to 299, so a search for other statuses can skip successful deliveries. */
const inferStates = (status: StatusFilter[] | undefined): string[] | undefined =>
  status?.every(filter => filter !== 'none' && filter.low >= 300)
    ? STATES.filter(state => state !== 'success')
    : undefined;

/** Returns joins and conditions for the filters that no index covers. */
function filterClause({
  status,
  type,
  query,
}: Pick<RecordSearch, 'status' | 'type' | 'query'>): RawBuilder<unknown> {
  const text = query === undefined ? undefined : containsPattern(query);
  const conditions: Expression<SqlBool>[] = [
    sql`true`,
    ...(status === undefined ? [] : [sql<SqlBool>`(${sql.join(status.map(hasStatus), sql` or `)})`]),
    ...(type === undefined ? [] : [sql<SqlBool>`events.type = any(${type})`]),
    ...(text === undefined
      ? []
      : [
          sql<SqlBool>`(events.feature_name ilike ${text} or events.project ilike ${text} or events.created_by ilike ${text}
            or last_attempt.error ilike ${text})`,
        ]),
  ];
  return sql`
    ${type === undefined && text === undefined ? sql`` : WITH_EVENT}
    ${status === undefined && text === undefined ? sql`` : WITH_LAST_ATTEMPT}
    where ${sql.join(conditions, sql` and `)}`;
}

/** The limit makes the planner look up each event. Without it, the planner merged all events with the candidates. */
const WITH_EVENT = sql`
  cross join lateral (
    select type, feature_name, project, created_by from events where id = record.event_id limit 1
  ) as events`;

const hasStatus = (filter: StatusFilter) =>
  filter === 'none'
    ? sql<SqlBool>`last_attempt.status is null`
    : sql<SqlBool>`last_attempt.status between ${filter.low} and ${filter.high}`;

/**
 * Converts the times of a search to ids with a binary search, so that a search far in the past does not read every newer record.
 * This works because ids and times ascend together, except within the duration of a transaction.
 */
async function findIdBounds(db: Reader, { from, to }: Pick<RecordSearch, 'from' | 'to'>): Promise<Bounds> {
  const { low } =
    from === undefined
      ? { low: 0 }
      : await bisect(db, sql`${from}::timestamptz - ${sql.lit(MAX_TRANSACTION_DURATION)}::interval`);
  const { high } =
    to === undefined
      ? { high: Number.MAX_SAFE_INTEGER }
      : await bisect(db, sql`${to}::timestamptz + ${sql.lit(MAX_TRANSACTION_DURATION)}::interval`);
  return { low, high };
}

/** Returns two adjacent ids. The record `low` is older than the time, and the first record at or above `high` is not. */
async function bisect(db: Reader, time: RawBuilder<unknown>): Promise<Bounds> {
  const { rows } = await sql<Bounds>`
    with recursive step (low, high) as (
      select 0::bigint, (select coalesce(max(id), 0) + 1 from integration_deliveries)
      union all
      select case when found.created_at < ${time} then found.id else step.low end,
        case when found.created_at < ${time} then step.high else middle.id end
      from step
      cross join lateral (select (step.low + step.high) / 2 as id) as middle
      left join lateral (
        select id, created_at from integration_deliveries where id >= middle.id and id < step.high order by id limit 1
      ) as found on true
      where step.high - step.low > 1
    )
    select low, high from step order by high - low limit 1`.execute(db);
  return rows[0] ?? { low: 0, high: Number.MAX_SAFE_INTEGER };
}
