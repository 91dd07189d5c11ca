import { jsonResponse, Nothing, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { projectId, projectParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { ProjectView, ProjectViewInput, ProjectViewList } from './schema.ts';
import { shareView, unshareView } from './share.ts';
import { listViews } from './store.ts';

const BASE_PATH = '/api/admin/projects/:projectId/views';

/** The operations on saved views that somebody shared with a project. */
export const PROJECT_VIEWS: OperationModule = {
  tag: 'Projects',
  schemas: [ProjectView, ProjectViewList],
  operations: [
    query({
      id: 'getProjectViews',
      route: `GET ${BASE_PATH}`,
      summary: 'List the shared views of a project',
      description: 'Returns the saved views that were shared with the project, by name.',
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
    command({
      id: 'deleteProjectView',
      route: `DELETE ${BASE_PATH}/:id`,
      summary: 'Delete a shared view of a project',
      description:
        'Deletes a view that was shared with the project. The user who shared it needs no permission; everybody else needs UPDATE_PROJECT.',
      permission: 'NONE',
      params: Type.Object({ projectId, id: PathId('Shared view', '3') }),
      output: Nothing,
      events: ['project-view-deleted'],
      run: (current, { params: { projectId, id } }) => unshareView(current, projectId, Number(id)),
    }),
  ],
};
