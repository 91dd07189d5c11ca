import { isDeepStrictEqual } from 'node:util';
import { keepingAnAdmin } from '../../access/last-admin.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import { madeGroup, membersOf, refuseUnknown } from './create.ts';
import type { Group, GroupInput } from './schema.ts';
import { deleteMembers, insertMembers, lockGroup, updateGroup } from './store.ts';

/** Changes a group and its members; what is left out stays, and changing nothing writes nothing. */
export async function changeGroup(db: Db, actor: Actor, id: number, input: GroupInput): Promise<Group> {
  return await change(db, actor, async part =>
    keepingAnAdmin(part.tx, () => applyUpdate(part, actor, id, input)),
  );
}

async function applyUpdate(
  { tx, record }: Change,
  actor: Actor,
  id: number,
  input: GroupInput,
): Promise<Group> {
  const found = await lockGroup(tx, id);
  if (!found) throw notFound(`Group ${id}`);
  await refuseUnknown(tx, input);
  const { users, ...before } = found;
  const after = {
    ...before,
    name: input.name.trim(),
    description: input.description === undefined ? before.description : input.description,
    mappingsSSO: input.mappingsSSO ?? before.mappingsSSO,
    rootRole: input.rootRole === undefined ? before.rootRole : input.rootRole,
  };
  const wanted = input.users === undefined ? users : membersOf(input.users);
  const added = without(wanted, users);
  const removed = without(users, wanted);

  if (!isDeepStrictEqual(after, before)) {
    await updateGroup(tx, after);
    record({ type: 'group-updated', data: after, preData: before });
  }
  if (added.length > 0) await insertMembers(tx, id, added, actor.name);
  if (removed.length > 0) await deleteMembers(tx, id, removed);
  const groupName = after.name;
  for (const userId of added) record({ type: 'group-user-added', data: { groupId: id, groupName, userId } });
  for (const userId of removed) {
    record({ type: 'group-user-removed', preData: { groupId: id, groupName, userId } });
  }
  return await madeGroup(tx, id);
}

function without(ids: number[], others: number[]): number[] {
  const left = new Set(others);
  return ids.filter(id => !left.has(id));
}
