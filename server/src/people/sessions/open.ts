import { SESSION_DAYS } from '../../access/cookie.ts';
import { hashToken, newToken } from '../../access/token.ts';
import type { Tx } from '../../platform/db/database.ts';
import { MAX_SESSIONS } from './limits.ts';
import { networkOf } from './network.ts';
import { deleteSessionByHash, insertSession, rememberPlace, trimSessions } from './store.ts';

const MAX_USER_AGENT_LENGTH = 255;

/** Where a login comes from, and the session that the browser had so far, which it replaces. */
export type LoginOrigin = { ip: string; userAgent: string | undefined; replaces?: string | undefined };

/**
 * Opens a session for a user who has proved in some way who they are; the caller holds the lock on the user. The secret
 * returned goes into the cookie and nowhere else.
 */
export async function openSession(
  tx: Tx,
  userId: number,
  method: 'password' | 'oidc',
  { ip, userAgent, replaces }: LoginOrigin,
): Promise<string> {
  const secret = newToken('session', '');
  if (replaces !== undefined) await deleteSessionByHash(tx, hashToken(replaces));
  await trimSessions(tx, userId, MAX_SESSIONS - 1);
  await insertSession(tx, {
    userId,
    hash: hashToken(secret),
    method,
    ip,
    userAgent: userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    days: SESSION_DAYS,
  });
  await rememberPlace(tx, userId, networkOf(ip));
  return secret;
}
