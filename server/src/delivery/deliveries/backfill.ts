import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalidOperation } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { integrationToChange } from '../integrations/named.ts';
import type { Queued } from './schema.ts';
import { backfillDeliveries } from './store.ts';

const MOST = 10_000;

/**
 * Sends earlier events of the log that fit: to a new integration, or what one missed while it was off. Events that were
 * delivered or are about to be are left out, so asking again sends nothing twice.
 */
export async function backfill(
  db: Db,
  actor: Actor,
  integration: number,
  since: string,
  until: string,
): Promise<Queued> {
  return await change(db, actor, async ({ tx, record }) => {
    const { enabled, ...named } = await integrationToChange(tx, actor, integration);
    if (!enabled) throw invalidOperation('The integration is switched off. Switch it on first.');
    const deliveries = await backfillDeliveries(tx, integration, { since, until, limit: MOST });
    if (deliveries > 0)
      record({ type: 'integration-backfilled', data: { ...named, deliveries, since, until } });
    return { deliveries, complete: deliveries < MOST };
  });
}
