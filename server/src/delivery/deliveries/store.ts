import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Actor } from '../../platform/actor.ts';
import type { OuterJoined, Reader, Tx } from '../../platform/db/database.ts';
import { EVENT_COLUMNS, type EventRow, findEvent } from '../../record/events/store.ts';
import { BLOCKED_BY } from '../order.ts';
import { insertDeliveryJobs, matchesFilters } from '../outbox.ts';
import type { Exchange } from '../sending/schema.ts';
import type { HourCounts } from '../sending/store.ts';
import { type DeliveryProgress, describeState } from './describe-state.ts';

export async function listHours(db: Reader, integration: number, since: string): Promise<HourCounts[]> {
  const { rows } = await sql<HourCounts>`
    select hour, delivered, delivered_first as "deliveredFirst", failed, retried, durations
    from integration_hours where integration_id = ${integration} and hour >= ${since}
    order by hour`.execute(db);
  return rows;
}

export type OpenCounts = { pending: number; retrying: number };

/** Counts an integration's open deliveries. */
export async function countOpenDeliveries(db: Reader, integration: number): Promise<OpenCounts> {
  const { rows } = await sql<OpenCounts>`
    select count(*) filter (where state = 'pending') as pending, count(*) filter (where state = 'retrying') as retrying
    from integration_deliveries
    where integration_id = ${integration} and state in ('pending', 'retrying')`.execute(db);
  return rows[0] ?? { pending: 0, retrying: 0 };
}

export async function integrationExists(db: Reader, id: number): Promise<boolean> {
  const { rows } = await sql`select from integrations where id = ${id}`.execute(db);
  return rows.length > 0;
}

export type Attempt = Exchange & {
  number: number;
  startedAt: string;
  outcome: string | null;
  durationMs: number | null;
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
  lastOutcome: string | null;
  nextAttemptAt: string | null;
  blocks: boolean;
  replayOf: string | null;
  event: EventRow;
};

export type FlatRecord = Omit<RecordRow, 'event' | 'id' | 'createdAt'> &
  DeliveryProgress & { recordId: string; recordCreatedAt: string } & EventRow;

/** The due time of the next attempt of `record`. An overdue attempt is due now. */
const NEXT_ATTEMPT_AT = sql`
  case when record.state in ('pending', 'retrying') and not "isRunning" and "blockedBy" is null
    then greatest(record.due_at, now()) end`;

/** Joins the integration of `record` as `receiver`, and what the record is waiting for. */
const JOIN_INTEGRATION = sql`
  join integrations as receiver on receiver.id = record.integration_id
  cross join lateral (
    select record.state in ('pending', 'retrying') and exists (
      select from integration_attempts a
      where a.delivery_id = record.id and a.number = record.attempts and a.outcome is null
    ) as "isRunning", ${BLOCKED_BY} as "blockedBy"
  ) as open_record`;

/** Joins the last attempt of `record` that has ended. */
export const WITH_LAST_ATTEMPT = sql`
  left join lateral (
    select status, error, outcome from integration_attempts a
    where a.delivery_id = record.id and a.outcome is not null order by a.number desc limit 1
  ) as last_attempt on true`;

/** The columns of `record`. They require `RECORD_JOINS`. */
export const RECORD_COLUMNS = sql`
  record.id::text as "recordId", record.integration_id as "integrationId", receiver.provider,
  record.created_at as "recordCreatedAt", record.state, record.state_details as "stateDetails", record.details,
  record.attempts, last_attempt.status as "lastStatus", last_attempt.outcome as "lastOutcome", open_record."isRunning", open_record."blockedBy",
  ${NEXT_ATTEMPT_AT} as "nextAttemptAt", record.holds as blocks, record.replay_of::text as "replayOf", ${EVENT_COLUMNS}`;
export const RECORD_JOINS = sql`
  join events on events.id = record.event_id ${JOIN_INTEGRATION} ${WITH_LAST_ATTEMPT}`;

export function toRecordRow(row: FlatRecord): RecordRow {
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
    lastOutcome,
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
    lastOutcome,
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
  return rows[0] && toRecordRow(rows[0]);
}

export type EventDeliveryRow = Pick<
  RecordRow,
  'id' | 'integrationId' | 'createdAt' | 'state' | 'attempts' | 'lastStatus' | 'nextAttemptAt'
>;

export const isEventVisible = async (db: Reader, actor: Actor, id: number): Promise<boolean> =>
  (await findEvent(db, actor, id)) !== undefined;

/** Lists the deliveries of an event to all integrations, newest first. */
export async function listEventDeliveries(
  db: Reader,
  event: number,
  limit: number,
): Promise<EventDeliveryRow[]> {
  const { rows } = await sql<EventDeliveryRow>`
    select record.id::text as id, record.integration_id as "integrationId", record.created_at as "createdAt", record.state,
      record.attempts, last_attempt.status as "lastStatus", ${NEXT_ATTEMPT_AT} as "nextAttemptAt"
    from integration_deliveries as record ${JOIN_INTEGRATION} ${WITH_LAST_ATTEMPT}
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

/** Deliveries to redeliver: one, or those that failed in a time range. */
export type RedeliveryScope = { id: number } | { since: string; until?: string | undefined; limit: number };

/**
 * Whether the delivery `d` has ended, or is waiting for an attempt that is not due yet. An attempt that is due may already be
 * running. Uses clock_timestamp() rather than now(), because a transaction can wait for a lock until after the due time.
 */
const IS_REDELIVERABLE = sql<SqlBool>`(
  d.state not in ('pending', 'retrying') or d.state = 'retrying' and d.due_at > clock_timestamp())`;

const selectDeliveries = (integration: number, scope: RedeliveryScope) =>
  'id' in scope
    ? sql`
      select id, event_id from integration_deliveries d
      where id = ${scope.id} and integration_id = ${integration} and ${IS_REDELIVERABLE}`
    : sql`
      select id, event_id from integration_deliveries
      where integration_id = ${integration} and state = 'failed' and created_at >= ${scope.since}
        ${scope.until === undefined ? sql`` : sql`and created_at < ${scope.until}`}
      order by id limit ${scope.limit}`;

/** A number of deliveries, and the lowest and the highest id of their events. */
export type ReplayRange = { deliveries: number; first: number | null; last: number | null };

/** The dry run of `reopenDeliveries`. */
export const planReopening = (
  db: Reader,
  integration: number,
  scope: RedeliveryScope,
): Promise<ReplayRange> =>
  readReplayRange(db, sql`select event_id from (${selectDeliveries(integration, scope)}) as chosen`);

async function readReplayRange(db: Reader, eventIds: RawBuilder<unknown>): Promise<ReplayRange> {
  const { rows } = await sql<ReplayRange>`
    select count(*) as deliveries, min(event_id) as first, max(event_id) as last
    from (${eventIds}) as chosen (event_id)`.execute(db);
  return rows[0] ?? { deliveries: 0, first: null, last: null };
}

export async function listEventsById(db: Reader, ids: number[]): Promise<EventRow[]> {
  const { rows } =
    await sql<EventRow>`select ${EVENT_COLUMNS} from events where id = any(${ids}::bigint[])`.execute(db);
  return rows;
}

/**
 * Restarts the schedule of finished deliveries. A retrying delivery keeps its position in the schedule, but its next attempt becomes
 * due now, so the job for the original time will find nothing to do. Returns the number of deliveries.
 */
export async function reopenDeliveries(tx: Tx, integration: number, scope: RedeliveryScope): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with reopened as (
      update integration_deliveries d
      set state = case when state = 'retrying' then state else 'pending' end,
        state_details = case when state = 'retrying' then state_details else '' end,
        failures = case when state = 'retrying' then failures else 0 end, due_at = now(), holds = false
      where id in (select id from (${selectDeliveries(integration, scope)}) as chosen) and ${IS_REDELIVERABLE}
      returning d.id, d.integration_id, d.attempts
    ),
    queued as (${insertDeliveryJobs(sql`
      select reopened.id, reopened.integration_id, integrations.ordered, reopened.attempts + 1 as attempt,
        now() as start_after
      from reopened join integrations on integrations.id = reopened.integration_id`)}
      returning 1
    )
    select count(*) as count from reopened`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Whether this installation recorded the event. Imported events have negative ids and are never delivered. */
const IS_RECORDED_HERE = sql`events.id > 0`;

export type Preview = { total: number; events: EventRow[] };

/** Lists the events since a time that match the filters of the integration, newest first. */
export async function previewEvents(
  db: Reader,
  integration: number,
  since: string,
  limit: number,
): Promise<Preview> {
  const { rows } = await sql<OuterJoined<EventRow> & { total: number }>`
    with matching as materialized (
      select events.id from events join integrations on integrations.id = ${integration}
      where ${IS_RECORDED_HERE} and events.created_at >= ${since} and ${matchesFilters('events')}
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

/** Selects matching events in the range without an open or successful delivery, oldest first, so the limit drops the newest. */
const selectMissedEvents = (integration: number, { since, until, limit }: BackfillRange) => sql`
  select events.id
  from events join integrations on integrations.id = ${integration}
  where ${IS_RECORDED_HERE} and events.created_at >= ${since} and events.created_at < ${until} and ${matchesFilters('events')}
    and not exists (select from integration_deliveries d
      where d.integration_id = integrations.id and d.event_id = events.id and d.state <> 'failed')
  order by events.id limit ${limit}`;

/** The dry run of `backfillDeliveries`. */
export const planBackfill = (db: Reader, integration: number, range: BackfillRange): Promise<ReplayRange> =>
  readReplayRange(db, selectMissedEvents(integration, range));

/** Inserts the missed deliveries. `replay_of` is the event's failed delivery, if there is one. */
export async function backfillDeliveries(tx: Tx, integration: number, range: BackfillRange): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with missed as (${selectMissedEvents(integration, range)}),
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
    )
    select count(*) as count from inserted`.execute(tx);
  return rows[0]?.count ?? 0;
}
