import type { Versioned } from '../../record/versioned.ts';
import type { ServiceAccount } from './schema.ts';
import { findServiceAccount, lockServiceAccount } from './store.ts';

export const VERSIONED_SERVICE_ACCOUNT: Versioned<number, ServiceAccount> = {
  formatName: id => `Service account ${id}`,
  lock: async ({ tx }, id) => {
    await lockServiceAccount(tx, id);
    return await findServiceAccount(tx, id);
  },
  derived: ['createdAt', 'tokens'],
};
