import type { Versioned } from '../../record/versioned.ts';
import { lockFeatures } from '../feature-rows/lock.ts';
import type { OwnerList } from './schema.ts';
import { listOwners, lockOwners } from './store.ts';

type Key = { projectId: string; featureName: string };

export const VERSIONED_OWNERS: Versioned<Key, OwnerList> = {
  formatName: ({ featureName }) => `The owners of feature "${featureName}"`,
  lock: async ({ tx }, { projectId, featureName }) => {
    // Users and groups are locked before the feature.
    await lockOwners(tx, featureName, []);
    await lockFeatures(tx, projectId, [featureName]);
    return { owners: await listOwners(tx, featureName) };
  },
  derived: [],
};
