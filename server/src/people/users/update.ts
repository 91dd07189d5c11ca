import { isDeepStrictEqual } from 'node:util';
import { badData, notFound } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { setRootRole } from '../grants/grant.ts';
import { keepLastAdmin } from '../grants/last-admin.ts';
import type { User, UserUpdate } from './admin-schema.ts';
import { identityViolations, rootRoleId, userEventData } from './create.ts';
import { reservedNames } from './reserved.ts';
import { findUser, lockUsers, updateUser } from './store.ts';

/** Updates the given fields of a user. */
export async function changeUser(current: Change, id: number, input: UserUpdate): Promise<User> {
  // Only a new root role can revoke ADMIN. Other updates therefore do not take the lock on the admins.
  return input.rootRole === undefined
    ? await applyUpdate(current, id, input)
    : await keepLastAdmin(current, () => applyUpdate(current, id, input));
}

async function applyUpdate(current: Change, id: number, input: UserUpdate): Promise<User> {
  const { tx, record } = current;
  const [before] = await lockUsers(tx, [id]);
  if (!before) throw notFound(`User ${id}`);
  const after = {
    ...before,
    name: input.name === undefined ? before.name : input.name || null,
    email: input.email === undefined ? before.email : input.email || null,
    rootRole: input.rootRole === undefined ? before.rootRole : await rootRoleId(tx, input.rootRole),
  };
  if (isDeepStrictEqual(after, before)) return before;
  const reserved = after.name === before.name ? [] : [...reservedNames({ name: after.name })];
  if (reserved.length > 0) throw badData(reserved);
  if (after.username === null && after.email === null) {
    throw badData([...identityViolations(after)].map(({ message }) => ({ message, path: '/body/email' })));
  }

  await updateUser(tx, after);
  if (after.rootRole !== null && after.rootRole !== before.rootRole)
    await setRootRole(current, id, after.rootRole);
  record({ type: 'user-updated', data: userEventData(after), preData: userEventData(before) });
  // The image is derived from the name, which the update may have changed.
  return (await findUser(tx, id)) ?? after;
}
