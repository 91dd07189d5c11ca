import type { Subject } from '../../ui/last-change.ts';

/** The events that change the settings of a project. */
export const buildProjectSubject = (id: string): Subject => ({
  types: ['project-created', 'project-updated', 'project-archived', 'project-revived'],
  project: id,
  isAbout: event => event.project === id,
});

/** The events that change the environments of a project and their default strategies. */
export const buildEnvironmentsSubject = (id: string): Subject => ({
  types: ['project-environment-added', 'project-environment-removed', 'default-strategy-updated'],
  project: id,
  isAbout: event => event.project === id,
});

/** The events that change who has access to a project. */
export const buildAccessSubject = (id: string): Subject => ({
  types: [
    'project-access-added',
    'project-access-user-roles-updated',
    'project-access-user-roles-deleted',
    'project-access-group-roles-updated',
    'project-access-group-roles-deleted',
  ],
  project: id,
  isAbout: event => event.project === id,
});
