import { jsonResponse, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { projectId, projectParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { ProjectView, ProjectViewInput, ProjectViewList } from './schema.ts';
import { changeSharedView, shareView, unshareView, viewNotFound } from './share.ts';
import { findView, listViews } from './store.ts';
import { VERSIONED_PROJECT_VIEW } from './version.ts';

const BASE_PATH = '/api/admin/projects/:projectId/views';
const VIEW_PATH = `${BASE_PATH}/:id` as const;
const viewParams = Type.Object({
  projectId,
  id: PathId('Shared view', '3', 'Shared view {id} of project "{projectId}"'),
});

/** The operations on saved views that are shared with a project. */
export const PROJECT_VIEWS: OperationModule = {
  tag: 'Projects',
  schemas: [ProjectView, ProjectViewList],
  operations: [
    query({
      id: 'getProjectViews',
      route: `GET ${BASE_PATH}`,
      summary: 'List the shared views of a project',
      description: 'Returns the saved views that were shared with the project, sorted by name.',
      permission: 'NONE',
      params: projectParams,
      output: jsonResponse('The views', ProjectViewList),
      read: async ({ db }, { params: { projectId } }) => ({ views: await listViews(db, projectId) }),
    }),
    command({
      id: 'createProjectView',
      route: `POST ${BASE_PATH}`,
      summary: 'Share a view with a project',
      description:
        'Saves a page and its query under a name for everybody who can read the project. A project can have at most 50 shared views. Requires a user.',
      permission: ['CREATE_FEATURE', 'UPDATE_PROJECT'],
      params: projectParams,
      body: ProjectViewInput,
      output: jsonResponse('The new view', ProjectView),
      status: 201,
      rejects: [409],
      events: ['project-view-created'],
      run: (current, { params: { projectId }, body }) => shareView(current, projectId, body),
    }),
    query({
      id: 'getProjectView',
      route: `GET ${VIEW_PATH}`,
      summary: 'Get a shared view of a project',
      description: 'Returns one view that was shared with the project.',
      permission: 'NONE',
      params: viewParams,
      output: jsonResponse('The view', ProjectView),
      versioned: VERSIONED_PROJECT_VIEW,
      read: async ({ db }, { params: { projectId, id } }) => {
        const view = await findView(db, projectId, Number(id));
        if (!view) throw viewNotFound(projectId, id);
        return view;
      },
    }),
    command({
      id: 'updateProjectView',
      route: `PUT ${VIEW_PATH}`,
      summary: 'Update a shared view of a project',
      description:
        'Replaces the name, the page and the query of a view that was shared with the project. The user who shared it needs no permission; everybody else needs UPDATE_PROJECT.',
      permission: 'NONE',
      checksPermissions: true,
      params: viewParams,
      body: ProjectViewInput,
      output: jsonResponse('The view', ProjectView),
      rejects: [409],
      events: ['project-view-updated'],
      precondition: ({ params: { projectId, id } }) =>
        requireUnchanged(VERSIONED_PROJECT_VIEW, { projectId, id: Number(id) }),
      run: (current, { params: { projectId, id }, body }) =>
        changeSharedView(current, projectId, Number(id), body),
    }),
    command({
      id: 'deleteProjectView',
      route: `DELETE ${VIEW_PATH}`,
      summary: 'Delete a shared view of a project',
      description:
        'Deletes a view that was shared with the project. The user who shared it needs no permission; everybody else needs UPDATE_PROJECT.',
      permission: 'NONE',
      checksPermissions: true,
      params: viewParams,
      events: ['project-view-deleted'],
      precondition: ({ params: { projectId, id } }) =>
        requireUnchanged(VERSIONED_PROJECT_VIEW, { projectId, id: Number(id) }),
      run: (current, { params: { projectId, id } }) => unshareView(current, projectId, Number(id)),
    }),
  ],
};
