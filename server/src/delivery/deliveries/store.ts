import { type SqlBool, sql } from 'kysely';
import type { Actor } from '../../platform/actor.ts';
import type { Db, OuterJoined, Reader, Tx } from '../../platform/db/database.ts';
import { EVENT_COLUMNS, type EventRow, findEvent } from '../../record/events/store.ts';
import { insertDeliveryJobs, matchesFilters, WAKE_CHANNEL } from '../../record/outbox.ts';
import { BLOCKED_BY, IS_FIRST } from '../order.ts';
import type { Claim, Result } from './attempt.ts';
import { describeState, type Waiting } from './describe-state.ts';
import type { RequestHeader } from './schema.ts';

const OPEN = sql<SqlBool>`state in ('pending', 'retrying')`;

/** An event as receivers get it: without the IP address, and with a comment only if the change had one. */
export const asDelivered = ({ ip: _, comment, ...event }: EventRow): Claim['event'] => ({
  ...event,
  ...(comment === null ? {} : { comment }),
});

export type JobToClaim = { delivery: number; attempt: number; retried: boolean };

/**
 * Starts an attempt for the delivery of each job, and records the attempt before a request is sent. A job that is retried because
 * its worker died has an unfinished attempt, which is recorded as interrupted before the next one starts. Deliveries that are
 * neither due nor unfinished are not returned. An ordered integration starts only its first delivery.
 */
export async function claimDeliveries(
  tx: Tx,
  jobs: JobToClaim[],
  watermark: number | undefined,
): Promise<Claim[]> {
  // The ids are also passed as an array. Statistics lag behind a table that fills within seconds, and a join with the jobs alone
  // was planned as a scan of all open deliveries.
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
      event: asDelivered(event),
    }),
  );
}

/** A delivery whose attempt was written, with its failures since it was last sent or redelivered. */
export type Finished = { delivery: number; failures: number };

/** Writes the outcomes of attempts and the jobs of the next attempts. Skips attempts that were superseded. */
export async function finishAttempts(tx: Tx, results: Result[]): Promise<Finished[]> {
  const { rows } = await sql<Finished>`
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

/** The attempts of an hour. Each attempt ended its delivery as delivered or failed, or was retried. */
export type HourCounts = {
  hour: string;
  delivered: number;
  /** Delivered by the first attempt. */
  deliveredFirst: number;
  failed: number;
  retried: number;
  /** Counts of durations (durations.ts). */
  durations: number[];
};

/** Adds counts to the current hour. The rows are locked in the order of the integrations. */
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
        from unnest(hours.durations, excluded.durations) with ordinality as pair (was, added, place) order by place)`.execute(
    tx,
  );
}

export async function listHours(db: Reader, integration: number, since: string): Promise<HourCounts[]> {
  const { rows } = await sql<HourCounts>`
    select hour, delivered, delivered_first as "deliveredFirst", failed, retried, durations
    from integration_hours where integration_id = ${integration} and hour >= ${since} order by hour`.execute(
    db,
  );
  return rows;
}

/** Deletes counts that no statistic shows: older than 31 days, or of deleted integrations. */
export async function deleteOldHours(db: Db): Promise<void> {
  await sql`
    delete from integration_hours
    where hour < now() - interval '31 days'
      or not exists (select from integrations where integrations.id = integration_id)`.execute(db);
}

export type Health = { id: number; failingSince: string; failedAttempts: number; warned: boolean };
type Recovered = Omit<Health, 'failingSince'> & { failingSince: null };

/** Records since when every attempt of an integration failed. Returns the failing integrations. */
export async function recordHealth(
  tx: Tx,
  counts: { integration: number; failed: number; succeeded: boolean }[],
): Promise<Health[]> {
  const { rows } = await sql<Health | Recovered>`
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

/** The integrations among `ids` whose attempts all fail. */
export async function listFailing(db: Reader, ids: number[]): Promise<Health[]> {
  const { rows } = await sql<Health>`
    select id, failing_since as "failingSince", failed_attempts as "failedAttempts", warned_at is not null as warned
    from integrations where id = any(${ids}::integer[]) and failing_since is not null`.execute(db);
  return rows;
}

/** Inserts jobs for the same attempts, to start after the delay. */
export async function postponeDeliveries(tx: Tx, deliveries: number[], delayMs: number): Promise<void> {
  await insertDeliveryJobs(sql`
    select d.id, d.integration_id, integrations.ordered, d.attempts + 1 as attempt,
      now() + ${delayMs} * interval '1 ms' as start_after
    from integration_deliveries d join integrations on integrations.id = d.integration_id
    where d.id = any(${deliveries}::bigint[]) and ${OPEN}`).execute(tx);
}

export async function integrationExists(db: Reader, id: number): Promise<boolean> {
  const { rows } = await sql`select from integrations where id = ${id}`.execute(db);
  return rows.length > 0;
}

export type Attempt = {
  number: number;
  startedAt: string;
  outcome: string | null;
  durationMs: number | null;
  status: number | null;
  address: string | null;
  error: string | null;
  response: string | null;
  headers: Record<string, string> | null;
  bodySha256: string | null;
  requestHeaders: RequestHeader[] | null;
};

export type RecordRow = {
  id: string;
  integrationId: number;
  provider: string;
  createdAt: string;
  state: string;
  stateDetails: string;
  details: object;
  attempts: number;
  lastStatus: number | null;
  nextAttemptAt: string | null;
  blocks: boolean;
  replayOf: string | null;
  event: EventRow;
};

export type FlatRecord = Omit<RecordRow, 'event' | 'id' | 'createdAt'> &
  Waiting & { recordId: string; recordCreatedAt: string } & EventRow;

/** The due time of the next attempt of `record`. An overdue attempt is due now. */
const NEXT_ATTEMPT_AT = sql`
  case when record.state in ('pending', 'retrying') and not "isRunning" and "blockedBy" is null
    then greatest(record.due_at, now()) end`;

/** The integration `receiver` of `record`, and what the record waits for. */
const WITH_RECEIVER = sql`
  join integrations as receiver on receiver.id = record.integration_id
  cross join lateral (
    select record.state in ('pending', 'retrying') and exists (
      select from integration_attempts a
      where a.delivery_id = record.id and a.number = record.attempts and a.outcome is null
    ) as "isRunning", ${BLOCKED_BY} as "blockedBy"
  ) as open_record`;

/** The last attempt of `record` that has ended. */
export const WITH_LAST_ATTEMPT = sql`
  left join lateral (
    select status, error from integration_attempts a
    where a.delivery_id = record.id and a.outcome is not null order by a.number desc limit 1
  ) as last_attempt on true`;

/** The columns of `record`, with the joins of `RECORD_JOINS`. */
export const RECORD_COLUMNS = sql`
  record.id::text as "recordId", record.integration_id as "integrationId", receiver.provider,
  record.created_at as "recordCreatedAt", record.state, record.state_details as "stateDetails", record.details,
  record.attempts, last_attempt.status as "lastStatus", open_record."isRunning", open_record."blockedBy",
  ${NEXT_ATTEMPT_AT} as "nextAttemptAt", record.holds as blocks, record.replay_of::text as "replayOf", ${EVENT_COLUMNS}`;
export const RECORD_JOINS = sql`
  join events on events.id = record.event_id ${WITH_RECEIVER} ${WITH_LAST_ATTEMPT}`;

export function recordOf(row: FlatRecord): RecordRow {
  const {
    recordId,
    recordCreatedAt,
    integrationId,
    provider,
    state,
    stateDetails,
    details,
    attempts,
    lastStatus,
    isRunning,
    blockedBy,
    nextAttemptAt,
    blocks,
    replayOf,
    ...event
  } = row;
  return {
    id: recordId,
    integrationId,
    provider,
    createdAt: recordCreatedAt,
    state,
    stateDetails: describeState({ state, stateDetails, attempts, nextAttemptAt, isRunning, blockedBy }),
    details,
    attempts,
    lastStatus,
    nextAttemptAt,
    blocks,
    replayOf,
    event,
  };
}

export async function findRecord(
  db: Reader,
  integration: number,
  id: number,
): Promise<RecordRow | undefined> {
  const { rows } = await sql<FlatRecord>`
    select ${RECORD_COLUMNS} from integration_deliveries as record ${RECORD_JOINS}
    where record.id = ${id} and record.integration_id = ${integration}`.execute(db);
  return rows[0] && recordOf(rows[0]);
}

export type EventDeliveryRow = {
  id: string;
  integrationId: number;
  createdAt: string;
  state: string;
  attempts: number;
  lastStatus: number | null;
  nextAttemptAt: string | null;
};

export const isEventVisible = async (db: Reader, actor: Actor, id: number): Promise<boolean> =>
  (await findEvent(db, actor, id)) !== undefined;

/** The deliveries of an event to all integrations, newest first. */
export async function listDeliveriesOf(
  db: Reader,
  event: number,
  limit: number,
): Promise<EventDeliveryRow[]> {
  const { rows } = await sql<EventDeliveryRow>`
    select record.id::text as id, record.integration_id as "integrationId", record.created_at as "createdAt", record.state,
      record.attempts, last_attempt.status as "lastStatus", ${NEXT_ATTEMPT_AT} as "nextAttemptAt"
    from integration_deliveries as record ${WITH_RECEIVER} ${WITH_LAST_ATTEMPT}
    where record.event_id = ${event}
    order by record.id desc limit ${limit}`.execute(db);
  return rows;
}

export async function listAttempts(db: Reader, delivery: number): Promise<Attempt[]> {
  const { rows } = await sql<Attempt>`
    select number, started_at as "startedAt", outcome, duration_ms as "durationMs", status, address, error, answer as response, headers,
      body_sha256 as "bodySha256", request_headers as "requestHeaders"
    from integration_attempts where delivery_id = ${delivery} order by number`.execute(db);
  return rows;
}

/** Ended deliveries to redeliver: one, or those that failed in a range of time. */
export type Redelivered = { id: number } | { since: string; until?: string | undefined; limit: number };

const chosenBy = (integration: number, which: Redelivered) =>
  'id' in which
    ? sql`
      select id, event_id from integration_deliveries
      where id = ${which.id} and integration_id = ${integration} and state not in ('pending', 'retrying')`
    : sql`
      select id, event_id from integration_deliveries
      where integration_id = ${integration} and state = 'failed' and created_at >= ${which.since}
        ${which.until === undefined ? sql`` : sql`and created_at < ${which.until}`}
      order by id limit ${which.limit}`;

/** A number of deliveries, and the lowest and the highest id of their events. */
export type ReplayRange = { deliveries: number; first: number | null; last: number | null };

/** The plan of `reopenDeliveries`. */
export async function planReopening(
  db: Reader,
  integration: number,
  which: Redelivered,
): Promise<ReplayRange> {
  const { rows } = await sql<ReplayRange>`
    select count(*) as deliveries, min(event_id) as first, max(event_id) as last
    from (${chosenBy(integration, which)}) as chosen`.execute(db);
  return rows[0] ?? { deliveries: 0, first: null, last: null };
}

export async function listEventsOf(db: Reader, ids: number[]): Promise<EventRow[]> {
  const { rows } =
    await sql<EventRow>`select ${EVENT_COLUMNS} from events where id = any(${ids}::bigint[])`.execute(db);
  return rows;
}

/** Resets ended deliveries to the start of the schedule. Returns their number. */
export async function reopenDeliveries(tx: Tx, integration: number, which: Redelivered): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with reopened as (
      update integration_deliveries d
      set state = 'pending', state_details = '', failures = 0, due_at = now(), holds = false
      where id in (select id from (${chosenBy(integration, which)}) as chosen)
      returning d.id, d.integration_id, d.attempts
    ),
    queued as (${insertDeliveryJobs(sql`
      select reopened.id, reopened.integration_id, integrations.ordered, reopened.attempts + 1 as attempt,
        now() as start_after
      from reopened join integrations on integrations.id = reopened.integration_id`)}
      returning 1
    ),
    woken as (select pg_notify(${sql.lit(WAKE_CHANNEL)}, '') from queued limit 1)
    select (select count(*) from reopened) as count, (select count(*) from woken) as woken`.execute(tx);
  return rows[0]?.count ?? 0;
}

export type Preview = { total: number; events: EventRow[] };

/** The events since a time that match the filters of the integration, newest first. */
export async function previewEvents(
  db: Reader,
  integration: number,
  since: string,
  limit: number,
): Promise<Preview> {
  const { rows } = await sql<OuterJoined<EventRow> & { total: number }>`
    with matching as materialized (
      select events.id from events join integrations on integrations.id = ${integration}
      where events.created_at >= ${since} and ${matchesFilters('events')}
    ),
    page as (select id from matching order by id desc limit ${limit})
    select counted.total, found.*
    from (select count(*) as total from matching) as counted
    left join (select ${EVENT_COLUMNS} from page join events using (id)) as found on true
    order by found.id desc`.execute(db);
  return {
    total: rows[0]?.total ?? 0,
    events: rows.filter(row => row.id !== null).map(({ total: _, ...event }) => event),
  };
}

type BackfillRange = { since: string; until: string; limit: number };

/** Earlier events that match and have no open or successful delivery. The oldest come first, so the limit excludes the newest. */
const missedBy = (integration: number, { since, until, limit }: BackfillRange) => sql`
  select events.id
  from events join integrations on integrations.id = ${integration}
  where events.created_at >= ${since} and events.created_at < ${until} and ${matchesFilters('events')}
    and not exists (select from integration_deliveries d
      where d.integration_id = integrations.id and d.event_id = events.id and d.state <> 'failed')
  order by events.id limit ${limit}`;

/** The plan of `backfillDeliveries`. */
export async function planBackfill(
  db: Reader,
  integration: number,
  range: BackfillRange,
): Promise<ReplayRange> {
  const { rows } = await sql<ReplayRange>`
    select count(*) as deliveries, min(id) as first, max(id) as last
    from (${missedBy(integration, range)}) as missed`.execute(db);
  return rows[0] ?? { deliveries: 0, first: null, last: null };
}

/** Inserts the missed deliveries. `replay_of` is the failed delivery of the event. */
export async function backfillDeliveries(tx: Tx, integration: number, range: BackfillRange): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with missed as (${missedBy(integration, range)}),
    inserted as (
      insert into integration_deliveries (integration_id, event_id, replay_of)
      select ${integration}::integer, missed.id, (
        select max(d.id) from integration_deliveries d where d.integration_id = ${integration} and d.event_id = missed.id)
      from missed order by missed.id
      returning id, integration_id
    ),
    queued as (${insertDeliveryJobs(sql`
      select inserted.id, inserted.integration_id, integrations.ordered, 1 as attempt, now() as start_after
      from inserted join integrations on integrations.id = inserted.integration_id`)}
      returning 1
    ),
    woken as (select pg_notify(${sql.lit(WAKE_CHANNEL)}, '') from queued limit 1)
    select (select count(*) from inserted) as count, (select count(*) from woken) as woken`.execute(tx);
  return rows[0]?.count ?? 0;
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
          and d.created_at < now() - interval '30 days' and not (${OPEN})
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

/** Inserts jobs for open deliveries that were due 5 minutes ago and have none. Blocked deliveries have no job on purpose. */
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

export type QueueState = { state: string; count: number; oldestSeconds: number };

/** The number of open deliveries by state, and how long the oldest one has been due. */
export async function countOpen(db: Reader): Promise<QueueState[]> {
  const { rows } = await sql<QueueState>`
    select state, count(*) as count,
      greatest(0, extract(epoch from now() - min(due_at)))::double precision as "oldestSeconds"
    from integration_deliveries where ${OPEN} group by state`.execute(db);
  return rows;
}
