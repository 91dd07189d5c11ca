import type { Versioned } from '../../record/versioned.ts';
import { lockAdmins } from '../grants/store.ts';
import type { User } from './admin-schema.ts';
import { lockExistingUsers } from './store.ts';

export const VERSIONED_USER: Versioned<number, User> = {
  formatName: id => `User ${id}`,
  lock: async ({ tx }, id) => {
    // A change to a user can revoke ADMIN, so the admins are locked first.
    await lockAdmins(tx);
    const [user] = await lockExistingUsers(tx, [id]);
    return user;
  },
  derived: ['createdAt', 'seenAt'],
};
