import { isDeepStrictEqual } from 'node:util';
import { notFound } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { keepLastAdmin } from '../grants/last-admin.ts';
import { readNames } from '../grants/names.ts';
import { memberIds, requireExisting } from './members.ts';
import type { GroupInput } from './schema.ts';
import { deleteMembers, insertMembers, lockGroup, updateGroup } from './store.ts';

/** Updates the given fields of a group and replaces its members if they are given. */
export async function changeGroup(current: Change, id: number, input: GroupInput): Promise<void> {
  await keepLastAdmin(current, () => applyUpdate(current, id, input));
}

async function applyUpdate({ tx, actor, record }: Change, id: number, input: GroupInput): Promise<void> {
  const found = await lockGroup(tx, id);
  if (!found) throw notFound(`Group ${id}`);
  await requireExisting(tx, input);
  const { users: membersBefore, ...before } = found;
  const after = {
    ...before,
    name: input.name.trim(),
    description: input.description === undefined ? before.description : input.description,
    mappingsSSO: input.mappingsSSO ?? before.mappingsSSO,
    rootRole: input.rootRole === undefined ? before.rootRole : input.rootRole,
  };
  const membersAfter = input.users === undefined ? membersBefore : memberIds(input.users);
  const added = without(membersAfter, membersBefore);
  const removed = without(membersBefore, membersAfter);

  if (!isDeepStrictEqual(after, before)) {
    await updateGroup(tx, after);
    record({ type: 'group-updated', data: after, preData: before });
  }
  if (added.length > 0) await insertMembers(tx, id, added, actor.name);
  if (removed.length > 0) await deleteMembers(tx, id, removed);
  const groupName = after.name;
  const namesOf = await readNames(tx, { users: [...added, ...removed] });
  const membership = (userId: number) => ({
    groupId: id,
    groupName,
    userId,
    ...namesOf({ users: [userId] }),
  });
  for (const userId of added) record({ type: 'group-user-added', data: membership(userId) });
  for (const userId of removed) {
    record({ type: 'group-user-removed', preData: membership(userId) });
  }
}

function without(ids: number[], excluded: number[]): number[] {
  const excludedIds = new Set(excluded);
  return ids.filter(id => !excludedIds.has(id));
}
