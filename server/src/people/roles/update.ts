import { isDeepStrictEqual } from 'node:util';
import { badData, notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { keepLastAdmin } from '../grants/last-admin.ts';
import { requireCustom } from './built-in.ts';
import { checkPermissions } from './permissions.ts';
import type { RoleInput } from './schema.ts';
import { type FullRole, lockRole, updateRole } from './store.ts';

/** Updates the given fields of a custom role. The new permissions apply to all holders as soon as the transaction commits. */
export async function changeRole(current: Change, id: number, input: RoleInput): Promise<FullRole> {
  return await keepLastAdmin(current, () => applyUpdate(current, id, input));
}

async function applyUpdate({ tx, record }: Change, id: number, input: RoleInput): Promise<FullRole> {
  const roleBefore = await lockRole(tx, id);
  if (!roleBefore) throw notFound(`Role ${id}`);
  const type = requireCustom(roleBefore);
  const requestedPermissions = input.permissions ?? roleBefore.permissions;
  const { permissions, violations } = await checkPermissions(tx, type, requestedPermissions);
  const details = [
    ...(input.type !== undefined && input.type !== type
      ? [{ message: `type is ${type} and cannot be changed`, path: '/body/type' }]
      : []),
    ...violations,
  ];
  if (details.length > 0) throw badData(details);
  const roleAfter = {
    ...roleBefore,
    name: input.name.trim(),
    description: input.description ?? roleBefore.description,
    permissions,
  };
  if (isDeepStrictEqual(roleAfter, roleBefore)) return roleBefore;

  await updateRole(tx, roleAfter);
  record({ type: 'role-updated', data: roleAfter, preData: roleBefore });
  return roleAfter;
}
