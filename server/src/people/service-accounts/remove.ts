import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { deleteOwnSecrets } from '../api-tokens/own-secrets.ts';
import { revokeUserRoles } from '../grants/revoke.ts';
import { removeFromAllGroups } from '../groups/members.ts';
import { lockServiceAccount, markAccountDeleted } from './store.ts';

/** Deletes a service account with its tokens, roles and memberships. Events that it created keep its name. */
export async function removeServiceAccount(current: Change, id: number): Promise<void> {
  const { tx, record } = current;
  const account = await lockServiceAccount(tx, id);
  if (!account) throw notFound(`Service account ${id}`);
  await revokeUserRoles(current, [id]);
  await removeFromAllGroups(current, [id]);
  await markAccountDeleted(tx, id);
  await deleteOwnSecrets(current, id);
  record({ type: 'service-account-deleted', preData: account });
}
