import { Type } from 'typebox';
import type { Actor } from '../../platform/actor.ts';
import type { Limits } from '../../platform/config.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { archiveProject, removeProject } from './archive.ts';
import { checkEnvironments, createProject } from './create.ts';
import { readProjects } from './list.ts';
import {
  FeatureNaming,
  ListedProject,
  NewProject,
  Project,
  ProjectList,
  ProjectOverview,
  ProjectSettings,
  ProjectUpdate,
} from './schema.ts';
import { findOverview, findProject } from './store.ts';
import { changeProject, checkNaming } from './update.ts';
import { VERSIONED_PROJECT } from './version.ts';

const tags = ['Projects'];
const params = Type.Object({
  projectId: Type.String({ description: 'Id of the project', examples: ['default'] }),
});

async function getProject(db: Reader, actor: Actor, id: string): Promise<Project> {
  const project = await findProject(db, actor, id);
  if (!project) throw notFound(`Project "${id}"`);
  return project;
}

export function projectRoutes(app: App, db: Db, limits: Pick<Limits, 'projects'>): void {
  for (const schema of [FeatureNaming, Project, ListedProject, ProjectList, ProjectOverview])
    app.addSchema(schema);

  app.get(
    '/api/admin/projects',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjects',
        tags,
        summary: 'List projects',
        description:
          'Returns the active or the archived projects that the caller may read, by name, each with the number of its active features, its health and the time of its last event.',
        querystring: Type.Object({
          archived: Type.Optional(
            Type.String({
              enum: ['true', 'false'],
              description: 'true: archived projects; false (default): active projects',
              examples: ['false'],
            }),
          ),
        }),
        response: { 200: jsonResponse('The projects', ProjectList), ...errorResponses(400, 401, 403) },
      },
    },
    async request => ({
      version: 1,
      projects: await readProjects(db, request.actor, request.query.archived === 'true', new Date()),
    }),
  );

  app.get(
    '/api/admin/projects/:projectId',
    {
      config: { etag: true, permission: 'NONE' },
      schema: {
        operationId: 'getProject',
        tags,
        summary: 'Get a project',
        description: 'Returns one project with its settings and environments.',
        params,
        response: { 200: jsonResponse('The project', Project), ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const project = await getProject(db, request.actor, request.params.projectId);
      return sendVersion(request, reply, VERSIONED_PROJECT, project);
    },
  );

  app.get(
    '/api/admin/projects/:projectId/overview',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjectOverview',
        tags,
        summary: 'Get the overview of a project',
        description:
          'Returns one project with its settings, its environments with their default strategies, and the number of features of each type.',
        params,
        response: { 200: jsonResponse('The overview', ProjectOverview), ...errorResponses(401, 403, 404) },
      },
    },
    async request => {
      const overview = await findOverview(db, request.actor, request.params.projectId);
      if (!overview) throw notFound(`Project "${request.params.projectId}"`);
      return overview;
    },
  );

  app.post(
    '/api/admin/projects',
    {
      config: {
        permission: ['CREATE_PROJECT'],
        checks: [({ body }) => checkEnvironments(db, body.environments)],
      },
      schema: {
        operationId: 'createProject',
        tags,
        summary: 'Create a project',
        description:
          'Creates a project. A user or service account that creates a project becomes its owner. Only a root admin can use the id of a deleted project again, because the readers of the new project see the events of the deleted one. Requires CREATE_PROJECT. Events: project-created, project-access-added.',
        body: NewProject,
        response: {
          201: jsonResponse('The new project', Project),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const created = await change(
        db,
        request.actor,
        current => createProject(current, request.body, limits.projects),
        (tx, id) => getProject(tx, request.actor, id),
      );
      return reply.code(201).send(created);
    },
  );

  app.put(
    '/api/admin/projects/:projectId',
    {
      config: { ifMatch: true, permission: ['UPDATE_PROJECT'] },
      schema: {
        operationId: 'updateProject',
        tags,
        summary: 'Update a project',
        description: 'Changes the given fields. Requires UPDATE_PROJECT. Events: project-updated.',
        params,
        body: ProjectUpdate,
        response: {
          200: jsonResponse('The project', Project),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { projectId } = request.params;
      return await changeVersion(
        db,
        request,
        VERSIONED_PROJECT,
        projectId,
        current => changeProject(current, projectId, request.body),
        tx => getProject(tx, request.actor, projectId),
      );
    },
  );

  app.put(
    '/api/admin/projects/:projectId/settings',
    {
      config: {
        ifMatch: true,
        permission: ['UPDATE_PROJECT', 'PROJECT_SETTINGS_WRITE'],
        checks: [
          ({ body }) => {
            if (body.featureNaming) checkNaming(body.featureNaming);
          },
        ],
      },
      schema: {
        operationId: 'updateProjectSettings',
        tags,
        summary: 'Update the settings of a project',
        description:
          'Changes the given settings. A naming pattern must be valid in RE2 syntax and match its example. Requires UPDATE_PROJECT or PROJECT_SETTINGS_WRITE. Events: project-updated.',
        params,
        body: ProjectSettings,
        response: {
          200: jsonResponse('The project', Project),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { projectId } = request.params;
      return await changeVersion(
        db,
        request,
        VERSIONED_PROJECT,
        projectId,
        current => changeProject(current, projectId, request.body),
        tx => getProject(tx, request.actor, projectId),
      );
    },
  );

  app.delete(
    '/api/admin/projects/:projectId',
    {
      config: { ifMatch: true, permission: ['DELETE_PROJECT'] },
      schema: {
        operationId: 'deleteProject',
        tags,
        summary: 'Delete a project',
        description:
          'Permanently deletes a project with its archived features, segments and context fields, and revokes the API tokens that give access to no other project. Other tokens lose the project. The default project and projects with active features are rejected with 403. Requires DELETE_PROJECT. Events: project-deleted, feature-deleted, segment-deleted, context-field-deleted, api-token-deleted, api-token-updated.',
        params,
        response: { 200: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId } = request.params;
      await changeVersion(db, request, VERSIONED_PROJECT, projectId, current =>
        removeProject(current, projectId),
      );
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/projects/archive/:projectId',
    {
      config: { permission: ['DELETE_PROJECT'] },
      schema: {
        operationId: 'archiveProject',
        tags,
        summary: 'Archive a project',
        description:
          'Archives a project, which can be revived later. The default project and projects with active features are rejected with 403. Requires DELETE_PROJECT. Events: project-archived.',
        params,
        response: { 202: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await change(db, request.actor, current => archiveProject(current, request.params.projectId, true));
      return reply.code(202).send();
    },
  );

  app.post(
    '/api/admin/projects/revive/:projectId',
    {
      config: { permission: ['DELETE_PROJECT'] },
      schema: {
        operationId: 'reviveProject',
        tags,
        summary: 'Revive a project',
        description: 'Revives an archived project. Requires DELETE_PROJECT. Events: project-revived.',
        params,
        response: { 202: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await change(db, request.actor, current => archiveProject(current, request.params.projectId, false));
      return reply.code(202).send();
    },
  );
}
