import { sql } from 'kysely';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { selectUserName } from '../actor-names.ts';
import { toConditions } from '../events/conditions.ts';
import type { EventFilters } from '../events/search-query.ts';
import { isVisible } from '../events/store.ts';
import { type GroupProperty, MAX_GROUPS } from './schema.ts';

const GROUP = {
  day: sql`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`,
  type: sql`type`,
  project: sql`project`,
  creator: sql`created_by_user_id`,
  environment: sql`environment`,
};

export type EventGroup = { value: string | null; count: number; name: string | null };

/** What the index contributes, which is either ids of events to count or counts by value. */
export type IndexedCounts = { ids: number[]; values: (string | null)[]; counts: number[] };

/**
 * Counts the visible matching events by group. It counts the events from the id `first` on, imported events from the id
 * `firstImported` on, and those in the index. Returns the newest days, or the largest groups of any other kind, including one more
 * than the response shows.
 */
export async function countGroups(
  db: Reader,
  actor: Actor,
  filters: EventFilters,
  by: GroupProperty,
  first: number,
  { ids, values, counts }: IndexedCounts,
  firstImported?: number,
): Promise<EventGroup[]> {
  // The ids are literals, so that the planner knows how few events the tail of the log contains.
  const tails = [
    sql`id >= ${sql.lit(first)}`,
    ...(firstImported === undefined ? [] : [sql`id >= ${sql.lit(firstImported)} and id < 0`]),
  ];
  const matches = sql.join([isVisible(actor, filters), ...toConditions(filters)], sql` and `);
  const countQueries = tails.map(
    tail =>
      sql`select ${GROUP[by]} as key, count(*) as count from events where ${tail} and ${matches} group by 1`,
  );
  const key = by === 'creator' ? sql`value::integer` : sql`value`;
  const order = by === 'day' ? sql`key desc` : sql`count desc, key`;
  const { rows } = await sql<EventGroup>`
    select key::text as value, count, ${by === 'creator' ? selectUserName(sql`key`) : sql`null`} as name
    from (
      select key, sum(count)::bigint as count
      from (
        ${sql.join(countQueries, sql` union all `)}
        union all
        select ${GROUP[by]}, count(*) from events where id = any(${ids}::bigint[]) group by 1
        union all
        select ${key}, count from unnest(${values}::text[], ${counts}::bigint[]) as indexed (value, count)
      ) as parts
      group by key order by ${order} limit ${MAX_GROUPS + 1}
    ) as counted
    order by ${order}`.execute(db);
  return rows;
}
