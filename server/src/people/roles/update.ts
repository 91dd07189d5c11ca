import { isDeepStrictEqual } from 'node:util';
import { badData, notFound } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { keepLastAdmin } from '../grants/last-admin.ts';
import { requireCustom } from './built-in.ts';
import { examinePermissions } from './permissions.ts';
import type { RoleInput } from './schema.ts';
import { lockRole, updateRole, type WholeRole } from './store.ts';

/** Updates the given fields of a custom role. The new permissions apply to all holders from the commit on. */
export async function changeRole(current: Change, id: number, input: RoleInput): Promise<WholeRole> {
  return await keepLastAdmin(current, () => applyUpdate(current, id, input));
}

async function applyUpdate({ tx, record }: Change, id: number, input: RoleInput): Promise<WholeRole> {
  const before = await lockRole(tx, id);
  if (!before) throw notFound(`Role ${id}`);
  const type = requireCustom(before);
  const requested = input.permissions ?? before.permissions;
  const { permissions, violations } = await examinePermissions(tx, type, requested);
  const details = [
    ...(input.type !== undefined && input.type !== type
      ? [{ message: `type is ${type} and cannot be changed`, path: '/body/type' }]
      : []),
    ...violations,
  ];
  if (details.length > 0) throw badData(details);
  const after = {
    ...before,
    name: input.name.trim(),
    description: input.description ?? before.description,
    permissions,
  };
  if (isDeepStrictEqual(after, before)) return before;

  await updateRole(tx, after);
  record({ type: 'role-updated', data: after, preData: before });
  return after;
}
