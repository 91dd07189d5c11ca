import { toNetwork } from '@halyard/plane/platform/admission/network.ts';
import { hashToken, newToken } from '@halyard/plane/platform/token.ts';
import { SESSION_DAYS } from '../../access/cookie.ts';
import type { Tx } from '../../platform/db/database.ts';
import { MAX_SESSIONS } from './limits.ts';
import { deleteOldestSessions, deleteSessionByHash, insertSession, upsertKnownNetwork } from './store.ts';

const MAX_USER_AGENT_LENGTH = 255;

/** The client that logs in. `replacedSecret` is the secret in the client's cookie, whose session the new session replaces. */
export type LoginOrigin = { ip: string; userAgent: string | undefined; replacedSecret?: string | undefined };

/**
 * Opens a session for an authenticated user. The caller holds the lock on the user. Returns the secret for the cookie, which
 * is stored nowhere else.
 */
export async function openSession(
  tx: Tx,
  userId: number,
  method: 'password' | 'oidc',
  { ip, userAgent, replacedSecret }: LoginOrigin,
): Promise<string> {
  const secret = newToken('session', '');
  if (replacedSecret !== undefined) await deleteSessionByHash(tx, hashToken(replacedSecret));
  await deleteOldestSessions(tx, userId, MAX_SESSIONS - 1);
  await insertSession(tx, {
    userId,
    hash: hashToken(secret),
    method,
    ip,
    userAgent: userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    days: SESSION_DAYS,
  });
  await upsertKnownNetwork(tx, userId, toNetwork(ip));
  return secret;
}
