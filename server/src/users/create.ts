import { grantRootRole } from '../access/grant.ts';
import { ROOT_ROLES, type RootRole } from '../access/roles.ts';
import type { Actor } from '../actor.ts';
import { change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { insertUser, type User } from './store.ts';

export type NewUser = Omit<User, 'id'> & { rootRole: RootRole };

export async function createUser(db: Db, actor: Actor, { rootRole, ...fields }: NewUser): Promise<User> {
  return await change(db, actor, async ({ tx, record }) => {
    const id = await insertUser(tx, fields);
    await grantRootRole(tx, id, rootRole);
    record({ type: 'user-created', data: { id, ...fields, rootRole: ROOT_ROLES[rootRole] } });
    return { id, ...fields };
  });
}
