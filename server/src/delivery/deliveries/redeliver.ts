import { ApiError, notFound } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import {
  getIntegrationIdentity,
  lockVisibleIntegration,
  readVisibleIntegration,
} from '../integrations/lock.ts';
import { WAKE_CHANNEL } from '../outbox.ts';
import { presentPlan } from './present.ts';
import type { QueuedDeliveries, ReplayPlan } from './schema.ts';
import { findRecord, planReopening, reopenDeliveries } from './store.ts';

const MAX_DELIVERIES = 10_000;

/** The time range in which the failed deliveries were created. */
export type FailedRange = { since: string; until?: string | undefined };

/** Redelivers one record with the same webhook-id. A finished delivery restarts its schedule; a retrying one is attempted now. */
export async function redeliver(current: Change, integration: number, id: number): Promise<QueuedDeliveries> {
  const { tx, record } = current;
  const lockedIntegration = await lockVisibleIntegration(current, integration);
  const deliveries = await reopenDeliveries(tx, integration, { id });
  if (deliveries === 0) throw await redeliveryError(tx, integration, id);
  current.notify(WAKE_CHANNEL);
  record({
    type: 'integration-redelivered',
    data: {
      ...getIntegrationIdentity(lockedIntegration),
      enabled: lockedIntegration.enabled,
      deliveries,
      record: String(id),
    },
  });
  return { deliveries, complete: true };
}

/** The dry run of `redeliver`. */
export async function planRedelivery(
  db: Reader,
  actor: Actor,
  integration: number,
  id: number,
): Promise<ReplayPlan> {
  await readVisibleIntegration(db, actor, integration);
  const range = await planReopening(db, integration, { id });
  if (range.deliveries === 0) throw await redeliveryError(db, integration, id);
  return await presentPlan(db, range, true);
}

async function redeliveryError(db: Reader, integration: number, id: number): Promise<ApiError> {
  const existingRecord = await findRecord(db, integration, id);
  return existingRecord
    ? new ApiError(
        'ConflictError',
        `Record ${id} is ${existingRecord.state}, and its next attempt is due or running. Wait until the attempt has ended, then redeliver the record.`,
      )
    : notFound(`Record ${id} of integration ${integration}`);
}

/** Redelivers every delivery that failed in a time range. The deliveries are then open, so a second call finds nothing. */
export async function redeliverFailed(
  current: Change,
  integration: number,
  range: FailedRange,
): Promise<QueuedDeliveries> {
  const lockedIntegration = await lockVisibleIntegration(current, integration);
  const deliveries = await reopenDeliveries(current.tx, integration, { ...range, limit: MAX_DELIVERIES });
  if (deliveries > 0) {
    current.notify(WAKE_CHANNEL);
    current.record({
      type: 'integration-redelivered',
      data: {
        ...getIntegrationIdentity(lockedIntegration),
        enabled: lockedIntegration.enabled,
        deliveries,
        ...range,
      },
    });
  }
  return { deliveries, complete: deliveries < MAX_DELIVERIES };
}

/** The dry run of `redeliverFailed`. */
export async function planFailedRedelivery(
  db: Reader,
  actor: Actor,
  integration: number,
  range: FailedRange,
): Promise<ReplayPlan> {
  await readVisibleIntegration(db, actor, integration);
  const deliveryRange = await planReopening(db, integration, { ...range, limit: MAX_DELIVERIES });
  return await presentPlan(db, deliveryRange, deliveryRange.deliveries < MAX_DELIVERIES);
}
