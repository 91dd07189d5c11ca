import { badData } from '@halyard/plane/platform/errors.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { requireKey } from '../../platform/secrets/require-key.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import { setRootRole } from '../grants/grant.ts';
import { findRoleViolations } from '../roles/violations.ts';
import { findReservedNameViolations } from '../users/reserved.ts';
import type { NewServiceAccount } from './schema.ts';
import { insertServiceAccount } from './store.ts';

/** Creates a service account with a root role. Returns its id. */
export async function createServiceAccount(
  current: Change,
  input: NewServiceAccount,
  keyring: Keyring,
): Promise<number> {
  const { tx, record } = current;
  const name = (input.name ?? input.username)?.trim();
  if (name === undefined) throw badData([{ message: 'name or username is required', path: '/body/name' }]);
  rejectReserved({ name, username: input.username ?? null });
  await requireRootRole(tx, input.rootRole);
  const { rootRole, readsTokenSecrets = false } = input;
  if (readsTokenSecrets) requireKey(keyring);
  const fields = { name, username: (input.username ?? name).trim(), rootRole, readsTokenSecrets };
  const id = await insertServiceAccount(tx, fields);
  await setRootRole(current, id, fields.rootRole);
  record({ type: 'service-account-created', data: { id, ...fields } });
  return id;
}

/** Checks the role even if the schema rejected the request, so that the response lists this violation too. */
export async function checkRootRole(db: Db, rootRole: number | undefined): Promise<void> {
  if (rootRole !== undefined) await db.transaction().execute(tx => requireRootRole(tx, rootRole));
}

export function rejectReserved(names: { name: string; username: string | null }): void {
  const details = [...findReservedNameViolations(names)];
  if (details.length > 0) throw badData(details);
}

export async function requireRootRole(tx: Tx, rootRole: number): Promise<void> {
  const details = await findRoleViolations(tx, 'root', [{ id: rootRole, path: '/body/rootRole' }]);
  if (details.length > 0) throw badData(details);
}
