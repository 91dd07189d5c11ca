import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { deleteApplication, lockIdleApplications } from './store.ts';

/** An application that was not seen for this long is deleted, unless somebody described it. */
export const IDLE_DAYS = 30;
const PER_CHANGE = 100;

/** Deletes idle applications with their instances. Returns the number of applications. */
export async function expireApplications(db: Db): Promise<number> {
  let expired = 0;
  for (let found = PER_CHANGE; found >= PER_CHANGE; expired += found) {
    found = await change(db, SYSTEM, async ({ tx, record }) => {
      const idle = await lockIdleApplications(tx, IDLE_DAYS, PER_CHANGE);
      for (const { id, name } of idle) {
        await deleteApplication(tx, id);
        record({ type: 'application-deleted', preData: { appName: name } });
      }
      return idle.length;
    });
  }
  return expired;
}
