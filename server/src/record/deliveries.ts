import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { WAKE_CHANNEL } from './wake.ts';

export const DELIVERY_QUEUE = 'deliver';

/**
 * Jobs for deliveries, written like pg-boss writes its own (delivery/deliveries/jobs.test.ts compares the two), because that way
 * they are part of the statement that writes the events. `source` gives id, integration_id, ordered, attempt, start_after.
 */
export const insertJobs = (source: RawBuilder<unknown>) => sql`
  insert into pgboss.job (name, data, group_id, group_tier, start_after, keep_until, retry_limit, retry_delay,
    retry_backoff, expire_seconds, deletion_seconds, policy, heartbeat_seconds)
  select queue.name, jsonb_build_object('delivery', source.id, 'attempt', source.attempt),
    source.integration_id::text, case when source.ordered then 'ordered' end, source.start_after,
    source.start_after + queue.retention_seconds * interval '1 s', queue.retry_limit, queue.retry_delay,
    queue.retry_backoff, queue.expire_seconds, queue.deletion_seconds, queue.policy, queue.heartbeat_seconds
  from (${source}) as source join pgboss.queue on queue.name = ${sql.lit(DELIVERY_QUEUE)}`;

/** Whether an integration wants an event. A test goes to the one integration it was made for. */
export const wants = (event: 'written' | 'events') => {
  const column = (name: string) => sql.ref(`${event}.${name}`);
  return sql<SqlBool>`(
    ('*' = any(integrations.events) or ${column('type')} = any(integrations.events))
    and ${column('type')} <> 'integration-tested'
    and (cardinality(integrations.projects) = 0 or ${column('project')} = any(integrations.projects)
      or ${column('project')} is null and integrations.events_without_project)
    and (cardinality(integrations.environments) = 0 or ${column('environment')} is null
      or ${column('environment')} = any(integrations.environments)))`;
};

/**
 * What the statement that writes events does besides: a delivery and its job for every integration that wants one of
 * them. Reads `written`, the events, of which `tested` names the integration that a test is for; without integrations it
 * is a join with an empty table.
 */
export const DELIVERIES_OF_WRITTEN = sql`
  wanted as (
    insert into integration_deliveries (integration_id, event_id, is_test, created_at)
    select integrations.id, written.id, written.tested is not null, written.created_at
    from written join integrations
      on written.tested = integrations.id::text or integrations.enabled and ${wants('written')}
    order by written.id, integrations.id
    returning id, integration_id
  ),
  queued as (${insertJobs(sql`
    select wanted.id, wanted.integration_id, integrations.ordered, 1 as attempt, now() as start_after
    from wanted join integrations on integrations.id = wanted.integration_id`)}
    returning 1
  ),
  woken as (select pg_notify(${sql.lit(WAKE_CHANNEL)}, '') from queued limit 1)`;
