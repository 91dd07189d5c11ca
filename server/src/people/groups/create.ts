import type { Change } from '../../record/change.ts';
import { getMemberIds, requireExistingReferences } from './members.ts';
import type { GroupInput } from './schema.ts';
import { insertGroup, insertMembers } from './store.ts';

/** Creates a group with its members. Returns its id. */
export async function createGroup({ tx, actor, record }: Change, input: GroupInput): Promise<number> {
  await requireExistingReferences(tx, input);
  const fields = {
    name: input.name.trim(),
    description: input.description ?? null,
    mappingsSSO: input.mappingsSSO ?? [],
    rootRole: input.rootRole ?? null,
  };
  const users = getMemberIds(input.users ?? []);
  const id = await insertGroup(tx, fields, actor.name);
  if (users.length > 0) await insertMembers(tx, id, users, actor.name);
  record({ type: 'group-created', data: { id, ...fields, users } });
  return id;
}
