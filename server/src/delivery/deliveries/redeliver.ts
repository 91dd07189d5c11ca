import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { integrationToChange } from '../integrations/named.ts';
import type { Queued } from './schema.ts';
import { findRecord, reopenDeliveries } from './store.ts';

const MOST = 10_000;

/** Delivers one record again from the start of the schedule, under the same webhook-id. */
export async function redeliver(db: Db, actor: Actor, integration: number, id: number): Promise<Queued> {
  return await change(db, actor, async ({ tx, record }) => {
    const named = await integrationToChange(tx, actor, integration);
    const deliveries = await reopenDeliveries(tx, integration, { id });
    if (deliveries === 0) {
      if (!(await findRecord(tx, integration, id)))
        throw notFound(`Record ${id} of integration ${integration}`);
      throw new ApiError(
        'ConflictError',
        'The record has not ended yet: it is going to be delivered anyway.',
      );
    }
    record({ type: 'integration-deliveries-repeated', data: { ...named, deliveries, record: String(id) } });
    return { deliveries, complete: true };
  });
}

/** Delivers again what failed since a time. Asked twice, the second time there is nothing left to reopen. */
export async function redeliverFailed(
  db: Db,
  actor: Actor,
  integration: number,
  since: string,
): Promise<Queued> {
  return await change(db, actor, async ({ tx, record }) => {
    const named = await integrationToChange(tx, actor, integration);
    const deliveries = await reopenDeliveries(tx, integration, { failedSince: since, limit: MOST });
    if (deliveries > 0)
      record({ type: 'integration-deliveries-repeated', data: { ...named, deliveries, since } });
    return { deliveries, complete: deliveries < MOST };
  });
}
