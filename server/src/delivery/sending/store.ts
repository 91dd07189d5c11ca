import { type SqlBool, sql } from 'kysely';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import { EVENT_COLUMNS, type EventRow } from '../../record/events/store.ts';
import { IS_FIRST } from '../order.ts';
import { insertDeliveryJobs } from '../outbox.ts';
import type { Claim, Result } from './attempt.ts';

const IS_OPEN = sql<SqlBool>`state in ('pending', 'retrying')`;

/** Converts an event to the form that receivers get, without the IP address and without fields that the event does not have. */
export const toDeliveredEvent = ({
  ip: _,
  comment,
  createdByToken,
  createdByClient,
  ...event
}: EventRow): Claim['event'] => ({
  ...event,
  ...(createdByToken === null ? {} : { createdByToken }),
  ...(createdByClient === null ? {} : { createdByClient }),
  ...(comment === null ? {} : { comment }),
});

export type JobToClaim = { delivery: number; attempt: number; retried: boolean };

/**
 * Starts an attempt for the delivery of each job, and records the attempt before a request is sent. If a job is retried because its
 * worker died, its unfinished attempt is recorded as interrupted before the next one starts. Skips a job whose attempt is neither
 * the delivery's next one nor unfinished. For an ordered integration, starts only the first delivery.
 */
export async function claimDeliveries(
  tx: Tx,
  jobs: JobToClaim[],
  watermark: number | undefined,
): Promise<Claim[]> {
  // The ids are also passed as an array, because with a join alone the planner scanned all open deliveries: statistics lag behind a
  // table that fills within seconds.
  const ids = jobs.map(job => job.delivery);
  const { rows } = await sql<Omit<Claim, 'event'> & EventRow & { deliveryId: number }>`
    with job as (
      select * from jsonb_to_recordset(${JSON.stringify(jobs)}::jsonb)
        as (delivery bigint, attempt integer, retried boolean)
    ),
    due as (
      select d.id, integrations.enabled or d.is_test as wanted
      from job join integration_deliveries d on d.id = job.delivery
      join integrations on integrations.id = d.integration_id
      where d.id = any(${ids}::bigint[]) and d.state in ('pending', 'retrying')
        and (d.attempts = job.attempt - 1 or job.retried and exists (
          select from integration_attempts a
          where a.delivery_id = d.id and a.number = d.attempts and a.outcome is null))
        and (not integrations.ordered or d.event_id <= ${watermark ?? 0}::bigint and ${IS_FIRST})
      for update of d
    ),
    interrupted as (
      update integration_attempts set outcome = 'interrupted', error = 'The server stopped before it recorded the response.'
      where delivery_id in (select id from due) and outcome is null
    ),
    stopped as (
      update integration_deliveries d
      set state = 'failed', state_details = 'The integration was disabled before this delivery.'
      from due where d.id = due.id and not due.wanted
    ),
    claimed as (
      update integration_deliveries d set attempts = d.attempts + 1 from due where d.id = due.id and due.wanted
      returning d.*
    ),
    started as (
      insert into integration_attempts (delivery_id, number) select id, attempts from claimed
    )
    select claimed.id as "deliveryId", claimed.integration_id as "integrationId", claimed.attempts as attempt,
      claimed.failures, (greatest(0, extract(epoch from now() - claimed.due_at)) * 1000)::double precision as "waitedMs",
      claimed.webhook_id as "webhookId", claimed.is_test as "isTest", ${EVENT_COLUMNS}
    from claimed join events on events.id = claimed.event_id`.execute(tx);
  return rows.map(
    ({ deliveryId, integrationId, attempt, failures, waitedMs, webhookId, isTest, ...event }) => ({
      id: deliveryId,
      integrationId,
      attempt,
      failures,
      waitedMs,
      webhookId,
      isTest,
      event: toDeliveredEvent(event),
    }),
  );
}

/** A delivery whose attempt was written, with its failures since it was created or redelivered. */
export type FinishedAttempt = { delivery: number; failures: number };

/** Writes the outcomes of attempts and the jobs of the next attempts. Skips attempts that were superseded. */
export async function finishAttempts(tx: Tx, results: Result[]): Promise<FinishedAttempt[]> {
  const { rows } = await sql<FinishedAttempt>`
    with done as (
      select * from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as (
        delivery bigint, attempt integer, outcome text, "durationMs" integer, status integer, address text, error text,
        response text, "bodySha256" text, state text, "stateDetails" text, details jsonb, "delayMs" double precision, headers jsonb,
        "requestHeaders" jsonb, blocks boolean)
    ),
    ended as (
      update integration_deliveries d
      set state = done.state, state_details = done."stateDetails", details = done.details,
        failures = d.failures + case when done.outcome in ('success', 'partial') then 0 else 1 end,
        holds = done.state = 'failed' and done.blocks,
        due_at = now() + done."delayMs" * interval '1 ms'
      from done where d.id = done.delivery and d.attempts = done.attempt and d.state in ('pending', 'retrying')
      returning d.id, d.integration_id, d.attempts, d.state, d.due_at, d.failures
    ),
    noted as (
      update integration_attempts a
      set outcome = done.outcome, duration_ms = done."durationMs", status = done.status, address = done.address,
        error = done.error, answer = done.response, body_sha256 = done."bodySha256",
        headers = done.headers, request_headers = done."requestHeaders"
      from done where a.delivery_id = done.delivery and a.number = done.attempt and a.outcome is null
    ),
    queued as (${insertDeliveryJobs(sql`
      select ended.id, ended.integration_id, integrations.ordered, ended.attempts + 1 as attempt,
        ended.due_at as start_after
      from ended join integrations on integrations.id = ended.integration_id where ended.state = 'retrying'`)}
    )
    select id as delivery, failures from ended`.execute(tx);
  return rows;
}

/** The attempts in an hour. Each either ended its delivery, as delivered or failed, or was retried. */
export type HourCounts = {
  hour: string;
  delivered: number;
  /** Delivered on the first attempt. */
  deliveredFirst: number;
  failed: number;
  retried: number;
  /** Counts of durations (durations.ts). */
  durations: number[];
};

/** Adds counts to the current hour. Locks rows in the order of the integrations, so that servers do not deadlock. */
export async function addToHours(
  tx: Tx,
  counts: (Omit<HourCounts, 'hour'> & { integration: number })[],
): Promise<void> {
  await sql`
    insert into integration_hours as hours
      (integration_id, hour, delivered, delivered_first, failed, retried, durations)
    select integration, date_trunc('hour', now(), 'UTC'), delivered, "deliveredFirst", failed, retried, durations
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as (
      integration integer, delivered integer, "deliveredFirst" integer, failed integer, retried integer, durations integer[])
    order by integration
    on conflict (integration_id, hour) do update
    set delivered = hours.delivered + excluded.delivered, delivered_first = hours.delivered_first + excluded.delivered_first,
      failed = hours.failed + excluded.failed, retried = hours.retried + excluded.retried,
      durations = array(
        select coalesce(was, 0) + coalesce(added, 0)
        from unnest(hours.durations, excluded.durations) with ordinality as pair (was, added, place)
        order by place)`.execute(tx);
}

/** Deletes counts that no statistic shows: older than 31 days, or from deleted integrations. */
export async function deleteOldHours(db: Db): Promise<void> {
  await sql`
    delete from integration_hours
    where hour < now() - interval '31 days'
      or not exists (select from integrations where integrations.id = integration_id)`.execute(db);
}

export type Health = { id: number; failingSince: string; failedAttempts: number; warned: boolean };
type RecoveredHealth = Omit<Health, 'failingSince'> & { failingSince: null };

/** Records the time since which every attempt of an integration has failed. Returns the failing integrations. */
export async function recordHealth(
  tx: Tx,
  counts: { integration: number; failed: number; succeeded: boolean }[],
): Promise<Health[]> {
  const { rows } = await sql<Health | RecoveredHealth>`
    with counted as (
      select * from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb)
        as (integration integer, failed integer, succeeded boolean)
    ),
    locked as (
      select integrations.id from integrations join counted on counted.integration = integrations.id
      where not succeeded or failing_since is not null
      order by integrations.id for update of integrations
    )
    update integrations
    set failing_since = case when succeeded then null else coalesce(failing_since, now()) end,
      warned_at = case when succeeded then null else warned_at end,
      failed_attempts = case when succeeded then 0 else failed_attempts + failed end
    from counted join locked on locked.id = counted.integration where integrations.id = counted.integration
    returning integrations.id, failing_since as "failingSince", failed_attempts as "failedAttempts",
      warned_at is not null as warned`.execute(tx);
  return rows.filter(row => row.failingSince !== null);
}

/** Lists the integrations among `ids` whose attempts all fail. */
export async function listFailing(db: Reader, ids: number[]): Promise<Health[]> {
  const { rows } = await sql<Health>`
    select id, failing_since as "failingSince", failed_attempts as "failedAttempts", warned_at is not null as warned
    from integrations where id = any(${ids}::integer[]) and failing_since is not null`.execute(db);
  return rows;
}

/** Inserts jobs that start the same attempts after the delay. */
export async function postponeDeliveries(tx: Tx, deliveries: number[], delayMs: number): Promise<void> {
  await insertDeliveryJobs(sql`
    select d.id, d.integration_id, integrations.ordered, d.attempts + 1 as attempt,
      now() + ${delayMs} * interval '1 ms' as start_after
    from integration_deliveries d join integrations on integrations.id = d.integration_id
    where d.id = any(${deliveries}::bigint[]) and ${IS_OPEN}`).execute(tx);
}

/** Deletes up to `limit` records older than 30 days, except the newest 1,000 of each integration. Returns their number. */
export async function deleteOldRecords(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with old as (
      select old.id from integrations
      cross join lateral (
        select id from integration_deliveries where integration_id = integrations.id order by id desc offset 999 limit 1
      ) as oldest_kept
      cross join lateral (
        select id from integration_deliveries d
        where d.integration_id = integrations.id and d.id < oldest_kept.id
          and d.created_at < now() - interval '30 days' and not (${IS_OPEN})
        order by d.id limit ${limit}
      ) as old
      limit ${limit}
    ),
    gone as (delete from integration_deliveries where id in (select id from old) returning 1)
    select count(*) from gone`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Deletes records of deleted integrations. */
export async function deleteOrphans(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from integration_deliveries where id in (
        select id from integration_deliveries d
        where not exists (select from integrations where integrations.id = d.integration_id) limit ${limit})
      returning 1
    )
    select count(*) from gone`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Inserts jobs for open deliveries without one that have been due for 5 minutes, except blocked ones, which need no job. */
export async function requeueStranded(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with stranded as (
      select d.id, d.integration_id, integrations.ordered, d.attempts + 1 as attempt, now() as start_after
      from integration_deliveries d join integrations on integrations.id = d.integration_id
      where d.state in ('pending', 'retrying') and d.due_at < now() - interval '5 minutes'
        and not exists (
          select from pgboss.job where job.name = 'deliver' and job.state < 'completed'
            and (job.data ->> 'delivery')::bigint = d.id)
        and (not integrations.ordered or ${IS_FIRST})
      limit 1000
    ),
    queued as (${insertDeliveryJobs(sql`select * from stranded`)} returning 1)
    select count(*) from queued`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Counts open deliveries by state. */
export async function countOpen(db: Reader): Promise<{ state: string; count: number }[]> {
  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*) as count from integration_deliveries where ${IS_OPEN} group by state`.execute(db);
  return rows;
}

/** Lists the integrations whose oldest delivery has been overdue the longest, and for how long. */
export async function listWaiting(
  db: Reader,
  limit: number,
): Promise<{ integration: number; seconds: number }[]> {
  const { rows } = await sql<{ integration: number; seconds: number }>`
    select integration_id as integration, extract(epoch from now() - min(due_at))::double precision as seconds
    from integration_deliveries where ${IS_OPEN} and due_at < now()
    group by integration_id order by seconds desc limit ${limit}`.execute(db);
  return rows;
}
