import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { lockAndCountPersonalTokens } from '../users/store.ts';
import { removeEndedGrants } from './grant.ts';
import { deleteExpiredDeviceCodes, listEndedGrants } from './store.ts';

/**
 * Deletes the tokens of grants that have ended or were never fetched, and device codes that have expired. Returns the
 * number of deleted tokens and codes.
 */
export async function sweepGrants(db: Db): Promise<number> {
  let deletedCount = await deleteExpiredDeviceCodes(db);
  const owners = new Set((await listEndedGrants(db)).map(({ userId }) => userId));
  for (const userId of owners)
    deletedCount += await change(db, SYSTEM, async current => {
      await lockAndCountPersonalTokens(current.tx, userId);
      return await removeEndedGrants(current, userId);
    });
  return deletedCount;
}
