import { isDeepStrictEqual } from 'node:util';
import { keepingAnAdmin } from '../../access/last-admin.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { badData, notFound } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import { refuseBuiltIn } from './built-in.ts';
import { examinePermissions } from './permissions.ts';
import type { RoleInput } from './schema.ts';
import { lockRole, updateRole, type WholeRole } from './store.ts';

/** Changes a role; whoever holds it may do more or less from the commit on. What is left out stays. */
export async function changeRole(db: Db, actor: Actor, id: number, input: RoleInput): Promise<WholeRole> {
  return await change(db, actor, async part => keepingAnAdmin(part.tx, () => applyUpdate(part, id, input)));
}

async function applyUpdate({ tx, record }: Change, id: number, input: RoleInput): Promise<WholeRole> {
  const before = await lockRole(tx, id);
  if (!before) throw notFound(`Role ${id}`);
  const type = refuseBuiltIn(before);
  const wanted = input.permissions ?? before.permissions;
  const { permissions, violations } = await examinePermissions(tx, type, wanted);
  const details = [
    ...(input.type !== undefined && input.type !== type
      ? [{ message: `type is ${type} and cannot change`, path: '/body/type' }]
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
