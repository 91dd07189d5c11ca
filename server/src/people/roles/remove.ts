import { ApiError, notFound } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { requireCustom } from './built-in.ts';
import { deleteRole, listHolders, lockRole } from './store.ts';

const MAX_NAMED = 5;

/** Deletes a custom role that nobody holds, so that no holder loses permissions without a revocation. */
export async function removeRole({ tx, record }: Change, id: number): Promise<void> {
  const role = await lockRole(tx, id);
  if (!role) throw notFound(`Role ${id}`);
  requireCustom(role);
  const holders = await listHolders(tx, id);
  if (holders.length > 0) throw stillHeld(role.name, holders);

  await deleteRole(tx, id);
  record({ type: 'role-deleted', preData: role });
}

function stillHeld(name: string, holders: string[]): ApiError {
  const rest = holders.length - MAX_NAMED;
  const named = holders.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
  return new ApiError('ConflictError', `Role "${name}" is granted to ${named}. Revoke these grants first.`);
}
