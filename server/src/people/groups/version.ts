import type { Versioned } from '../../record/versioned.ts';
import { lockAdmins } from '../grants/store.ts';
import type { Group } from './schema.ts';
import { findGroup, lockGroup } from './store.ts';

export const VERSIONED_GROUP: Versioned<number, Group> = {
  formatName: id => `Group ${id}`,
  lock: async ({ tx }, id) => {
    // A change to a group can revoke ADMIN, so it takes the lock on admins first.
    await lockAdmins(tx);
    await lockGroup(tx, id);
    return await findGroup(tx, id);
  },
  derived: ['createdAt', 'createdBy', 'projects'],
};
