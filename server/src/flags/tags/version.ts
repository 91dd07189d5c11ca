import type { Versioned } from '../../record/versioned.ts';
import type { TagType } from './schema.ts';
import { lockTagType } from './store.ts';

export const VERSIONED_TAG_TYPE: Versioned<string, TagType> = {
  formatName: name => `Tag type "${name}"`,
  lock: ({ tx }, name) => lockTagType(tx, name),
  derived: [],
};
