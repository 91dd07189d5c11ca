import { keepingAnAdmin } from '../../access/last-admin.ts';
import type { Change } from '../../record/change.ts';
import {
  deleteMemberships,
  findGroupChanges,
  type GroupChanges,
  insertMemberships,
  lockGroups,
} from './store.ts';

const BY = 'single sign-on';

/** Part of a login: the user is in the groups that the provider's stand for, and in no other that it once brought them into. */
export async function syncGroups({ tx, record }: Change, userId: number, ssoGroups: string[]): Promise<void> {
  // Mostly there is nothing to do, and then nobody has to wait for anybody.
  if (isNothing(await findGroupChanges(tx, userId, ssoGroups))) return;
  await keepingAnAdmin(tx, async () => {
    const { added: near, removed: far } = await findGroupChanges(tx, userId, ssoGroups);
    await lockGroups(tx, ids([...near, ...far]));
    // Once more: a group may have been changed, or deleted, while this waited for it.
    const { added, removed } = await findGroupChanges(tx, userId, ssoGroups);
    if (added.length > 0) await insertMemberships(tx, userId, ids(added), BY);
    if (removed.length > 0) await deleteMemberships(tx, userId, ids(removed));
    for (const group of added) record({ type: 'group-user-added', data: { ...group, userId } });
    for (const group of removed) record({ type: 'group-user-removed', preData: { ...group, userId } });
  });
}

const isNothing = ({ added, removed }: GroupChanges): boolean => added.length + removed.length === 0;

const ids = (groups: GroupChanges['added']): number[] => groups.map(({ groupId }) => groupId);
