import { type Expression, sql } from 'kysely';
import { ofReadableProject } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { bounds, conditions } from '../events/conditions.ts';
import type { EventFilters, EventSearch } from '../events/search-query.ts';
import { EVENT_COLUMNS, type EventRow, isOwn, listsOnlyReadable, seesOwn } from '../events/store.ts';
import { EVENT_WEIGHT } from '../events/weight.ts';

/**
 * The total of the matching events, and the ids of those on the page, from the id `first` up to but not including `end`. One
 * statement reads both from one snapshot.
 */
export async function findMatching(
  db: Reader,
  actor: Actor,
  search: EventSearch,
  first: number,
  end?: number,
): Promise<{ total: number; ids: number[] }> {
  const { rows } = await sql<{ total: number; ids: number[] }>`
    with ${pageAndTotal(search, visibleParts(actor, search, first, end))}
    select counted.total, array(select id::float8 from page order by id desc) as ids from counted`.execute(
    db,
  );
  return rows[0] ?? { total: 0, ids: [] };
}

/** The newest id below all of these. */
export async function readNewestId(db: Reader, ...below: (number | undefined)[]): Promise<number> {
  const end = Math.min(...below.map(id => id ?? Number.MAX_SAFE_INTEGER));
  const { rows } = await sql<{ newest: number | null }>`
    select max(id)::float8 as newest from events where id < ${end}`.execute(db);
  return rows[0]?.newest ?? Number.MIN_SAFE_INTEGER;
}

/**
 * The actor's own events before an id that the actor must not find by text, because their text names projects that the actor
 * cannot read.
 */
export async function listUnsearchable(
  db: Reader,
  actor: Actor,
  filters: EventFilters,
  before: number,
): Promise<number[]> {
  if (!canBeOwn(actor, filters)) return [];
  const { rows } = await sql<{ id: number }>`
    select id from events where ${isOwn(actor, {})} and not ${listsOnlyReadable(actor)} and id < ${before}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** The weight after which a statement returns no more events. */
const READ_WEIGHT = 4_194_304;

/** The newest of the events with these ids, bounded in size, at least one if there is one. */
export async function listNewestById(db: Reader, ids: number[]): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select ${EVENT_COLUMNS}
    from (
      select *, sum(weight) over (order by id desc rows unbounded preceding) - weight as weight_before
      from (select *, ${EVENT_WEIGHT} as weight from events where id = any(${ids}::bigint[])) as weighed
    ) as events
    where weight_before < ${READ_WEIGHT}
    order by events.id desc`.execute(db);
  return rows;
}

/**
 * The conditions of a search as disjoint parts: events of readable projects, and own events without a project. Each part has its own
 * plan. Joined by `or`, the total was not an index-only count and read every page of a table of 1 million events.
 */
function visibleParts(
  actor: Actor,
  search: EventSearch,
  first: number,
  end: number | undefined,
): Expression<unknown>[] {
  // Literals, so that the planner knows how few events the tail of the log has.
  const all = [
    sql`id >= ${sql.lit(first)}`,
    ...(end === undefined ? [] : [sql`id < ${sql.lit(end)}`]),
    ...conditions(search),
  ];
  return [ofReadableProject(actor), ...(canBeOwn(actor, search) ? [isOwn(actor, search)] : [])].map(part =>
    sql.join([part, ...all], sql` and `),
  );
}

const canBeOwn = (actor: Actor, filters: EventFilters): boolean =>
  !actor.isAdmin && seesOwn(actor) && filters.project === undefined;

function pageAndTotal(search: EventSearch, parts: Expression<unknown>[]) {
  const slice = sql`limit ${search.limit} offset ${search.offset}`;
  const within = sql.join([sql`true`, ...bounds(search)], sql` and `);
  const together = (selects: Expression<unknown>[]) => sql.join(selects, sql` union all `);
  // Text: the exact total must look at every match anyway, so the page is cut from the same single pass.
  if (search.query) {
    return sql`
      matching as materialized (${together(parts.map(part => sql`select id from events where ${part}`))}),
      counted as (select count(*) as total from matching),
      page as materialized (select id from matching where ${within} order by id desc ${slice})`;
  }
  const newest = (part: Expression<unknown>) =>
    sql`(select id from events where ${part} and ${within} order by ${order(search)} desc limit ${search.limit + search.offset})`;
  return sql`
    counted as (
      select sum(part)::bigint as total from (${together(parts.map(part => sql`select count(*) as part from events where ${part}`))}) as counts
    ),
    page as materialized (select id from (${together(parts.map(newest))}) as newest order by id desc ${slice})`;
}

/**
 * With days, ordering by the bare id makes the planner walk back from the newest event through everything newer than the
 * requested days: 7.4 s of CPU for a month at 10 million, 620 ms for a month of one project at 1 million. id + 0 has no index, so
 * it reads what matches, as the total does (80 ms), and sorts it.
 */
function order({ from, to }: EventSearch) {
  return (from ?? to) === undefined ? sql`id` : sql`id + 0`;
}
