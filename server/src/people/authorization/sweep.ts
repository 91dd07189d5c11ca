import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { lockPersonalTokens } from '../users/store.ts';
import { removeEndedGrants } from './grant.ts';
import { deleteExpiredDeviceCodes, listEndedGrants } from './store.ts';

/** Deletes the tokens of grants that have ended or were never fetched, and device codes that have expired. Returns how many. */
export async function sweepGrants(db: Db): Promise<number> {
  let removed = await deleteExpiredDeviceCodes(db);
  const owners = new Set((await listEndedGrants(db)).map(({ userId }) => userId));
  for (const userId of owners)
    removed += await change(db, SYSTEM, async current => {
      await lockPersonalTokens(current.tx, userId);
      return await removeEndedGrants(current, userId);
    });
  return removed;
}
