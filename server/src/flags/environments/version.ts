import type { Versioned } from '../../record/versioned.ts';
import { lockForRemoval } from './remove.ts';
import type { Environment } from './schema.ts';
import { findEnvironment, lockEnvironments } from './store.ts';

export const VERSIONED_ENVIRONMENT: Versioned<string, Environment> = {
  nameOf: name => `Environment "${name}"`,
  lock: async ({ tx, actor }, name) => {
    await lockEnvironments(tx, [name]);
    return await findEnvironment(tx, actor, name);
  },
  derived: ['projectCount', 'apiTokenCount', 'enabledToggleCount'],
};

/** The environment for its deletion, which locks more, in the common lock order. */
export const DELETED_ENVIRONMENT: typeof VERSIONED_ENVIRONMENT = {
  ...VERSIONED_ENVIRONMENT,
  lock: async ({ tx, actor }, name) => {
    await lockForRemoval(tx, name);
    return await findEnvironment(tx, actor, name);
  },
};
