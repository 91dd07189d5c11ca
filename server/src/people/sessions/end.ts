import { hashToken } from '../../access/token.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { deleteExpired, deleteSession, deleteSessionByHash, deleteSessionsOf } from './store.ts';

/** Ends the session of a cookie; one that has ended already stays so. */
export async function logOut(db: Db, secret: string): Promise<void> {
  await deleteSessionByHash(db, hashToken(secret));
}

/** Whose sessions they are. */
type Owner = { userId: number; username: string | null };

/** Ends one session of a user. */
export async function endSession(db: Db, actor: Actor, owner: Owner, id: number): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    if (!(await deleteSession(tx, owner.userId, id))) throw notFound(`Session ${id}`);
    record({ type: 'user-sessions-ended', data: { ...owner, sessions: 1 } });
  });
}

/** Ends all sessions of a user, on every server at once; without any nothing happens. */
export async function endAllSessions(db: Db, actor: Actor, owner: Owner): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const sessions = await deleteSessionsOf(tx, [owner.userId]);
    if (sessions > 0) record({ type: 'user-sessions-ended', data: { ...owner, sessions } });
  });
}

/** Part of a change after which nobody may go on as these users without logging in again; returns how many sessions ended. */
export async function endSessionsOf(tx: Tx, userIds: number[]): Promise<number> {
  return await deleteSessionsOf(tx, userIds);
}

/** Removes what has ended; returns how many rows. */
export const sweepLogins = async (db: Db): Promise<number> => await deleteExpired(db);
