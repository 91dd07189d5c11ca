import { type Expression, sql } from 'kysely';
import { isInReadableProject } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { cursorConditions, toConditions } from '../events/conditions.ts';
import type { EventFilters, EventSearch } from '../events/search-query.ts';
import {
  canSeeOwnEvents,
  EVENT_COLUMNS,
  type EventRow,
  isOwn,
  listsOnlyReadableProjects,
} from '../events/store.ts';
import { EVENT_WEIGHT } from '../events/weight.ts';

/**
 * Searches the ids from `first` up to but not including `end`. Returns the total number of matching events, and the ids of those on
 * the page. One statement reads both from one snapshot.
 */
export async function findMatching(
  db: Reader,
  actor: Actor,
  search: EventSearch,
  first: number,
  end?: number,
): Promise<{ total: number; ids: number[] }> {
  const { rows } = await sql<{ total: number; ids: number[] }>`
    with ${pageAndTotal(search, splitByVisibility(actor, search, first, end))}
    select counted.total, array(select id::float8 from page order by id desc) as ids
    from counted`.execute(db);
  return rows[0] ?? { total: 0, ids: [] };
}

/** Returns the newest id that is below all the bounds, or the lowest possible number if no event has one. */
export async function readNewestId(db: Reader, ...bounds: (number | undefined)[]): Promise<number> {
  const end = Math.min(...bounds.map(id => id ?? Number.MAX_SAFE_INTEGER));
  const { rows } = await sql<{ newest: number | null }>`
    select max(id)::float8 as newest from events where id < ${end}`.execute(db);
  return rows[0]?.newest ?? Number.MIN_SAFE_INTEGER;
}

/**
 * Returns the actor's own events before an id that the actor must not find by text, because their text names projects that the
 * actor cannot read.
 */
export async function listUnsearchable(
  db: Reader,
  actor: Actor,
  filters: EventFilters,
  beforeId: number,
): Promise<number[]> {
  if (!canBeOwn(actor, filters)) return [];
  const { rows } = await sql<{ id: number }>`
    select id from events
    where ${isOwn(actor, {})} and not ${listsOnlyReadableProjects(actor)} and id < ${beforeId}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The total weight after which a statement returns no more events. */
const MAX_TOTAL_WEIGHT = 4_194_304;

/**
 * Returns the newest of the events with these ids. Their total size is bounded, but the result has at least one event if there is
 * any.
 */
export async function listNewestById(db: Reader, ids: number[]): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select ${EVENT_COLUMNS}
    from (
      select *, sum(weight) over (order by id desc rows unbounded preceding) - weight as weight_before
      from (select *, ${EVENT_WEIGHT} as weight from events where id = any(${ids}::bigint[])) as weighed
    ) as events
    where weight_before < ${MAX_TOTAL_WEIGHT}
    order by events.id desc`.execute(db);
  return rows;
}

/**
 * Splits a search into disjoint conditions, one for events of readable projects and one for own events without a project. Each
 * condition has its own plan. When they were joined by `or`, PostgreSQL could not count the total with an index-only scan, and read
 * every page of a table of 1 million events.
 */
function splitByVisibility(
  actor: Actor,
  search: EventSearch,
  first: number,
  end: number | undefined,
): Expression<unknown>[] {
  // The ids are literals, so that the planner knows how few events the tail of the log contains.
  const conditions = [
    sql`id >= ${sql.lit(first)}`,
    ...(end === undefined ? [] : [sql`id < ${sql.lit(end)}`]),
    ...toConditions(search),
  ];
  return [isInReadableProject(actor), ...(canBeOwn(actor, search) ? [isOwn(actor, search)] : [])].map(part =>
    sql.join([part, ...conditions], sql` and `),
  );
}

const canBeOwn = (actor: Actor, filters: EventFilters): boolean =>
  !actor.isAdmin && canSeeOwnEvents(actor) && filters.project === undefined;

function pageAndTotal(search: EventSearch, parts: Expression<unknown>[]) {
  const slice = sql`limit ${search.limit} offset ${search.offset}`;
  const cursorCondition = sql.join([sql`true`, ...cursorConditions(search)], sql` and `);
  const unionAll = (selects: Expression<unknown>[]) => sql.join(selects, sql` union all `);
  // With free text, the exact total requires looking at every match anyway, so the page comes from the same pass.
  if (search.query) {
    return sql`
      matching as materialized (${unionAll(parts.map(part => sql`select id from events where ${part}`))}),
      counted as (select count(*) as total from matching),
      page as materialized (select id from matching where ${cursorCondition} order by id desc ${slice})`;
  }
  const newest = (part: Expression<unknown>) =>
    sql`(select id from events where ${part} and ${cursorCondition} order by ${orderExpression(search)} desc limit ${search.limit + search.offset})`;
  return sql`
    counted as (
      select sum(part)::bigint as total from (${unionAll(parts.map(part => sql`select count(*) as part from events where ${part}`))}) as counts
    ),
    page as materialized (select id from (${unionAll(parts.map(newest))}) as newest order by id desc ${slice})`;
}

/**
 * Returns the expression that orders the page. With a date filter, ordering by the id itself makes the planner walk back from the
 * newest event through everything newer than the requested days. That took 7.4 s of CPU time for a month of 10 million events, and
 * 620 ms for a month of one project among 1 million. id + 0 has no index, so the statement reads only what matches, as it does for
 * the total (80 ms), and sorts it.
 */
function orderExpression({ from, to }: EventSearch) {
  return (from ?? to) === undefined ? sql`id` : sql`id + 0`;
}
