import { type SqlBool, sql } from 'kysely';
import type { Db, OuterJoined, Reader, Tx } from '../../platform/db/database.ts';
import { EVENT_COLUMNS, type EventRow } from '../../record/events/store.ts';
import { insertDeliveryJobs, matchesFilters, WAKE_CHANNEL } from '../../record/outbox.ts';
import { BLOCKED_BY, IS_FIRST } from '../order.ts';
import type { Claim, Result } from './attempt.ts';
import { describeState, type Waiting } from './describe-state.ts';

const OPEN = sql<SqlBool>`state in ('pending', 'retrying')`;

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
    ({ deliveryId, integrationId, attempt, failures, waitedMs, webhookId, isTest, ip: _, ...event }) => ({
      id: deliveryId,
      integrationId,
      attempt,
      failures,
      waitedMs,
      webhookId,
      isTest,
      event,
    }),
  );
}

/** Writes the outcomes of attempts and the jobs of the next attempts. Skips attempts that were superseded. */
export async function finishAttempts(tx: Tx, results: Result[]): Promise<void> {
  await sql`
    with done as (
      select * from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as (
        delivery bigint, attempt integer, outcome text, "durationMs" integer, status integer, address text, error text,
        response text, "bodySha256" text, state text, "stateDetails" text, details jsonb, "delayMs" double precision, headers jsonb,
        blocks boolean)
    ),
    ended as (
      update integration_deliveries d
      set state = done.state, state_details = done."stateDetails", details = done.details,
        failures = d.failures + case when done.outcome in ('success', 'partial') then 0 else 1 end,
        holds = done.state = 'failed' and done.blocks,
        due_at = now() + done."delayMs" * interval '1 ms'
      from done where d.id = done.delivery and d.attempts = done.attempt and d.state in ('pending', 'retrying')
      returning d.id, d.integration_id, d.attempts, d.state, d.due_at
    ),
    noted as (
      update integration_attempts a
      set outcome = done.outcome, duration_ms = done."durationMs", status = done.status, address = done.address,
        error = done.error, answer = done.response, body_sha256 = done."bodySha256",
        headers = done.headers
      from done where a.delivery_id = done.delivery and a.number = done.attempt and a.outcome is null
    ),
    queued as (${insertDeliveryJobs(sql`
      select ended.id, ended.integration_id, integrations.ordered, ended.attempts + 1 as attempt,
        ended.due_at as start_after
      from ended join integrations on integrations.id = ended.integration_id where ended.state = 'retrying'`)}
    )
    select from ended`.execute(tx);
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
  nextAttemptAt: string | null;
  blocks: boolean;
  replayOf: string | null;
  event: EventRow;
};

type Flat = Omit<RecordRow, 'event' | 'id' | 'createdAt'> &
  Waiting & { recordId: string; recordCreatedAt: string } & EventRow;

/** The columns of `record` and its integration `receiver`. An overdue attempt is due now. */
const FLAT = sql`
  record.id::text as "recordId", record.integration_id as "integrationId", receiver.provider,
  record.created_at as "recordCreatedAt", record.state, record.state_details as "stateDetails", record.details,
  record.attempts, open_record."isRunning", open_record."blockedBy",
  case when record.state in ('pending', 'retrying') and not "isRunning" and "blockedBy" is null
    then greatest(record.due_at, now()) end as "nextAttemptAt",
  record.holds as blocks, record.replay_of::text as "replayOf", ${EVENT_COLUMNS}`;
const JOINED = sql`
  join events on events.id = record.event_id
  join integrations as receiver on receiver.id = record.integration_id
  cross join lateral (
    select record.state in ('pending', 'retrying') and exists (
      select from integration_attempts a
      where a.delivery_id = record.id and a.number = record.attempts and a.outcome is null
    ) as "isRunning", ${BLOCKED_BY} as "blockedBy"
  ) as open_record`;

function recordOf(row: Flat): RecordRow {
  const {
    recordId,
    recordCreatedAt,
    integrationId,
    provider,
    state,
    stateDetails,
    details,
    attempts,
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
    nextAttemptAt,
    blocks,
    replayOf,
    event,
  };
}

export type RecordSearch = {
  limit: number;
  offset: number;
  state?: string;
  from?: string;
  to?: string;
};

/** A page of records, newest first, or undefined if the integration does not exist. */
export async function listRecords(
  db: Reader,
  integration: number,
  search: RecordSearch,
): Promise<RecordRow[] | undefined> {
  const conditions = [
    sql<SqlBool>`integration_id = ${integration}`,
    ...(search.state === undefined ? [] : [sql<SqlBool>`state = ${search.state}`]),
    ...(search.from === undefined ? [] : [sql<SqlBool>`created_at >= ${search.from}`]),
    ...(search.to === undefined ? [] : [sql<SqlBool>`created_at < ${search.to}`]),
  ];
  const { rows } = await sql<OuterJoined<Flat>>`
    select page.*
    from integrations left join (
      select ${FLAT}
      from (
        select * from integration_deliveries where ${sql.join(conditions, sql` and `)}
        order by id desc limit ${search.limit} offset ${search.offset}
      ) as record ${JOINED}
    ) as page on true
    where integrations.id = ${integration}
    order by page."recordId"::bigint desc`.execute(db);
  if (rows.length === 0) return undefined;
  return rows.filter(row => row.recordId !== null).map(recordOf);
}

export async function findRecord(
  db: Reader,
  integration: number,
  id: number,
): Promise<RecordRow | undefined> {
  const { rows } = await sql<Flat>`
    select ${FLAT} from integration_deliveries as record ${JOINED}
    where record.id = ${id} and record.integration_id = ${integration}`.execute(db);
  return rows[0] && recordOf(rows[0]);
}

export async function listAttempts(db: Reader, delivery: number): Promise<Attempt[]> {
  const { rows } = await sql<Attempt>`
    select number, started_at as "startedAt", outcome, duration_ms as "durationMs", status, address, error, answer as response, headers,
      body_sha256 as "bodySha256"
    from integration_attempts where delivery_id = ${delivery} order by number`.execute(db);
  return rows;
}

/** Resets ended deliveries to the start of the schedule. Returns their number. */
export async function reopenDeliveries(
  tx: Tx,
  integration: number,
  which: { id: number } | { failedSince: string; limit: number },
): Promise<number> {
  const chosen =
    'id' in which
      ? sql`id = ${which.id} and state not in ('pending', 'retrying')`
      : sql`id in (select id from integration_deliveries where integration_id = ${integration} and state = 'failed'
          and created_at >= ${which.failedSince} order by id limit ${which.limit})`;
  const { rows } = await sql<{ count: number }>`
    with reopened as (
      update integration_deliveries d
      set state = 'pending', state_details = '', failures = 0, due_at = now(), holds = false
      where integration_id = ${integration} and ${chosen}
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

/**
 * Inserts deliveries of earlier events that match and have no open or successful delivery. `replay_of` is the failed delivery of the
 * event. The oldest events come first, so the limit excludes the newest.
 */
export async function backfillDeliveries(
  tx: Tx,
  integration: number,
  { since, until, limit }: { since: string; until: string; limit: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with missed as (
      select events.id,
        (select max(d.id) from integration_deliveries d
          where d.integration_id = integrations.id and d.event_id = events.id) as earlier
      from events join integrations on integrations.id = ${integration}
      where events.created_at >= ${since} and events.created_at < ${until} and ${matchesFilters('events')}
        and not exists (select from integration_deliveries d
          where d.integration_id = integrations.id and d.event_id = events.id and d.state <> 'failed')
      order by events.id limit ${limit}
    ),
    inserted as (
      insert into integration_deliveries (integration_id, event_id, replay_of)
      select ${integration}::integer, id, earlier from missed order by id
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
