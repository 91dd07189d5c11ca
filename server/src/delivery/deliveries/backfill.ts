import { invalidOperation } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import {
  getIntegrationIdentity,
  lockVisibleIntegration,
  readVisibleIntegration,
} from '../integrations/lock.ts';
import type { IntegrationRow } from '../integrations/store.ts';
import { WAKE_CHANNEL } from '../outbox.ts';
import { presentPlan } from './present.ts';
import type { QueuedDeliveries, ReplayPlan } from './schema.ts';
import { backfillDeliveries, planBackfill } from './store.ts';

const MAX_DELIVERIES = 10_000;

/** The time range of the events. */
export type EventRange = { since: string; until: string };

/**
 * Delivers earlier events that match the filters, for example to a new integration or to one that was disabled for a while.
 * Skips events that already have a successful or open delivery, so a second backfill sends nothing twice.
 */
export async function backfill(current: Change, id: number, range: EventRange): Promise<QueuedDeliveries> {
  const integration = await lockVisibleIntegration(current, id);
  requireEnabled(integration);
  const deliveries = await backfillDeliveries(current.tx, id, { ...range, limit: MAX_DELIVERIES });
  if (deliveries > 0) {
    current.notify(WAKE_CHANNEL);
    current.record({
      type: 'integration-backfilled',
      data: { ...getIntegrationIdentity(integration), deliveries, ...range },
    });
  }
  return { deliveries, complete: deliveries < MAX_DELIVERIES };
}

/** The dry run of `backfill`. */
export async function presentBackfillPlan(
  db: Reader,
  actor: Actor,
  id: number,
  range: EventRange,
): Promise<ReplayPlan> {
  requireEnabled(await readVisibleIntegration(db, actor, id));
  const deliveryRange = await planBackfill(db, id, { ...range, limit: MAX_DELIVERIES });
  return await presentPlan(db, deliveryRange, deliveryRange.deliveries < MAX_DELIVERIES);
}

function requireEnabled({ id, enabled }: IntegrationRow): void {
  if (!enabled)
    throw invalidOperation(`Integration ${id} is disabled. Enable it before you backfill events.`);
}
