import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Change, change } from '../../record/change.ts';
import { markAnnounced } from './store.ts';

const BATCH_SIZE = 500;

/** Records one event for each feature that has become potentially stale. Returns the number of events. */
export async function announcePotentiallyStale(db: Db, now = new Date()): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await change(db, SYSTEM, current => announceBatch(current, now));
    total += count;
    if (count < BATCH_SIZE) return total;
  }
}

async function announceBatch({ tx, record }: Change, now: Date): Promise<number> {
  const features = await markAnnounced(tx, now, BATCH_SIZE);
  for (const { name, project, ...data } of features)
    record({ type: 'feature-potentially-stale-on', project, featureName: name, data });
  return features.length;
}
