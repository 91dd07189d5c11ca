import { sql } from 'kysely';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { nameOfUser } from '../actor-names.ts';
import { conditions } from '../events/conditions.ts';
import type { EventFilters } from '../events/search-query.ts';
import { isVisible } from '../events/store.ts';
import { type CountedBy, MAX_GROUPS } from './schema.ts';

const GROUP = {
  day: sql`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`,
  type: sql`type`,
  project: sql`project`,
  creator: sql`created_by_user_id`,
  environment: sql`environment`,
};

export type EventGroup = { value: string | null; count: number; name: string | null };

/** The visible events that match, by group: the newest days, or the largest other groups, and one group more than a response has. */
export async function countEvents(
  db: Reader,
  actor: Actor,
  filters: EventFilters,
  by: CountedBy,
): Promise<EventGroup[]> {
  const matches = [isVisible(actor, filters), ...conditions(filters)];
  const order = by === 'day' ? sql`key desc` : sql`count desc, key`;
  const { rows } = await sql<EventGroup>`
    select key::text as value, count, ${by === 'creator' ? nameOfUser(sql`key`) : sql`null`} as name
    from (
      select ${GROUP[by]} as key, count(*) as count from events where ${sql.join(matches, sql` and `)}
      group by 1 order by ${order} limit ${MAX_GROUPS + 1}
    ) as counted
    order by ${order}`.execute(db);
  return rows;
}
