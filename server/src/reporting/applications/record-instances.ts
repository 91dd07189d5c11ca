import {
  OTHER_APPLICATIONS,
  OTHER_INSTANCES,
  QUOTAS,
  type ReachedQuota,
  reachedQuotas,
} from '@halyard/plane/counting/quotas.ts';
import type { Db } from '../../platform/db/database.ts';
import { announceApplications } from './announce.ts';
import { listNewInstances, type SeenInstance, upsertInstances } from './store.ts';

const HOUR_MS = 3_600_000;

export type RecordInstances = (db: Db, instances: SeenInstance[]) => Promise<ReachedQuota[]>;

/**
 * Records instances that were seen, and creates their applications. This is bookkeeping, like a token's last use, rather than a
 * change.
 */
export function makeInstanceRecorder(now: () => number = Date.now): RecordInstances {
  let hour = 0;
  let addedByToken = new Map<number, number>();

  /** Counts a new instance of the token, or returns false if the token has used up its quota for this hour. */
  const takeQuota = (token: number): boolean => {
    const currentHour = Math.floor(now() / HOUR_MS);
    if (currentHour !== hour) addedByToken = new Map();
    hour = currentHour;
    const addedBefore = addedByToken.get(token) ?? 0;
    if (addedBefore >= QUOTAS.instances.perHour) return false;
    addedByToken.set(token, addedBefore + 1);
    return true;
  };

  return async (db, instances) => {
    const { getStoredName, reached } = await announceApplications(
      db,
      instances.map(({ application, token }) => ({ name: application, token })),
    );
    const namedInstances = instances.map(instance => ({
      ...instance,
      application: getStoredName(instance.application),
    }));
    const newIndexes = await listNewInstances(db, namedInstances);
    const aboveQuota = namedInstances.filter(
      (instance, index) => newIndexes.has(index) && !takeQuota(instance.token),
    );
    const otherInstances = new Set(aboveQuota);
    const storedInstances = namedInstances.map(instance => {
      const isOther = otherInstances.has(instance) || instance.application === OTHER_APPLICATIONS;
      return isOther ? { ...instance, instanceId: OTHER_INSTANCES } : instance;
    });
    await upsertInstances(db, keepNewest(storedInstances));
    return [...reached, ...reachedQuotas('instances', aboveQuota)];
  };
}

const keepNewest = (instances: SeenInstance[]): SeenInstance[] => {
  const newest = new Map<string, SeenInstance>();
  for (const instance of instances) {
    const key = JSON.stringify([instance.application, instance.environment, instance.instanceId]);
    const previous = newest.get(key);
    if (!previous || previous.seenAt < instance.seenAt) newest.set(key, instance);
  }
  return [...newest.values()];
};
