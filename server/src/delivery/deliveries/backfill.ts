import { invalidOperation } from '../../../../plane/src/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { identityOf, lockVisibleIntegration, readVisibleIntegration } from '../integrations/lock.ts';
import type { IntegrationRow } from '../integrations/store.ts';
import { WAKE_CHANNEL } from '../outbox.ts';
import { presentPlan } from './present.ts';
import type { Queued, ReplayPlan } from './schema.ts';
import { backfillDeliveries, planBackfill } from './store.ts';

const MAX_DELIVERIES = 10_000;

/** The time range of the events. */
export type EventsBetween = { since: string; until: string };

/**
 * Delivers earlier events that match the filters: for a new integration, or for events that were missed while it was disabled.
 * Events with a successful or open delivery are skipped, so a second backfill sends nothing twice.
 */
export async function backfill(current: Change, id: number, range: EventsBetween): Promise<Queued> {
  const integration = await lockVisibleIntegration(current, id);
  requireEnabled(integration);
  const deliveries = await backfillDeliveries(current.tx, id, { ...range, limit: MAX_DELIVERIES });
  if (deliveries > 0) {
    current.notify(WAKE_CHANNEL);
    current.record({
      type: 'integration-backfilled',
      data: { ...identityOf(integration), deliveries, ...range },
    });
  }
  return { deliveries, complete: deliveries < MAX_DELIVERIES };
}

/** The plan of `backfill`. */
export async function planOfBackfill(
  db: Reader,
  actor: Actor,
  id: number,
  range: EventsBetween,
): Promise<ReplayPlan> {
  requireEnabled(await readVisibleIntegration(db, actor, id));
  const found = await planBackfill(db, id, { ...range, limit: MAX_DELIVERIES });
  return await presentPlan(db, found, found.deliveries < MAX_DELIVERIES);
}

function requireEnabled({ id, enabled }: IntegrationRow): void {
  if (!enabled)
    throw invalidOperation(`Integration ${id} is disabled. Enable it before you backfill events.`);
}
