import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import { change } from '../../record/change.ts';
import { asEventData } from './create.ts';
import { masked } from './sealed.ts';
import { deleteIntegration, lockIntegration } from './store.ts';
import { viewFor } from './visible.ts';

/** Deletes an integration; what was still to be delivered is not, and a job removes its records. */
export async function removeIntegration(db: Db, actor: Actor, keyring: Keyring, id: number): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const stored = await lockIntegration(tx, id);
    const integration = stored && (await viewFor(tx, actor, [stored]))(stored);
    if (!integration) throw notFound(`Integration ${id}`);
    await deleteIntegration(tx, id);
    record({ type: 'addon-config-deleted', preData: asEventData(masked(keyring, integration)) });
  });
}
