import { isDeepStrictEqual } from 'node:util';
import { setRootRole } from '../../access/grant.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { madeAccount, refuseReserved, refuseUnknownRole } from './create.ts';
import type { ServiceAccount, ServiceAccountUpdate } from './schema.ts';
import { lockServiceAccount, updateName } from './store.ts';

/** Changes name or root role; what is left out stays, and changing nothing writes nothing. */
export async function changeServiceAccount(
  db: Db,
  actor: Actor,
  id: number,
  input: ServiceAccountUpdate,
): Promise<ServiceAccount> {
  return await change(db, actor, async ({ tx, record }) => {
    const before = await lockServiceAccount(tx, id);
    if (!before) throw notFound(`Service account ${id}`);
    if (input.rootRole !== undefined) await refuseUnknownRole(tx, input.rootRole);
    const after = {
      ...before,
      name: input.name?.trim() ?? before.name,
      rootRole: input.rootRole ?? before.rootRole,
    };
    if (after.name !== before.name) refuseReserved({ name: after.name, username: null });
    if (!isDeepStrictEqual(after, before)) {
      await updateName(tx, id, after.name);
      await setRootRole(tx, id, after.rootRole);
      record({ type: 'service-account-updated', data: after, preData: before });
    }
    return await madeAccount(tx, id);
  });
}
