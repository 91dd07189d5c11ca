import type { Actor } from '../platform/actor.ts';
import type { Tx } from '../platform/db/database.ts';
import { hasCredential } from './store.ts';

/** Whether the session or personal token that the actor came with has not been revoked since the request began. */
export const isStillValid = async (tx: Tx, { credential }: Actor): Promise<boolean> =>
  credential === undefined || (await hasCredential(tx, credential));
