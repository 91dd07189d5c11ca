import {
  OTHER_APPLICATIONS,
  OTHER_INSTANCES,
  QUOTAS,
  type ReachedQuota,
  reachedBy,
} from '../../../../plane/src/counting/quotas.ts';
import type { Db } from '../../platform/db/database.ts';
import { announceApplications } from './announce.ts';
import { listNewInstances, type SeenInstance, upsertInstances } from './store.ts';

const HOUR_MS = 3_600_000;

export type RecordInstances = (db: Db, instances: SeenInstance[]) => Promise<ReachedQuota[]>;

/** Records instances that were seen, and creates their applications. Not a change: it is bookkeeping like the last use of a token. */
export function makeInstanceRecorder(now: () => number = Date.now): RecordInstances {
  let hour = 0;
  let added = new Map<number, number>();

  /** Whether the token may still add an instance in this hour. */
  const hasLeft = (token: number): boolean => {
    const current = Math.floor(now() / HOUR_MS);
    if (current !== hour) added = new Map();
    hour = current;
    const before = added.get(token) ?? 0;
    if (before >= QUOTAS.instances.perHour) return false;
    added.set(token, before + 1);
    return true;
  };

  return async (db, instances) => {
    const { nameOf, reached } = await announceApplications(
      db,
      instances.map(({ application, token }) => ({ name: application, token })),
    );
    const named = instances.map(one => ({ ...one, application: nameOf(one.application) }));
    const fresh = await listNewInstances(db, named);
    const above = named.filter((one, at) => fresh.has(at) && !hasLeft(one.token));
    const others = new Set(above);
    const stored = named.map(one => {
      const isOther = others.has(one) || one.application === OTHER_APPLICATIONS;
      return isOther ? { ...one, instanceId: OTHER_INSTANCES } : one;
    });
    await upsertInstances(db, newestOfEach(stored));
    return [...reached, ...reachedBy('instances', above)];
  };
}

const newestOfEach = (instances: SeenInstance[]): SeenInstance[] => {
  const kept = new Map<string, SeenInstance>();
  for (const one of instances) {
    const key = JSON.stringify([one.application, one.environment, one.instanceId]);
    const before = kept.get(key);
    if (!before || before.seenAt < one.seenAt) kept.set(key, one);
  }
  return [...kept.values()];
};
