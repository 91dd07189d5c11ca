import {
  OTHER_APPLICATIONS,
  type ReachedQuota,
  reachedBy,
  withinQuota,
} from '../../../../plane/src/counting/quotas.ts';
import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Change, change } from '../../record/change.ts';
import { countApplications, insertApplications, listUnannounced, markSeen } from './store.ts';

/** The maximum number of applications of an instance. Names come from users' code, so a bug could create any number. */
export const MAX_APPLICATIONS = 10_000;

/** An application, and the token that reported it first. */
export type ReportedApplication = { name: string; token: number };

export type Announced = {
  /** The name under which an application is stored: its own, or OTHER_APPLICATIONS if its token has too many. */
  nameOf: (application: string) => string;
  reached: ReachedQuota[];
};

/**
 * Creates the applications that are new, with one event for each, up to the quota of their token and the maximum number of
 * applications.
 */
export async function announceApplications(db: Db, reported: ReportedApplication[]): Promise<Announced> {
  const tokenOf = new Map(reported.map(({ name, token }) => [name, token]));
  const names = [...tokenOf.keys()];
  await markSeen(db, names);
  const fresh = (await listUnannounced(db, names)).map(name => ({ name, token: tokenOf.get(name) ?? 0 }));
  if (fresh.length === 0) return { nameOf: name => name, reached: [] };
  const added = await countApplications(
    db,
    fresh.map(({ token }) => token),
  );
  const { within, above } = withinQuota('applications', fresh, added);
  if (within.length > 0) await change(db, SYSTEM, current => createApplications(current, within));
  const left = new Set(await listUnannounced(db, [...names, OTHER_APPLICATIONS]));
  if (left.delete(OTHER_APPLICATIONS) && left.size > 0) await change(db, SYSTEM, createOther);
  return {
    nameOf: name => (left.has(name) ? OTHER_APPLICATIONS : name),
    reached: reachedBy('applications', above),
  };
}

/** The constraint decides which server creates an application, so there is one event for each. */
async function createApplications({ tx, record }: Change, reported: ReportedApplication[]): Promise<void> {
  for (const { name, createdAt } of await insertApplications(tx, reported, MAX_APPLICATIONS))
    record({ type: 'application-created', data: { appName: name, createdAt } });
}

/** Beyond the maximum number, all other applications are counted under one name. */
const createOther = async (current: Change): Promise<void> => {
  const other = [{ name: OTHER_APPLICATIONS, token: 0 }];
  for (const { name, createdAt } of await insertApplications(current.tx, other, Number.MAX_SAFE_INTEGER))
    current.record({ type: 'application-created', data: { appName: name, createdAt } });
};
