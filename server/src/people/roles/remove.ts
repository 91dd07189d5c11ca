import { ApiError, notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { requireCustom } from './built-in.ts';
import { deleteRole, describeHolders, lockRole } from './store.ts';

const MAX_NAMED_HOLDERS = 5;

/** Deletes a custom role. Nobody may hold the role, so that nobody loses permissions without a recorded revocation. */
export async function removeRole({ tx, record }: Change, id: number): Promise<void> {
  const role = await lockRole(tx, id);
  if (!role) throw notFound(`Role ${id}`);
  requireCustom(role);
  const holders = await describeHolders(tx, id);
  if (holders.length > 0) throw roleInUse(role.name, holders);

  await deleteRole(tx, id);
  record({ type: 'role-deleted', preData: role });
}

function roleInUse(name: string, holders: string[]): ApiError {
  const remaining = holders.length - MAX_NAMED_HOLDERS;
  const holderNames =
    holders.slice(0, MAX_NAMED_HOLDERS).join(', ') + (remaining > 0 ? ` and ${remaining} more` : '');
  return new ApiError(
    'ConflictError',
    `Role "${name}" is granted to ${holderNames}. Revoke these grants first.`,
  );
}
