import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { integrationToChange } from '../integrations/named.ts';

/** Makes an event that goes to this integration alone, the way of any other event, also while it is switched off. */
export async function sendTest(db: Db, actor: Actor, integration: number): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const { enabled: _, ...named } = await integrationToChange(tx, actor, integration);
    record({ type: 'integration-tested', data: { ...named, test: true } });
  });
}
