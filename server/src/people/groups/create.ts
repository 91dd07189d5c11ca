import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { badData } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { roleViolations } from '../roles/usable.ts';
import { userViolations } from '../users/usable.ts';
import type { Group, GroupInput } from './schema.ts';
import { findGroup, insertGroup, insertMembers } from './store.ts';

/** Creates a group with its members. */
export async function createGroup(db: Db, actor: Actor, input: GroupInput): Promise<Group> {
  return await change(db, actor, async ({ tx, record }) => {
    await refuseUnknown(tx, input);
    const fields = {
      name: input.name.trim(),
      description: input.description ?? null,
      mappingsSSO: input.mappingsSSO ?? [],
      rootRole: input.rootRole ?? null,
    };
    const users = membersOf(input.users ?? []);
    const id = await insertGroup(tx, fields, actor.name);
    if (users.length > 0) await insertMembers(tx, id, users, actor.name);
    record({ type: 'group-created', data: { id, ...fields, users } });
    return await madeGroup(tx, id);
  });
}

/** Refuses a body that names users or a root role that are not there, with every one of them. */
export async function refuseUnknown(tx: Tx, { users = [], rootRole }: Partial<GroupInput>): Promise<void> {
  const details = [
    ...(await userViolations(
      tx,
      users.map(({ user }, index) => ({ id: user.id, path: `/body/users/${index}/user/id` })),
    )),
    ...(await roleViolations(
      tx,
      'root',
      rootRole === undefined || rootRole === null ? [] : [{ id: rootRole, path: '/body/rootRole' }],
    )),
  ];
  if (details.length > 0) throw badData(details);
}

/** Each member once, in the order of their ids. */
export const membersOf = (users: NonNullable<GroupInput['users']>): number[] =>
  [...new Set(users.map(({ user }) => user.id))].toSorted((one, other) => one - other);

export async function madeGroup(tx: Tx, id: number): Promise<Group> {
  const group = await findGroup(tx, id);
  if (!group) throw new Error(`Group ${id} vanished in the transaction that holds it`);
  return group;
}
