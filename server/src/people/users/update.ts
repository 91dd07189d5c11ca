import { isDeepStrictEqual } from 'node:util';
import { badData, notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { setRootRole } from '../grants/grant.ts';
import { keepLastAdmin } from '../grants/last-admin.ts';
import type { User, UserUpdate } from './admin-schema.ts';
import { findIdentityViolations, requireRootRoleId, userEventData } from './create.ts';
import { findReservedNameViolations } from './reserved.ts';
import { findUser, lockExistingUsers, updateUser } from './store.ts';

/** Updates the given fields of a user. */
export async function changeUser(current: Change, id: number, input: UserUpdate): Promise<User> {
  // Only a new root role can revoke ADMIN, so other updates do not lock the admins.
  return input.rootRole === undefined
    ? await applyUpdate(current, id, input)
    : await keepLastAdmin(current, () => applyUpdate(current, id, input));
}

async function applyUpdate(current: Change, id: number, input: UserUpdate): Promise<User> {
  const { tx, record } = current;
  const [userBefore] = await lockExistingUsers(tx, [id]);
  if (!userBefore) throw notFound(`User ${id}`);
  const userAfter = {
    ...userBefore,
    name: input.name === undefined ? userBefore.name : input.name || null,
    email: input.email === undefined ? userBefore.email : input.email || null,
    rootRole:
      input.rootRole === undefined ? userBefore.rootRole : await requireRootRoleId(tx, input.rootRole),
  };
  if (isDeepStrictEqual(userAfter, userBefore)) return userBefore;
  const nameViolations =
    userAfter.name === userBefore.name ? [] : [...findReservedNameViolations({ name: userAfter.name })];
  if (nameViolations.length > 0) throw badData(nameViolations);
  if (userAfter.username === null && userAfter.email === null) {
    throw badData(
      [...findIdentityViolations(userAfter)].map(({ message }) => ({ message, path: '/body/email' })),
    );
  }

  await updateUser(tx, userAfter);
  if (userAfter.rootRole !== null && userAfter.rootRole !== userBefore.rootRole)
    await setRootRole(current, id, userAfter.rootRole);
  record({ type: 'user-updated', data: userEventData(userAfter), preData: userEventData(userBefore) });
  // The image is derived from the name, which the update may have changed.
  return (await findUser(tx, id)) ?? userAfter;
}
