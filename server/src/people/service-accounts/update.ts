import { isDeepStrictEqual } from 'node:util';
import { notFound } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { setRootRole } from '../grants/grant.ts';
import { rejectReserved, requireRootRole } from './create.ts';
import type { ServiceAccountUpdate } from './schema.ts';
import { lockServiceAccount, updateName } from './store.ts';

/** Updates the name or root role of a service account. */
export async function changeServiceAccount(
  current: Change,
  id: number,
  input: ServiceAccountUpdate,
): Promise<void> {
  const { tx, record } = current;
  const before = await lockServiceAccount(tx, id);
  if (!before) throw notFound(`Service account ${id}`);
  if (input.rootRole !== undefined) await requireRootRole(tx, input.rootRole);
  const after = {
    ...before,
    name: input.name?.trim() ?? before.name,
    rootRole: input.rootRole ?? before.rootRole,
  };
  if (after.name !== before.name) rejectReserved({ name: after.name, username: null });
  if (isDeepStrictEqual(after, before)) return;

  await updateName(tx, id, after.name);
  await setRootRole(current, id, after.rootRole);
  record({ type: 'service-account-updated', data: after, preData: before });
}
