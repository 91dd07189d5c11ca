import { setRootRole } from '../../access/grant.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { badData } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { roleViolations } from '../roles/usable.ts';
import { reservedNames } from '../users/reserved.ts';
import type { NewServiceAccount, ServiceAccount } from './schema.ts';
import { findServiceAccount, insertServiceAccount } from './store.ts';

/** Creates an account that no person is: it has a root role, and acts by its tokens. */
export async function createServiceAccount(
  db: Db,
  actor: Actor,
  input: NewServiceAccount,
): Promise<ServiceAccount> {
  const name = (input.name ?? input.username)?.trim();
  if (name === undefined) throw badData([{ message: 'name is required', path: '/body/name' }]);
  refuseReserved({ name, username: input.username ?? null });
  return await change(db, actor, async ({ tx, record }) => {
    await refuseUnknownRole(tx, input.rootRole);
    const fields = { name, username: (input.username ?? name).trim(), rootRole: input.rootRole };
    const id = await insertServiceAccount(tx, fields);
    await setRootRole(tx, id, fields.rootRole);
    record({ type: 'service-account-created', data: { id, ...fields } });
    return await madeAccount(tx, id);
  });
}

/** The same for a request that is rejected anyway; only the role, if it is given, depends on what is stored. */
export const checkRole = async (db: Db, rootRole: number | undefined): Promise<void> => {
  if (rootRole !== undefined) await db.transaction().execute(tx => refuseUnknownRole(tx, rootRole));
};

export function refuseReserved(names: { name: string; username: string | null }): void {
  const details = [...reservedNames(names)];
  if (details.length > 0) throw badData(details);
}

export async function refuseUnknownRole(tx: Tx, rootRole: number): Promise<void> {
  const details = await roleViolations(tx, 'root', [{ id: rootRole, path: '/body/rootRole' }]);
  if (details.length > 0) throw badData(details);
}

export async function madeAccount(tx: Tx, id: number): Promise<ServiceAccount> {
  const account = await findServiceAccount(tx, id);
  if (!account) throw new Error(`Service account ${id} vanished in the transaction that holds it`);
  return account;
}
