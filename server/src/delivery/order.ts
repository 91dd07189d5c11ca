import { type SqlBool, sql } from 'kysely';
import type { Reader, Tx } from '../platform/db/database.ts';
import type { Change } from '../record/change.ts';
import { insertDeliveryJobs, WAKE_CHANNEL } from './outbox.ts';

/** Whether later deliveries of an ordered integration wait for this one, because it is open or blocks them after it was exhausted. */
const BLOCKS_LATER = sql<SqlBool>`(state in ('pending', 'retrying') or holds)`;

/** Whether no earlier delivery blocks delivery `d`. */
export const IS_FIRST = sql<SqlBool>`not exists (
  select from integration_deliveries
  where integration_id = d.integration_id and event_id < d.event_id and ${BLOCKS_LATER})`;

/** The first event that blocks the open delivery `record` of an ordered integration. */
export const BLOCKED_BY = sql`(
  select jsonb_build_object('event', event_id, 'failed', holds) from integration_deliveries
  where integration_id = record.integration_id and event_id < record.event_id and ${BLOCKS_LATER}
    and receiver.ordered and record.state in ('pending', 'retrying')
  order by event_id limit 1)`;

/** Locks the order of integrations, so that a search for the next delivery never overlaps with a delivery that finishes. */
export async function lockOrder(tx: Tx, integrations: number[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(1214344282, id) from unnest(${integrations.toSorted((a, b) => a - b)}::integer[]) as id`.execute(
    tx,
  );
}

/** Inserts a job for the first delivery of each ordered integration, if that delivery is pending. */
export async function queueNext(tx: Tx, integrations: number[]): Promise<void> {
  await insertDeliveryJobs(sql`
    select head.id, head.integration_id, true as ordered, head.attempts + 1 as attempt, now() as start_after
    from unnest(${integrations}::integer[]) as integration(id)
    cross join lateral (
      select * from integration_deliveries where integration_id = integration.id and ${BLOCKS_LATER}
      order by event_id limit 1
    ) as head where head.state = 'pending'`).execute(tx);
}

/** Unblocks one record of an ordered integration, or all of its records. Returns whether any of them was blocking. */
export async function unblock(
  { tx, notify }: Change,
  integration: number,
  record?: number,
): Promise<boolean> {
  await lockOrder(tx, [integration]);
  const { rows } = await sql`
    update integration_deliveries set holds = false
    where integration_id = ${integration} and holds ${record === undefined ? sql`` : sql`and id = ${record}`}
    returning 1`.execute(tx);
  if (rows.length === 0) return false;
  await queueNext(tx, [integration]);
  notify(WAKE_CHANNEL);
  return true;
}

/**
 * Lists the deliveries of ordered integrations that must wait because their events are above the watermark: an event with a lower id
 * may still be committed.
 */
export async function listAboveWatermark(
  db: Reader,
  deliveries: number[],
  watermark: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select d.id from integration_deliveries d join integrations on integrations.id = d.integration_id
    where d.id = any(${deliveries}::bigint[]) and integrations.ordered
      and d.state in ('pending', 'retrying')
      and d.event_id > ${watermark}`.execute(db);
  return rows.map(row => row.id);
}
