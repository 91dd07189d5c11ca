import {
  OTHER_APPLICATIONS,
  type ReachedQuota,
  reachedQuotas,
  splitByQuota,
} from '@halyard/plane/counting/quotas.ts';
import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Change, change } from '../../record/change.ts';
import { countApplications, insertApplications, listUnannounced, markSeen } from './store.ts';

/** The maximum number of applications in an instance. Names come from users' code, so a bug could create any number. */
export const MAX_APPLICATIONS = 10_000;

/** An application, and the token that reported it first. */
export type ReportedApplication = { name: string; token: number };

export type AnnouncedApplications = {
  /** The name under which an application is stored: its own, or OTHER_APPLICATIONS if its token has too many. */
  getStoredName: (application: string) => string;
  reached: ReachedQuota[];
};

/** Creates the new applications, with one event for each, up to the quota of their token and the maximum number of applications. */
export async function announceApplications(
  db: Db,
  reportedApplications: ReportedApplication[],
): Promise<AnnouncedApplications> {
  const tokenByName = new Map(reportedApplications.map(({ name, token }) => [name, token]));
  const names = [...tokenByName.keys()];
  await markSeen(db, names);
  const newApplications = (await listUnannounced(db, names)).map(name => ({
    name,
    token: tokenByName.get(name) ?? 0,
  }));
  if (newApplications.length === 0) return { getStoredName: name => name, reached: [] };
  const quotaUsage = await countApplications(
    db,
    newApplications.map(({ token }) => token),
  );
  const { within, above } = splitByQuota('applications', newApplications, quotaUsage);
  if (within.length > 0) await change(db, SYSTEM, current => createApplications(current, within));
  const unannounced = new Set(await listUnannounced(db, [...names, OTHER_APPLICATIONS]));
  if (unannounced.delete(OTHER_APPLICATIONS) && unannounced.size > 0) await change(db, SYSTEM, createOther);
  return {
    getStoredName: name => (unannounced.has(name) ? OTHER_APPLICATIONS : name),
    reached: reachedQuotas('applications', above),
  };
}

/** The unique constraint on names decides which server creates an application, so each application has one event. */
async function createApplications(
  { tx, record }: Change,
  newApplications: ReportedApplication[],
): Promise<void> {
  for (const { name, createdAt } of await insertApplications(tx, newApplications, MAX_APPLICATIONS))
    record({ type: 'application-created', data: { appName: name, createdAt } });
}

/** Above the maximum, all further applications are counted under one name. */
const createOther = async (current: Change): Promise<void> => {
  const other = [{ name: OTHER_APPLICATIONS, token: 0 }];
  for (const { name, createdAt } of await insertApplications(current.tx, other, Number.MAX_SAFE_INTEGER))
    current.record({ type: 'application-created', data: { appName: name, createdAt } });
};
