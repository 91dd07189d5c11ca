import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { integrationToChange } from '../integrations/named.ts';
import { letGo } from './order.ts';
import { findRecord } from './store.ts';

/** Goes on past a delivery that was given up and holds up those behind it; it stays as it is. */
export async function skipHeld(db: Db, actor: Actor, integration: number, id: number): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const named = await integrationToChange(tx, actor, integration);
    if (!(await letGo(tx, integration, id))) {
      if (!(await findRecord(tx, integration, id)))
        throw notFound(`Record ${id} of integration ${integration}`);
      throw new ApiError('ConflictError', 'The record holds nothing up.');
    }
    record({ type: 'integration-delivery-skipped', data: { ...named, record: String(id) } });
  });
}
