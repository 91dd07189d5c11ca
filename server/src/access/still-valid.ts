import type { Actor, Credential } from '../platform/actor.ts';
import type { Reader, Tx } from '../platform/db/database.ts';
import { hasCredential, listValidCredentials } from './store.ts';

/** Whether the session or personal token of the request still exists. It can be revoked while the request runs. */
export const isStillValid = async (tx: Tx, { credential }: Actor): Promise<boolean> =>
  credential === undefined || (await hasCredential(tx, credential));

/** The credentials that are still valid, and whether their actors are root admins now. */
export const validCredentials = async (
  db: Reader,
  credentials: Credential[],
): Promise<(Credential & { isAdmin: boolean })[]> => await listValidCredentials(db, credentials);
