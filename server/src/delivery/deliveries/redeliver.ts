import { ApiError, notFound } from '../../../../plane/src/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { identityOf, lockVisibleIntegration, readVisibleIntegration } from '../integrations/lock.ts';
import { WAKE_CHANNEL } from '../outbox.ts';
import { presentPlan } from './present.ts';
import type { Queued, ReplayPlan } from './schema.ts';
import { findRecord, planReopening, reopenDeliveries } from './store.ts';

const MAX_DELIVERIES = 10_000;

/** The time range of the failed deliveries. */
export type FailedBetween = { since: string; until?: string | undefined };

/** Redelivers one record with the same webhook-id: from the start of the schedule, or the next attempt of a retrying one. */
export async function redeliver(current: Change, integration: number, id: number): Promise<Queued> {
  const { tx, record } = current;
  const locked = await lockVisibleIntegration(current, integration);
  const deliveries = await reopenDeliveries(tx, integration, { id });
  if (deliveries === 0) throw await notRedeliverable(tx, integration, id);
  current.notify(WAKE_CHANNEL);
  record({
    type: 'integration-redelivered',
    data: { ...identityOf(locked), enabled: locked.enabled, deliveries, record: String(id) },
  });
  return { deliveries, complete: true };
}

/** The plan of `redeliver`. */
export async function planRedelivery(
  db: Reader,
  actor: Actor,
  integration: number,
  id: number,
): Promise<ReplayPlan> {
  await readVisibleIntegration(db, actor, integration);
  const range = await planReopening(db, integration, { id });
  if (range.deliveries === 0) throw await notRedeliverable(db, integration, id);
  return await presentPlan(db, range, true);
}

async function notRedeliverable(db: Reader, integration: number, id: number): Promise<ApiError> {
  const found = await findRecord(db, integration, id);
  return found
    ? new ApiError(
        'ConflictError',
        `Record ${id} is ${found.state}, and its next attempt is due or running. Wait until the attempt has ended, then redeliver it.`,
      )
    : notFound(`Record ${id} of integration ${integration}`);
}

/** Redelivers every delivery that failed in a range of time. A second call finds nothing left to reopen. */
export async function redeliverFailed(
  current: Change,
  integration: number,
  range: FailedBetween,
): Promise<Queued> {
  const locked = await lockVisibleIntegration(current, integration);
  const deliveries = await reopenDeliveries(current.tx, integration, { ...range, limit: MAX_DELIVERIES });
  if (deliveries > 0) {
    current.notify(WAKE_CHANNEL);
    current.record({
      type: 'integration-redelivered',
      data: { ...identityOf(locked), enabled: locked.enabled, deliveries, ...range },
    });
  }
  return { deliveries, complete: deliveries < MAX_DELIVERIES };
}

/** The plan of `redeliverFailed`. */
export async function planFailed(
  db: Reader,
  actor: Actor,
  integration: number,
  range: FailedBetween,
): Promise<ReplayPlan> {
  await readVisibleIntegration(db, actor, integration);
  const found = await planReopening(db, integration, { ...range, limit: MAX_DELIVERIES });
  return await presentPlan(db, found, found.deliveries < MAX_DELIVERIES);
}
