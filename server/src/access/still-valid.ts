import type { Actor } from '../platform/actor.ts';
import type { Tx } from '../platform/db/database.ts';
import { hasCredential } from './store.ts';

/** Whether the session or personal token of the request still exists. It can be revoked while the request runs. */
export const isStillValid = async (tx: Tx, { credential }: Actor): Promise<boolean> =>
  credential === undefined || (await hasCredential(tx, credential));
