import { invalidOperation } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { identityOf, lockVisibleIntegration } from '../integrations/lock.ts';
import type { Queued } from './schema.ts';
import { backfillDeliveries } from './store.ts';

const MAX_DELIVERIES = 10_000;

/**
 * Delivers earlier events that match the filters: for a new integration, or for events that were missed while it was disabled.
 * Events with a successful or open delivery are skipped, so a second backfill sends nothing twice.
 */
export async function backfill(current: Change, id: number, since: string, until: string): Promise<Queued> {
  const integration = await lockVisibleIntegration(current, id);
  if (!integration.enabled) {
    throw invalidOperation(`Integration ${id} is disabled. Enable it before you backfill events.`);
  }
  const deliveries = await backfillDeliveries(current.tx, id, { since, until, limit: MAX_DELIVERIES });
  if (deliveries > 0) {
    current.record({
      type: 'integration-backfilled',
      data: { ...identityOf(integration), deliveries, since, until },
    });
  }
  return { deliveries, complete: deliveries < MAX_DELIVERIES };
}
