import type { Db } from '../../platform/db/database.ts';
import { announceApplications } from './announce.ts';
import { type SeenInstance, upsertInstances } from './store.ts';

/** Notes instances that were seen, and creates their applications. Not a change: it is bookkeeping like the last use of a token. */
export async function seeInstances(db: Db, instances: SeenInstance[]): Promise<void> {
  await announceApplications(db, [...new Set(instances.map(({ application }) => application))]);
  await upsertInstances(db, instances);
}
