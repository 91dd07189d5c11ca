import type { Versioned } from '../../record/versioned.ts';
import { type FullRole, lockRole } from './store.ts';

export const VERSIONED_ROLE: Versioned<number, FullRole> = {
  formatName: id => `Role ${id}`,
  lock: ({ tx }, id) => lockRole(tx, id),
  derived: [],
};
