import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { deleteApplication, lockIdleApplications } from './store.ts';

/** An application that was not seen for this long is deleted, unless it has a description, URL, icon or color. */
export const IDLE_DAYS = 30;
const APPLICATIONS_PER_CHANGE = 100;

/** Deletes idle applications with their instances. Returns the number of deleted applications. */
export async function expireApplications(db: Db): Promise<number> {
  let expiredApplicationCount = 0;
  for (
    let batchSize = APPLICATIONS_PER_CHANGE;
    batchSize >= APPLICATIONS_PER_CHANGE;
    expiredApplicationCount += batchSize
  ) {
    batchSize = await change(db, SYSTEM, async ({ tx, record }) => {
      const idleApplications = await lockIdleApplications(tx, IDLE_DAYS, APPLICATIONS_PER_CHANGE);
      for (const { id, name } of idleApplications) {
        await deleteApplication(tx, id);
        record({ type: 'application-deleted', preData: { appName: name } });
      }
      return idleApplications.length;
    });
  }
  return expiredApplicationCount;
}
