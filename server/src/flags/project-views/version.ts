import type { Versioned } from '../../record/versioned.ts';
import type { ProjectView } from './schema.ts';
import { lockView } from './store.ts';

export const VERSIONED_PROJECT_VIEW: Versioned<{ projectId: string; id: number }, ProjectView> = {
  formatName: ({ id }) => `Shared view ${id}`,
  lock: ({ tx }, { projectId, id }) => lockView(tx, projectId, id),
  // The name of a user, which can change although the view does not.
  derived: ['createdBy'],
};
