import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { keepLastAdmin } from '../grants/last-admin.ts';
import { revokeGroupRoles } from '../grants/revoke.ts';
import { deleteGroup, lockGroup } from './store.ts';

/** Deletes a group. Its members lose the permissions that they have through this group alone. */
export async function removeGroup(current: Change, id: number): Promise<void> {
  const { tx, record } = current;
  await keepLastAdmin(current, async () => {
    const group = await lockGroup(tx, id);
    if (!group) throw notFound(`Group ${id}`);
    await revokeGroupRoles(current, id);
    await deleteGroup(tx, id);
    record({ type: 'group-deleted', preData: group });
  });
}
