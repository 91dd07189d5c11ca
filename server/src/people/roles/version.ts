import type { Versioned } from '../../record/versioned.ts';
import { lockRole, type WholeRole } from './store.ts';

export const VERSIONED_ROLE: Versioned<number, WholeRole> = {
  nameOf: id => `Role ${id}`,
  lock: ({ tx }, id) => lockRole(tx, id),
  derived: [],
};
