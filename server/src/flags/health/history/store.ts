import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import type { Counts } from '../../technical-debt/score.ts';
import { selectCounts } from '../../technical-debt/store.ts';

export type Day = Counts & { date: string };
export type Range = { from: string; to: string };

const utcDay = (column: string) => sql`(${sql.ref(column)} at time zone 'UTC')::date`;

/** Events that put a feature into a project. This list and the next are literals, so that PostgreSQL can use the partial indexes. */
const ASSIGNING_EVENTS = sql`('feature-created', 'feature-project-change')`;
const STATE_EVENTS = sql`('feature-created', 'feature-deleted', 'feature-archived', 'feature-revived', 'feature-stale-on',
  'feature-stale-off', 'feature-metadata-updated', 'feature-project-change')`;

/** Upper bound on the number of feature types. The highest number stands for deleted types. */
const MAX_TYPES = 1_024;

/**
 * Returns the counts at the end of each day, rebuilt from the events, and the current counts for today. Each event about a feature
 * starts a span of days with the same state. Within a span, the feature becomes potentially stale on the day it exceeds its type's
 * lifetime, and lifetimes have their own spans. Each span adds 1 on its first day and subtracts 1 on the day after its last, so a
 * running sum yields the counts of every day. Because ids only grow, the lowest bits of the running maximum of `id * n + value`
 * contain the latest value of a field. Imported events have negative ids, for which modulo would be negative, so the query uses `&`
 * instead. Past days are stored. A day counts as past one hour after its end by the clocks of both the server and the database, so
 * that no open transaction can still write an event for that day.
 */
export async function readDays(tx: Tx, project: string, { from, to }: Range, now: Date): Promise<Day[]> {
  const today = sql`(${now}::timestamptz at time zone 'UTC')::date`;
  const { rows } = await sql<Day>`
    with stored as materialized (
      select day, features, stale, potentially_stale from project_health_days
      where project = ${project} and day between ${from}::date and ${to}::date
    ), requested as materialized (
      select day::date from generate_series(${from}::date, ${to}::date, interval '1 day') as day
    ), missing as materialized (
      select day from requested where day < ${today} except select day from stored
    ), types as materialized (
      select id, lifetime_days, row_number() over (order by id) - 1 as number from feature_types
    ), changes as materialized (
      select types.number, ${utcDay('created_at')} as first_day, events.id,
        lead(${utcDay('created_at')}) over same_type as end_day,
        lag(events.id) over same_type is null as is_first,
        (data ->> 'lifetimeDays')::integer as days, (pre_data ->> 'lifetimeDays')::integer as days_before
      from events join types on types.id = data ->> 'id'
      where type = 'feature-type-updated' and (select count(*) from missing) > 0
      window same_type as (partition by types.number order by events.id)
    ), lifetimes as materialized (
      select number, first_day, coalesce(end_day, 'infinity') as end_day, days from changes
      union all
      select types.number, '-infinity', coalesce(changes.first_day, 'infinity'),
        case when changes.is_first then changes.days_before else types.lifetime_days end
      from types left join changes on changes.number = types.number and changes.is_first
    ), log as materialized (
      select events.feature_name, events.id, events.created_at, events.type,
        case events.type when 'feature-created' then coalesce((data ->> 'createdAt')::timestamptz, events.created_at)
        end as feature_created_at,
        case events.type when 'feature-created' then 1 when 'feature-deleted' then 0 end as present,
        case events.type when 'feature-created' then 0 when 'feature-archived' then 1 when 'feature-revived' then 0
        end as archived,
        case events.type when 'feature-created' then coalesce((data ->> 'stale')::boolean::integer, 0)
          when 'feature-stale-on' then 1 when 'feature-stale-off' then 0 end as stale,
        case events.type when 'feature-created' then (events.project = ${project})::integer
          when 'feature-project-change' then (coalesce(data ->> 'newProject', events.project) = ${project})::integer
        end as in_project,
        case when events.type in ('feature-created', 'feature-metadata-updated')
          then coalesce(types.number, ${sql.lit(MAX_TYPES - 1)}) end as type_number
      from (
        select distinct feature_name from events
        where project = ${project} and type in ${ASSIGNING_EVENTS} and (select count(*) from missing) > 0
      ) as belonging
        join events on events.feature_name = belonging.feature_name and events.type in ${STATE_EVENTS}
        left join types on types.id = data ->> 'type'
    ), states as (
      select ${utcDay('created_at')} as first_day,
        coalesce(lead(${utcDay('created_at')}) over so_far, 'infinity') as end_day,
        max(id) filter (where type = 'feature-created') over so_far as creation_id,
        max(id * 2 + present) over so_far & 1 as present,
        max(id * 2 + archived) over so_far & 1 as archived,
        max(id * 2 + stale) over so_far & 1 as stale,
        max(id * 2 + in_project) over so_far & 1 as in_project,
        max(id * ${sql.lit(MAX_TYPES)} + type_number) over so_far & ${sql.lit(MAX_TYPES - 1)} as type_number
      from log window so_far as (partition by feature_name order by id)
    ), spans as materialized (
      select greatest(first_day, ${from}::date) as first_day, end_day, creation_id, stale, type_number
      from states
      where present = 1 and archived = 0 and in_project = 1
        and first_day <= ${to}::date and greatest(first_day, ${from}::date) < end_day
    ), overdue as (
      select greatest(spans.first_day, lifetimes.first_day, ${utcDay('outlived.at')}) as first_day,
        least(spans.end_day, lifetimes.end_day) as end_day
      from spans
        join log on log.id = spans.creation_id
        join lifetimes on lifetimes.number = spans.type_number and lifetimes.days is not null
        cross join lateral (select log.feature_created_at + lifetimes.days * interval '1 day' as at) as outlived
      where spans.stale = 0
    ), steps as (
      select first_day as day, 1 as features, stale, 0 as potentially_stale from spans
      union all
      select end_day, -1, -stale, 0 from spans
      union all
      select first_day, 0, 0, 1 from overdue where first_day < end_day
      union all
      select end_day, 0, 0, -1 from overdue where first_day < end_day
    ), sums as (
      select day, sum(features) as features, sum(stale) as stale, sum(potentially_stale) as potentially_stale
      from steps group by day
    ), computed as materialized (
      select day, coalesce(sum(features) over up_to, 0)::integer as features,
        coalesce(sum(stale) over up_to, 0)::integer as stale,
        coalesce(sum(potentially_stale) over up_to, 0)::integer as potentially_stale
      from requested left join sums using (day) window up_to as (order by day)
    ), newly_stored as (
      insert into project_health_days (project, day, features, stale, potentially_stale)
      select ${project}, computed.* from computed join missing using (day)
      where (day + 1)::timestamp at time zone 'UTC' <= least(${now}::timestamptz, now()) - interval '1 hour'
      order by day
      on conflict do nothing
    )
    select day::text as date, features, stale, potentially_stale as "potentiallyStale" from stored
    union all
    select day::text, features, stale, potentially_stale from computed join missing using (day)
    union all
    select ${today}::text, counts.* from ${selectCounts(project, now)} as counts where ${today} <= ${to}::date
    order by date`.execute(tx);
  return rows;
}
