import type { Actor, Credential } from '../platform/actor.ts';
import type { Reader, Tx } from '../platform/db/database.ts';
import { hasCredential, listValidCredentials } from './store.ts';

/** Returns whether the session or personal token of the request still exists. Either can be revoked while the request runs. */
export const isStillValid = async (tx: Tx, { credential }: Actor): Promise<boolean> =>
  credential === undefined || (await hasCredential(tx, credential));

/** Returns the credentials that are still valid, and whether their actors are root admins now. */
export const findValidCredentials = async (
  db: Reader,
  credentials: Credential[],
): Promise<(Credential & { isAdmin: boolean })[]> => await listValidCredentials(db, credentials);
