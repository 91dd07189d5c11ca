import type { Versioned } from '../../record/versioned.ts';
import type { Project } from './schema.ts';
import { findProject, lockProject } from './store.ts';

export const VERSIONED_PROJECT: Versioned<string, Project> = {
  formatName: id => `Project "${id}"`,
  lock: async ({ tx, actor }, id) => {
    await lockProject(tx, id);
    return await findProject(tx, actor, id);
  },
  derived: ['members', 'createdAt', 'updatedAt', 'favorite'],
};
