import type { Versioned } from '../../record/versioned.ts';
import type { FeatureType } from './schema.ts';
import { lockFeatureType } from './store.ts';

export const VERSIONED_FEATURE_TYPE: Versioned<string, FeatureType> = {
  formatName: id => `Feature type "${id}"`,
  lock: ({ tx }, id) => lockFeatureType(tx, id),
  derived: [],
};
