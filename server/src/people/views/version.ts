import { requireUser } from '../../access/caller.ts';
import type { Versioned } from '../../record/versioned.ts';
import type { SavedView } from './schema.ts';
import { lockView } from './store.ts';

export const VERSIONED_VIEW: Versioned<number, SavedView> = {
  formatName: id => `Saved view ${id}`,
  lock: ({ tx, actor }, id) => lockView(tx, requireUser(actor), id),
  derived: [],
};
