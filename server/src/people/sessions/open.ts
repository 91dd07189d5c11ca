import { networkOf } from '../../../../plane/src/platform/admission/network.ts';
import { hashToken, newToken } from '../../../../plane/src/platform/token.ts';
import { SESSION_DAYS } from '../../access/cookie.ts';
import type { Tx } from '../../platform/db/database.ts';
import { MAX_SESSIONS } from './limits.ts';
import { deleteOldestSessions, deleteSessionByHash, insertSession, upsertKnownNetwork } from './store.ts';

const MAX_USER_AGENT_LENGTH = 255;

/** The client of a login, and the session of its cookie, which the new session replaces. */
export type LoginOrigin = { ip: string; userAgent: string | undefined; replaces?: string | undefined };

/**
 * Opens a session for an authenticated user. The caller holds the lock on the user. Returns the secret for the cookie, which
 * is stored nowhere else.
 */
export async function openSession(
  tx: Tx,
  userId: number,
  method: 'password' | 'oidc',
  { ip, userAgent, replaces }: LoginOrigin,
): Promise<string> {
  const secret = newToken('session', '');
  if (replaces !== undefined) await deleteSessionByHash(tx, hashToken(replaces));
  await deleteOldestSessions(tx, userId, MAX_SESSIONS - 1);
  await insertSession(tx, {
    userId,
    hash: hashToken(secret),
    method,
    ip,
    userAgent: userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    days: SESSION_DAYS,
  });
  await upsertKnownNetwork(tx, userId, networkOf(ip));
  return secret;
}
