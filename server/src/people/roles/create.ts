import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { badData } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { examinePermissions } from './permissions.ts';
import type { RoleInput } from './schema.ts';
import { insertRole, type WholeRole } from './store.ts';

/** Creates a role, to be held on the instance or in projects. */
export async function createRole(db: Db, actor: Actor, input: RoleInput): Promise<WholeRole> {
  return await change(db, actor, async ({ tx, record }) => {
    const type = input.type ?? 'custom';
    const { permissions, violations } = await examinePermissions(tx, type, input.permissions ?? []);
    if (violations.length > 0) throw badData(violations);
    const fields = { type, name: input.name.trim(), description: input.description ?? '', permissions };
    const role = { id: await insertRole(tx, fields), ...fields };
    record({ type: 'role-created', data: role });
    return role;
  });
}
