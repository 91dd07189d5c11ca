import { hashToken, isForged, newToken } from '../../access/token.ts';
import { type Actor, SYSTEM } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { welcomeHere } from '../sessions/welcome.ts';
import { applyPassword, asEventData } from './change.ts';
import { hashPassword } from './hash.ts';
import type { PasswordByLink, PasswordLink } from './schema.ts';
import { findLink, lockOwner, takeLink, upsertLink } from './store.ts';
import { refuseWeakPassword } from './strength.ts';

const RESET_HOURS = 24;
const INVITATION_HOURS = 7 * 24;

/** Makes the link by which a user sets a new password; the one before is worth nothing from then on. */
export async function createResetLink(
  db: Db,
  actor: Actor,
  userId: number,
  publicUrl: string,
): Promise<string> {
  return await change(db, actor, async ({ tx, record }) => {
    const owner = await lockOwner(tx, userId);
    if (!owner) throw notFound(`User ${userId}`);
    const secret = await makeLink(tx, actor, userId, RESET_HOURS);
    record({ type: 'user-password-link-created', data: asEventData(owner) });
    return `${publicUrl}/reset-password?token=${secret}`;
  });
}

/** Part of a change that makes a user without a password: the link by which they set their first one. */
export async function inviteByLink(tx: Tx, actor: Actor, userId: number, publicUrl: string): Promise<string> {
  return `${publicUrl}/new-user?token=${await makeLink(tx, actor, userId, INVITATION_HOURS)}`;
}

async function makeLink(tx: Tx, actor: Actor, userId: number, hours: number): Promise<string> {
  const secret = newToken('password-link', '');
  await upsertLink(tx, { userId, hash: hashToken(secret), createdByUserId: actor.userId, hours });
  return secret;
}

/** Whose password the link sets. */
export async function describeLink(db: Db, token: string): Promise<PasswordLink> {
  const link = isForged(token) ? undefined : await findLink(db, hashToken(token));
  if (!link) throw invalidLink();
  return link;
}

/** Sets a password by a link, once. Everything that was logged in as this user is logged out. */
export async function setPasswordByLink(db: Db, input: PasswordByLink, ip: string): Promise<void> {
  const link = await describeLink(db, input.token);
  refuseWeakPassword(input.password, link);
  const hash = await hashPassword(input.password);
  const actor: Actor = {
    ...SYSTEM,
    kind: 'user',
    userId: link.id,
    name: link.username ?? String(link.email),
    ip,
  };
  await change(db, actor, async ({ tx, record }) => {
    const owner = await lockOwner(tx, link.id);
    if (!owner || (await takeLink(tx, hashToken(input.token))) === undefined) throw invalidLink();
    await applyPassword({ tx, actor, record }, owner, hash);
    await welcomeHere(tx, owner.id, ip);
  });
}

const invalidLink = (): ApiError =>
  new ApiError(
    'AuthenticationRequired',
    'This link is not valid, or not any more. Ask an admin for a new one.',
  );
