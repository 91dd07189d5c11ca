import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { disableIntegration, lockIntegration } from './store.ts';

/** The service itself switches an integration off and says why; one that is off already stays as it is. */
export async function switchOff(db: Db, id: number, because: string): Promise<void> {
  await change(db, SYSTEM, async ({ tx, record }) => {
    const integration = await lockIntegration(tx, id);
    if (!integration?.enabled) return;
    await disableIntegration(tx, id, because);
    const { provider, description } = integration;
    record({
      type: 'integration-disabled',
      data: { id, provider, description, enabled: false, reason: because },
      preData: { id, provider, description, enabled: true },
    });
  });
}
