import type { Change } from '../../record/change.ts';
import { keepLastAdmin } from '../grants/last-admin.ts';
import { readNames } from '../grants/names.ts';
import {
  deleteSyncedMemberships,
  findGroupChanges,
  type GroupChanges,
  insertSyncedMemberships,
  lockGroups,
} from './store.ts';

const CREATED_BY = 'single sign-on';

/**
 * Updates the groups of a user who logs in with single sign-on. Adds the user to groups that are mapped to their groups at the
 * identity provider, and removes them from other groups that an earlier login added them to.
 */
export async function syncGroups(current: Change, userId: number, ssoGroups: string[]): Promise<void> {
  const { tx, record } = current;
  // Most logins change no group, so they take no lock.
  if (isEmpty(await findGroupChanges(tx, userId, ssoGroups))) return;
  await keepLastAdmin(current, async () => {
    const plannedChanges = await findGroupChanges(tx, userId, ssoGroups);
    await lockGroups(tx, getGroupIds([...plannedChanges.added, ...plannedChanges.removed]));
    // The groups are read again, because a group can change or be deleted while this transaction waits for the locks.
    const { added, removed } = await findGroupChanges(tx, userId, ssoGroups);
    if (added.length > 0) await insertSyncedMemberships(tx, userId, getGroupIds(added), CREATED_BY);
    if (removed.length > 0) await deleteSyncedMemberships(tx, userId, getGroupIds(removed));
    const users = [userId];
    const member = { userId, ...(await readNames(tx, { users }))({ users }) };
    for (const group of added) record({ type: 'group-user-added', data: { ...group, ...member } });
    for (const group of removed) record({ type: 'group-user-removed', preData: { ...group, ...member } });
  });
}

const isEmpty = ({ added, removed }: GroupChanges): boolean => added.length + removed.length === 0;

const getGroupIds = (groups: GroupChanges['added']): number[] => groups.map(({ groupId }) => groupId);
