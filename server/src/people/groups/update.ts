import { isDeepStrictEqual } from 'node:util';
import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { keepLastAdmin } from '../grants/last-admin.ts';
import { readNames } from '../grants/names.ts';
import { getMemberIds, requireExistingReferences } from './members.ts';
import type { GroupInput } from './schema.ts';
import { deleteMembers, insertMembers, lockGroup, updateGroup } from './store.ts';

/** Updates the given fields of a group and replaces its members if they are given. */
export async function changeGroup(current: Change, id: number, input: GroupInput): Promise<void> {
  await keepLastAdmin(current, () => applyUpdate(current, id, input));
}

async function applyUpdate({ tx, actor, record }: Change, id: number, input: GroupInput): Promise<void> {
  const group = await lockGroup(tx, id);
  if (!group) throw notFound(`Group ${id}`);
  await requireExistingReferences(tx, input);
  const { users: membersBefore, ...fieldsBefore } = group;
  const fieldsAfter = {
    ...fieldsBefore,
    name: input.name.trim(),
    description: input.description === undefined ? fieldsBefore.description : input.description,
    mappingsSSO: input.mappingsSSO ?? fieldsBefore.mappingsSSO,
    rootRole: input.rootRole === undefined ? fieldsBefore.rootRole : input.rootRole,
  };
  const membersAfter = input.users === undefined ? membersBefore : getMemberIds(input.users);
  const addedIds = without(membersAfter, membersBefore);
  const removedIds = without(membersBefore, membersAfter);

  if (!isDeepStrictEqual(fieldsAfter, fieldsBefore)) {
    await updateGroup(tx, fieldsAfter);
    record({ type: 'group-updated', data: fieldsAfter, preData: fieldsBefore });
  }
  if (addedIds.length > 0) await insertMembers(tx, id, addedIds, actor.name);
  if (removedIds.length > 0) await deleteMembers(tx, id, removedIds);
  const groupName = fieldsAfter.name;
  const pickNames = await readNames(tx, { users: [...addedIds, ...removedIds] });
  const membership = (userId: number) => ({
    groupId: id,
    groupName,
    userId,
    ...pickNames({ users: [userId] }),
  });
  for (const userId of addedIds) record({ type: 'group-user-added', data: membership(userId) });
  for (const userId of removedIds) record({ type: 'group-user-removed', preData: membership(userId) });
}

function without(ids: number[], excluded: number[]): number[] {
  const excludedIds = new Set(excluded);
  return ids.filter(id => !excludedIds.has(id));
}
