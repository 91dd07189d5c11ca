import type { Versioned } from '../../record/versioned.ts';
import { lockForRemoval } from './remove.ts';
import type { Environment, EnvironmentInProject } from './schema.ts';
import { findEnvironment, findProjectEnvironment, lockDefaultStrategy, lockEnvironments } from './store.ts';

export const VERSIONED_ENVIRONMENT: Versioned<string, Environment> = {
  formatName: name => `Environment "${name}"`,
  lock: async ({ tx, actor }, name) => {
    await lockEnvironments(tx, [name]);
    return await findEnvironment(tx, actor, name);
  },
  derived: ['projectCount', 'apiTokenCount', 'enabledToggleCount'],
};

/** Locks everything that deletion locks, so that checking the version first does not break the lock order. */
export const DELETED_ENVIRONMENT: typeof VERSIONED_ENVIRONMENT = {
  ...VERSIONED_ENVIRONMENT,
  lock: async ({ tx, actor }, name) => {
    await lockForRemoval(tx, name);
    return await findEnvironment(tx, actor, name);
  },
};

/** An environment of a project. Only its default strategy can be edited. */
export const VERSIONED_PROJECT_ENVIRONMENT: Versioned<
  { projectId: string; environment: string },
  EnvironmentInProject
> = {
  formatName: ({ projectId, environment }) =>
    `The default strategy of project "${projectId}" in environment "${environment}"`,
  lock: async ({ tx }, { projectId, environment }) => {
    await lockDefaultStrategy(tx, projectId, environment);
    return await findProjectEnvironment(tx, projectId, environment);
  },
  derived: [
    'features',
    'enabledFeatures',
    'strategies',
    'variants',
    'startingFeatures',
    'startingFeatureNames',
  ],
};
