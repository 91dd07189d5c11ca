import { badData, notFound, type Violation } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { hashPassword } from '../../platform/secrets/password-hash.ts';
import { findPasswordViolations, type PasswordContext } from '../../platform/secrets/password-strength.ts';
import type { Change } from '../../record/change.ts';
import { checkPassword } from '../sessions/check-password.ts';
import { endUserSessions } from '../sessions/end.ts';
import { tooManyFailures } from '../sessions/login-blocked.ts';
import { type LoginOrigin, openSession } from '../sessions/open.ts';
import type { NewPassword, OwnNewPassword } from './schema.ts';
import { deletePassword, findOwner, lockOwner, type PasswordOwner, updatePassword } from './store.ts';

/** Hashes a password that an admin sets for a user. Runs before the change, because a hash takes 60 ms. */
export async function hashNewPassword(db: Db, userId: number, input: NewPassword): Promise<string> {
  const owner = await findOwner(db, userId);
  if (!owner) throw notFound(`User ${userId}`);
  rejectInvalidPassword(input, owner);
  return await hashPassword(input.password);
}

/** Sets the password of a user and ends their sessions. */
export async function setPassword(current: Change, userId: number, hash: string): Promise<void> {
  const owner = await lockOwner(current.tx, userId);
  if (!owner) throw notFound(`User ${userId}`);
  await applyPassword(current, owner, hash);
}

/** The hash of the new password, and the stored hash that the old password matched. */
export type VerifiedPassword = { hash: string; oldHash: string };

/**
 * Verifies the old password of the authenticated user, with the same limits as for failed logins, and hashes the new password.
 */
export async function verifyOwnPassword(
  db: Db,
  actor: Actor,
  input: OwnNewPassword,
): Promise<VerifiedPassword> {
  rejectInvalidPassword(input, (await findOwner(db, actor.userId)) ?? {});
  const check = await checkPassword(db, actor.name, input.oldPassword, actor.ip ?? '');
  if (check.kind === 'blocked') throw tooManyFailures(check.seconds);
  if (check.kind === 'wrong' || check.account.id !== actor.userId) throw wrongOldPassword();
  return { hash: await hashPassword(input.password), oldHash: check.account.passwordHash };
}

/**
 * Changes the password of the authenticated user and ends their sessions. With `origin`, opens a new session and returns its
 * secret.
 */
export async function changeOwnPassword(
  current: Change,
  { hash, oldHash }: VerifiedPassword,
  origin: LoginOrigin | undefined,
): Promise<string | undefined> {
  const { tx, actor } = current;
  const owner = await lockOwner(tx, actor.userId);
  // An admin may have set a new password since the old password was verified, and this change must not overwrite it.
  if (owner?.passwordHash !== oldHash) throw wrongOldPassword();
  await applyPassword(current, owner, hash);
  return origin && (await openSession(tx, owner.id, 'password', origin));
}

/** Writes the new password and ends all sessions of the user. The caller holds the lock on the user. */
export async function applyPassword(current: Change, owner: PasswordOwner, hash: string): Promise<void> {
  await updatePassword(current.tx, owner.id, hash);
  await endUserSessions(current, [owner.id]);
  current.record({ type: 'user-password-changed', data: ownerEventData(owner) });
}

/** Removes the password and the password link. Returns which of the two existed. The caller holds the lock on the user. */
export async function removePassword(
  { tx }: Change,
  userId: number,
): Promise<{ password: boolean; passwordLink: boolean }> {
  return await deletePassword(tx, userId);
}

export function ownerEventData({ id, name, username, email }: PasswordOwner): object {
  return { id, name, username, email };
}

function rejectInvalidPassword(input: NewPassword, person: PasswordContext): void {
  const details: Violation[] = findPasswordViolations(input.password, person);
  if (input.confirmPassword !== undefined && input.confirmPassword !== input.password)
    details.push({ message: 'confirmPassword must equal password', path: '/body/confirmPassword' });
  if (details.length > 0) throw badData(details);
}

const wrongOldPassword = () =>
  badData([{ message: 'oldPassword is not the current password', path: '/body/oldPassword' }]);
