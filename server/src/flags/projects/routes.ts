import { Type } from 'typebox';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, Nothing, refusals } from '../../platform/http/schema.ts';
import { archiveProject, removeProject } from './archive.ts';
import { checkEnvironments, createProject } from './create.ts';
import {
  FeatureNaming,
  NewProject,
  Project,
  ProjectList,
  ProjectOverview,
  ProjectSettings,
  ProjectUpdate,
} from './schema.ts';
import { findOverview, findProject, listProjects } from './store.ts';
import { changeProject, checkNaming } from './update.ts';

const tags = ['Projects'];
const params = Type.Object({
  projectId: Type.String({ description: 'Id of the project', examples: ['default'] }),
});

export function projectRoutes(app: App, db: Db, limits: Pick<Limits, 'projects'>): void {
  for (const schema of [FeatureNaming, Project, ProjectList, ProjectOverview]) app.addSchema(schema);

  app.get(
    '/api/admin/projects',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjects',
        tags,
        summary: 'List projects',
        description: 'The projects the caller may read, by name: the active ones, or the archived ones.',
        querystring: Type.Object({
          archived: Type.Optional(
            Type.String({
              enum: ['true', 'false'],
              description: 'true: the archived ones',
              examples: ['false'],
            }),
          ),
        }),
        response: { 200: answer('The projects', ProjectList), ...refusals(400, 401, 403) },
      },
    },
    async request => ({
      version: 1,
      projects: await listProjects(db, request.actor, request.query.archived === 'true'),
    }),
  );

  app.get(
    '/api/admin/projects/:projectId',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProject',
        tags,
        summary: 'Get a project',
        description: 'One project with its settings and environments.',
        params,
        response: { 200: answer('The project', Project), ...refusals(401, 403, 404) },
      },
    },
    async request => {
      const project = await findProject(db, request.actor, request.params.projectId);
      if (!project) throw notFound(`Project ${request.params.projectId}`);
      return project;
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
          'One project with its settings, its environments with their default strategies, and how many features of each type it has.',
        params,
        response: { 200: answer('The overview', ProjectOverview), ...refusals(401, 403, 404) },
      },
    },
    async request => {
      const overview = await findOverview(db, request.actor, request.params.projectId);
      if (!overview) throw notFound(`Project ${request.params.projectId}`);
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
        description: 'Creates a project. A user who creates it becomes its owner. Events: project-created.',
        body: NewProject,
        response: { 201: answer('The new project', Project), ...refusals(400, 401, 403, 409, 413, 415) },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createProject(db, request.actor, request.body, limits.projects)),
  );

  app.put(
    '/api/admin/projects/:projectId',
    {
      config: { permission: ['UPDATE_PROJECT'] },
      schema: {
        operationId: 'updateProject',
        tags,
        summary: 'Update a project',
        description:
          'Changes name, description, mode or default stickiness; what is left out stays. Events: project-updated.',
        params,
        body: ProjectUpdate,
        response: { 200: answer('The project', Project), ...refusals(400, 401, 403, 404, 413, 415) },
      },
    },
    async request => await changeProject(db, request.actor, request.params.projectId, request.body),
  );

  app.put(
    '/api/admin/projects/:projectId/settings',
    {
      config: {
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
          'Changes mode, default stickiness, feature limit, debt budget or naming pattern; what is left out stays. A pattern must be valid RE2 and match its example. Events: project-updated.',
        params,
        body: ProjectSettings,
        response: { 200: answer('The project', Project), ...refusals(400, 401, 403, 404, 413, 415) },
      },
    },
    async request => await changeProject(db, request.actor, request.params.projectId, request.body),
  );

  app.delete(
    '/api/admin/projects/:projectId',
    {
      config: { permission: ['DELETE_PROJECT'] },
      schema: {
        operationId: 'deleteProject',
        tags,
        summary: 'Delete a project',
        description:
          'Deletes a project for good and revokes the tokens that were for it alone. The default project cannot be deleted. Events: project-deleted, api-token-deleted.',
        params,
        response: { 200: Nothing, ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await removeProject(db, request.actor, request.params.projectId);
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
        description: 'Puts a project away; it can be revived. Events: project-archived.',
        params,
        response: { 202: Nothing, ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await archiveProject(db, request.actor, request.params.projectId, true);
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
        description: 'Brings an archived project back. Events: project-revived.',
        params,
        response: { 202: Nothing, ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await archiveProject(db, request.actor, request.params.projectId, false);
      return reply.code(202).send();
    },
  );
}
