import type { Versioned } from '../../record/versioned.ts';
import type { ContextField } from './schema.ts';
import { findContextField, lockContextField } from './store.ts';

/** The key of a field, which is looked up in the project in the path or, without one, among the fields of all projects. */
type Key = { name: string; project: string | undefined };

export const VERSIONED_CONTEXT_FIELD: Versioned<Key, ContextField> = {
  formatName: ({ name }) => `Context field "${name}"`,
  lock: async ({ tx, actor }, { name, project }) => {
    await lockContextField(tx, { actor, project }, name);
    return await findContextField(tx, { actor, project }, name);
  },
  derived: ['createdAt', 'usedInFeatures', 'usedInProjects'],
};
