import { notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse, Optional } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { projectParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { removeProject, setProjectArchived } from './archive.ts';
import { checkEnvironments, createProject } from './create.ts';
import { readProjects } from './list.ts';
import { checkNaming, previewNaming } from './naming.ts';
import {
  FeatureNaming,
  ListedProject,
  NamingCheck,
  NamingPreview,
  NewProject,
  Project,
  ProjectList,
  ProjectOverview,
  ProjectSettings,
  ProjectUpdate,
} from './schema.ts';
import { findOverview, findProject } from './store.ts';
import { changeProject } from './update.ts';
import { VERSIONED_PROJECT } from './version.ts';

async function getProject(db: Reader, actor: Actor, id: string): Promise<Project> {
  const project = await findProject(db, actor, id);
  if (!project) throw notFound(`Project "${id}"`);
  return project;
}

export const PROJECTS: OperationModule = {
  tag: 'Projects',
  schemas: [FeatureNaming, Project, ListedProject, ProjectList, ProjectOverview, NamingCheck],
  operations: [
    query({
      id: 'getProjects',
      route: 'GET /api/admin/projects',
      summary: 'List projects',
      description:
        'Returns the active or the archived projects that the caller may read, sorted by name, each with the number of its active features, its health and the time of its last event.',
      permission: 'NONE',
      query: Type.Object({
        archived: Optional.String({
          enum: ['true', 'false'],
          description: 'true: archived projects; false (default): active projects',
          examples: ['false'],
        }),
      }),
      output: jsonResponse('The projects', ProjectList),
      read: async ({ db, actor }, { query: { archived } }) => ({
        version: 1,
        projects: await readProjects(db, actor, archived === 'true', new Date()),
      }),
    }),
    query({
      id: 'getProject',
      route: 'GET /api/admin/projects/:projectId',
      summary: 'Get a project',
      description: 'Returns one project with its settings and environments.',
      permission: 'NONE',
      params: projectParams,
      output: jsonResponse('The project', Project),
      versioned: VERSIONED_PROJECT,
      read: ({ db, actor }, { params: { projectId } }) => getProject(db, actor, projectId),
    }),
    query({
      id: 'getProjectOverview',
      route: 'GET /api/admin/projects/:projectId/overview',
      summary: 'Get the overview of a project',
      description:
        'Returns one project with its settings, its environments with their default strategies, and the number of features of each type.',
      permission: 'NONE',
      params: projectParams,
      output: jsonResponse('The overview', ProjectOverview),
      read: async ({ db, actor }, { params: { projectId } }) => {
        const overview = await findOverview(db, actor, projectId);
        if (!overview) throw notFound(`Project "${projectId}"`);
        return overview;
      },
    }),
    command({
      id: 'createProject',
      route: 'POST /api/admin/projects',
      summary: 'Create a project',
      description:
        'Creates a project. A user or service account that creates a project becomes its owner. Only a root admin can use the id of a deleted project again, because the readers of the new project see the events of the deleted one.',
      permission: ['CREATE_PROJECT'],
      body: NewProject,
      output: jsonResponse('The new project', Project),
      status: 201,
      rejects: [409],
      checks: [
        ({ body }) => {
          if (body.featureNaming) checkNaming(body.featureNaming);
        },
        ({ body }, db) => checkEnvironments(db, body.environments),
      ],
      events: ['project-created', 'project-access-added'],
      run: (current, { body }, { limits }) => createProject(current, body, limits.projects),
      respond: (tx, actor, id) => getProject(tx, actor, id),
    }),
    command({
      id: 'updateProject',
      route: 'PUT /api/admin/projects/:projectId',
      summary: 'Update a project',
      description: 'Changes the given fields.',
      permission: ['UPDATE_PROJECT'],
      params: projectParams,
      body: ProjectUpdate,
      output: jsonResponse('The project', Project),
      events: ['project-updated'],
      precondition: ({ params: { projectId } }) => requireUnchanged(VERSIONED_PROJECT, projectId),
      run: (current, { params: { projectId }, body }) => changeProject(current, projectId, body),
      respond: (tx, actor, _, { params: { projectId } }) => getProject(tx, actor, projectId),
    }),
    command({
      id: 'updateProjectSettings',
      route: 'PUT /api/admin/projects/:projectId/settings',
      summary: 'Update the settings of a project',
      description:
        'Changes the given settings. A naming pattern must be valid in RE2 syntax and match its example.',
      permission: ['UPDATE_PROJECT', 'PROJECT_SETTINGS_WRITE'],
      params: projectParams,
      body: ProjectSettings,
      output: jsonResponse('The project', Project),
      checks: [
        ({ body }) => {
          if (body.featureNaming) checkNaming(body.featureNaming);
        },
      ],
      events: ['project-updated'],
      precondition: ({ params: { projectId } }) => requireUnchanged(VERSIONED_PROJECT, projectId),
      run: (current, { params: { projectId }, body }) => changeProject(current, projectId, body),
      respond: (tx, actor, _, { params: { projectId } }) => getProject(tx, actor, projectId),
    }),
    query({
      id: 'checkFeatureNaming',
      route: 'POST /api/admin/projects/:projectId/settings/naming/validate',
      summary: 'Preview a naming pattern',
      description:
        'Validates a naming rule as an update of the settings does, and returns which active features of the project do not match. Changes nothing.',
      permission: ['UPDATE_PROJECT', 'PROJECT_SETTINGS_WRITE'],
      params: projectParams,
      body: NamingPreview,
      output: jsonResponse('The features that do not match', NamingCheck),
      read: ({ db }, { params: { projectId }, body }) => previewNaming(db, projectId, body.featureNaming),
    }),
    command({
      id: 'deleteProject',
      route: 'DELETE /api/admin/projects/:projectId',
      summary: 'Delete a project',
      description:
        'Permanently deletes a project with its archived features, segments and context fields, and revokes the API tokens that give access to no other project. Other tokens lose access to the project. The default project and projects with active features are rejected with 403.',
      permission: ['DELETE_PROJECT'],
      params: projectParams,
      events: [
        'project-deleted',
        'feature-deleted',
        'segment-deleted',
        'context-field-deleted',
        'api-token-deleted',
        'api-token-updated',
      ],
      precondition: ({ params: { projectId } }) => requireUnchanged(VERSIONED_PROJECT, projectId),
      run: (current, { params: { projectId } }) => removeProject(current, projectId),
    }),
    command({
      id: 'archiveProject',
      route: 'POST /api/admin/projects/archive/:projectId',
      summary: 'Archive a project',
      description:
        'Archives a project. It can be revived later. The default project and projects with active features are rejected with 403.',
      permission: ['DELETE_PROJECT'],
      params: projectParams,
      status: 202,
      events: ['project-archived'],
      run: (current, { params: { projectId } }) => setProjectArchived(current, projectId, true),
    }),
    command({
      id: 'reviveProject',
      route: 'POST /api/admin/projects/revive/:projectId',
      summary: 'Revive a project',
      description: 'Revives an archived project.',
      permission: ['DELETE_PROJECT'],
      params: projectParams,
      status: 202,
      events: ['project-revived'],
      run: (current, { params: { projectId } }) => setProjectArchived(current, projectId, false),
    }),
  ],
};
