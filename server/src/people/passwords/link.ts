import { ApiError, invalidOperation, notFound } from '@halyard/plane/platform/errors.ts';
import { hashToken, isForged, newToken } from '@halyard/plane/platform/token.ts';
import { type Actor, SYSTEM } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { trustNetwork } from '../sessions/known-networks.ts';
import { applyPassword, ownerEventData } from './change.ts';
import type { PasswordLink } from './schema.ts';
import { deleteValidLink, findIdByEmail, findLink, lockOwner, upsertLink } from './store.ts';

const RESET_HOURS = 24;
const INVITATION_HOURS = 7 * 24;

/**
 * Creates a link that lets a user, identified by id or email address, set a new password. It replaces the user's earlier link.
 */
export async function createResetLink(
  current: Change,
  user: number | string,
  publicUrl: string,
): Promise<string> {
  const userId = isId(user) ? Number(user) : await findIdByEmail(current.tx, String(user));
  const owner = userId === undefined ? undefined : await lockOwner(current.tx, userId);
  if (!owner) throw notFound(isId(user) ? `User ${user}` : `User with email address "${user}"`);
  if (owner.deactivated)
    throw invalidOperation(`User ${owner.id} is deactivated and cannot log in. Reactivate the user first.`);
  const secret = await createLink(current, owner.id, RESET_HOURS);
  current.record({ type: 'user-password-link-created', data: ownerEventData(owner) });
  return `${publicUrl}/reset-password?token=${secret}`;
}

const isId = (user: number | string): boolean => typeof user === 'number' || /^[0-9]{1,9}$/.test(user);

/** Creates a link that lets a new user set their first password. The caller records the creation of the user. */
export async function createInvitationLink(
  current: Change,
  userId: number,
  publicUrl: string,
): Promise<string> {
  return `${publicUrl}/new-user?token=${await createLink(current, userId, INVITATION_HOURS)}`;
}

async function createLink({ tx, actor }: Change, userId: number, hours: number): Promise<string> {
  const secret = newToken('password-link', '');
  await upsertLink(tx, { userId, hash: hashToken(secret), createdByUserId: actor.userId, hours });
  return secret;
}

/** Finds the user whose password the link sets. */
export async function findValidLink(db: Reader, token: string): Promise<PasswordLink> {
  const link = isForged(token) ? undefined : await findLink(db, hashToken(token));
  if (!link) throw invalidLink();
  return link;
}

/** Returns the user of the link, as the actor of the change that sets their password. */
export const toLinkActor = ({ id, username, email }: PasswordLink, ip: string): Actor => ({
  ...SYSTEM,
  kind: 'user',
  userId: id,
  name: username ?? String(email),
  ip,
});

/** Sets the password of the actor and ends all their sessions. The link works once. */
export async function setPasswordByLink(
  current: Change,
  token: string,
  hash: string,
  ip: string,
): Promise<void> {
  const { tx, actor } = current;
  const owner = await lockOwner(tx, actor.userId);
  if (!owner || (await deleteValidLink(tx, hashToken(token))) === undefined) throw invalidLink();
  await applyPassword(current, owner, hash);
  await trustNetwork(current, owner.id, ip);
}

const invalidLink = (): ApiError =>
  new ApiError(
    'AuthenticationRequired',
    'This link is invalid, expired or already used. Ask an admin for a new one.',
  );
