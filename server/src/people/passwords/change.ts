import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { badData, notFound, type Violation } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import { checkPassword, tooManyFailures } from '../sessions/check-password.ts';
import { endSessionsOf } from '../sessions/end.ts';
import { type LoginOrigin, openSession } from '../sessions/open.ts';
import { hashPassword } from './hash.ts';
import type { NewPassword, OwnNewPassword } from './schema.ts';
import { deletePassword, findOwner, lockOwner, type PasswordOwner, updatePassword } from './store.ts';
import { type Person, passwordViolations } from './strength.ts';

/** An admin sets the password of a user, whose sessions end. */
export async function setPassword(db: Db, actor: Actor, userId: number, input: NewPassword): Promise<void> {
  const owner = await findOwner(db, userId);
  if (!owner) throw notFound(`User ${userId}`);
  refuseBadPassword(input, owner);
  const hash = await hashPassword(input.password);
  await change(db, actor, async ({ tx, record }) => {
    const locked = await lockOwner(tx, userId);
    if (!locked) throw notFound(`User ${userId}`);
    await applyPassword({ tx, actor, record }, locked, hash);
  });
}

/**
 * A user changes their own password and proves that they know the old one, within the limits of logins. All sessions end; who
 * did it in a session goes on in a new one, whose secret is returned.
 */
export async function changeOwnPassword(
  db: Db,
  actor: Actor,
  input: OwnNewPassword,
  session: LoginOrigin | undefined,
): Promise<string | undefined> {
  refuseBadPassword(input, (await findOwner(db, actor.userId)) ?? {});
  const checked = await checkPassword(db, actor.name, input.oldPassword, actor.ip ?? '');
  if (checked.kind === 'blocked') throw tooManyFailures(checked.seconds);
  if (checked.kind === 'wrong' || checked.account.id !== actor.userId) throw wrongOldPassword();
  const hash = await hashPassword(input.password);
  return await change(db, actor, async ({ tx, record }) => {
    const owner = await lockOwner(tx, actor.userId);
    // Changed by an admin since it was checked: who knows the old one only may not undo that.
    if (owner?.passwordHash !== checked.account.passwordHash) throw wrongOldPassword();
    await applyPassword({ tx, actor, record }, owner, hash);
    return session && (await openSession(tx, owner.id, 'password', session));
  });
}

/** Part of a change, with the user locked: the new password counts from the commit on, and nothing goes on with the old one. */
export async function applyPassword(
  { tx, record }: Change,
  owner: PasswordOwner,
  hash: string,
): Promise<void> {
  await updatePassword(tx, owner.id, hash);
  await endSessionsOf(tx, [owner.id]);
  record({ type: 'user-password-changed', data: asEventData(owner) });
}

/** Part of a change, with the user locked: neither the password nor a link to set one works any more. */
export async function removePassword(
  tx: Tx,
  userId: number,
): Promise<{ password: boolean; passwordLink: boolean }> {
  return await deletePassword(tx, userId);
}

export function asEventData({ id, name, username, email }: PasswordOwner): object {
  return { id, name, username, email };
}

function refuseBadPassword(input: NewPassword, person: Person): void {
  const details: Violation[] = passwordViolations(input.password, person);
  if (input.confirmPassword !== undefined && input.confirmPassword !== input.password) {
    details.push({ message: 'confirmPassword differs from password', path: '/body/confirmPassword' });
  }
  if (details.length > 0) throw badData(details);
}

const wrongOldPassword = () =>
  badData([{ message: 'oldPassword is not the password of this user', path: '/body/oldPassword' }]);
