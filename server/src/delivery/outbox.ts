import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { EventWriter } from '../record/change-writers.ts';

export const DELIVERY_QUEUE = 'deliver';

/** Servers listen on this channel for new deliveries, and look for them every 500 ms even without a notification. */
export const WAKE_CHANNEL = 'halyard_deliveries';

/**
 * Inserts jobs for deliveries in the format of pg-boss (delivery/sending/queue.test.ts compares the two). pg-boss cannot insert
 * them, because this must happen in the same statement that inserts the events. `source` has the columns id, integration_id,
 * ordered, attempt and start_after.
 */
export const insertDeliveryJobs = (source: RawBuilder<unknown>) => sql`
  insert into pgboss.job (name, data, group_id, group_tier, start_after, keep_until, retry_limit, retry_delay,
    retry_backoff, expire_seconds, deletion_seconds, policy, heartbeat_seconds)
  select queue.name, jsonb_build_object('delivery', source.id, 'attempt', source.attempt),
    source.integration_id::text, case when source.ordered then 'ordered' end, source.start_after,
    source.start_after + queue.retention_seconds * interval '1 s', queue.retry_limit, queue.retry_delay,
    queue.retry_backoff, queue.expire_seconds, queue.deletion_seconds, queue.policy, queue.heartbeat_seconds
  from (${source}) as source join pgboss.queue on queue.name = ${sql.lit(DELIVERY_QUEUE)}`;

/** Whether an enabled integration filters by text. */
export const FILTERED_BY_TEXT = sql<SqlBool>`exists (select from integrations where enabled and filter_texts is not null)`;

/**
 * Whether the filters of `integrations` match the event. A test event matches no filter, because only the integration that
 * it tests gets it.
 */
export const matchesFilters = (event: 'written' | 'events') => {
  const column = (name: string) => sql.ref(`${event}.${name}`);
  const text =
    event === 'written'
      ? sql`written.text`
      : sql`fold_case(event_text(events.data, events.pre_data, events.tags, events.comment))`;
  const matchesFilter = (name: string, filter: string) =>
    sql`(${sql.ref(`integrations.${filter}`)} is null or ${column(name)} = any(${sql.ref(`integrations.${filter}`)}))`;
  return sql<SqlBool>`(
    ('*' = any(integrations.events) or ${column('type')} = any(integrations.events))
    and ${column('type')} <> 'integration-tested'
    and (cardinality(integrations.projects) = 0 or ${column('project')} = any(integrations.projects)
      or ${column('project')} is null and integrations.events_without_project)
    and (cardinality(integrations.environments) = 0 or ${column('environment')} is null
      or ${column('environment')} = any(integrations.environments))
    and ${matchesFilter('feature_name', 'filter_features')} and ${matchesFilter('project', 'filter_projects')}
    and ${matchesFilter('type', 'filter_types')} and ${matchesFilter('created_by_user_id', 'filter_creators')}
    and ${matchesFilter('environment', 'filter_environments')}
    and (integrations.filter_texts is null
      or ${text} like any(array(select fold_case(pattern) from unnest(integrations.filter_texts) as pattern))))`;
};

/**
 * Inserts a delivery and its job for every integration whose filters match one of the written events. `written.tested` is the id
 * of the integration that a test event is for. If there are no integrations, this costs only a join with an empty table. `queued`
 * has a row for each job.
 */
export const INSERT_DELIVERIES: EventWriter = {
  expressions: sql`
  matched as (
    insert into integration_deliveries (integration_id, event_id, is_test, created_at)
    select integrations.id, written.id, written.tested is not null, written.created_at
    from written join integrations
      on written.tested = integrations.id::text or integrations.enabled and ${matchesFilters('written')}
    order by written.id, integrations.id
    returning id, integration_id
  ),
  queued as (${insertDeliveryJobs(sql`
    select matched.id, matched.integration_id, integrations.ordered, 1 as attempt, now() as start_after
    from matched join integrations on integrations.id = matched.integration_id`)}
    returning 1
  )`,
  notifies: { channel: WAKE_CHANNEL, when: sql<SqlBool>`exists (select from queued)` },
};
