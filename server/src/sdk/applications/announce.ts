import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Change, change } from '../../record/change.ts';
import { insertApplications, listUnannounced } from './store.ts';

/** Applications of an instance. Their names come from the code of users, so a bug could create any number. */
export const MOST_APPLICATIONS = 10_000;

/** Creates the applications that are new, with one event for each, up to the most that there may be. */
export async function announceApplications(db: Db, names: string[]): Promise<void> {
  const unknown = await listUnannounced(db, names);
  if (unknown.length > 0) await change(db, SYSTEM, current => createApplications(current, unknown));
}

/** The constraint decides which server creates an application, so there is one event for each. */
async function createApplications({ tx, record }: Change, names: string[]): Promise<void> {
  for (const { name, createdAt } of await insertApplications(tx, names, MOST_APPLICATIONS))
    record({ type: 'application-created', data: { appName: name, createdAt } });
}
