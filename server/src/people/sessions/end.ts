import { notFound } from '@halyard/plane/platform/errors.ts';
import { hashToken } from '@halyard/plane/platform/token.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { deleteExpired, deleteSession, deleteSessionByHash, deleteUserSessions } from './store.ts';

/** Ends the session of a cookie. Does nothing if the session has already ended. */
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
  const sessions = await deleteUserSessions(tx, [owner.userId]);
  if (sessions > 0) record({ type: 'user-sessions-ended', data: { ...owner, sessions } });
  return sessions;
}

/** Ends all sessions of the users and returns how many there were. The caller records the event that explains why. */
export async function endUserSessions({ tx }: Change, userIds: number[]): Promise<number> {
  return await deleteUserSessions(tx, userIds);
}

/** Deletes expired sessions and other expired rows about logins. Returns the number of deleted rows. */
export const sweepExpiredLoginData = async (db: Db): Promise<number> => await deleteExpired(db);
