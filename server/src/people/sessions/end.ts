import { notFound } from '../../../../plane/src/platform/errors.ts';
import { hashToken } from '../../../../plane/src/platform/token.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { deleteExpired, deleteSession, deleteSessionByHash, deleteSessionsOf } from './store.ts';

/** Ends the session of a cookie. A session that has already ended is not an error. */
export async function logOut(db: Db, secret: string): Promise<void> {
  await deleteSessionByHash(db, hashToken(secret));
}

/** The user of a session, as events name them. */
type SessionOwner = { userId: number; username: string | null };

/** Ends one session of a user. */
export async function endSession({ tx, record }: Change, owner: SessionOwner, id: number): Promise<void> {
  if (!(await deleteSession(tx, owner.userId, id))) throw notFound(`Session ${id}`);
  record({ type: 'user-sessions-ended', data: { ...owner, sessions: 1 } });
}

/** Ends all sessions of a user, on every server. Returns how many there were. */
export async function endAllSessions({ tx, record }: Change, owner: SessionOwner): Promise<number> {
  const sessions = await deleteSessionsOf(tx, [owner.userId]);
  if (sessions > 0) record({ type: 'user-sessions-ended', data: { ...owner, sessions } });
  return sessions;
}

/** Ends all sessions of the users and returns how many there were. The caller records the event that explains why. */
export async function endSessionsOf({ tx }: Change, userIds: number[]): Promise<number> {
  return await deleteSessionsOf(tx, userIds);
}

/** Deletes expired sessions, counters, links and tokens. Returns how many rows. */
export const sweepLogins = async (db: Db): Promise<number> => await deleteExpired(db);
