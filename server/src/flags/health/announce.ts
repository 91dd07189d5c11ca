import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { markAnnounced } from './store.ts';

const AT_ONCE = 500;

/** Records once for every feature that it has become potentially stale; returns how many it was now. */
export async function announcePotentiallyStale(db: Db, at = new Date()): Promise<number> {
  let announced = 0;
  for (;;) {
    const batch = await announceSome(db, at);
    announced += batch;
    if (batch < AT_ONCE) return announced;
  }
}

async function announceSome(db: Db, at: Date): Promise<number> {
  return await change(db, SYSTEM, async ({ tx, record }) => {
    const features = await markAnnounced(tx, at, AT_ONCE);
    for (const { name, project, ...data } of features) {
      record({ type: 'feature-potentially-stale-on', project, featureName: name, data });
    }
    return features.length;
  });
}
