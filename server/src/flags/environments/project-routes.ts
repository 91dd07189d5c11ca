import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { NewStrategy } from '../feature-environments/schema.ts';
import { checkStrategy } from '../feature-environments/validate-strategy.ts';
import { setDefaultStrategy } from './default-strategy.ts';
import { addEnvironmentToProject, removeEnvironmentFromProject } from './project.ts';
import {
  DefaultStrategy,
  EnvironmentChoice,
  EnvironmentOfProject,
  EnvironmentOfProjectList,
} from './schema.ts';
import { listEnvironmentsOf } from './store.ts';

const tags = ['Environments'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const environment = Type.String({
  title: 'EnvironmentName',
  description: 'Name of the environment',
  examples: ['production'],
});

/** Routes for the environments of one project. */
export function projectEnvironmentRoutes(app: App, db: Db): void {
  for (const schema of [DefaultStrategy, EnvironmentOfProject, EnvironmentOfProjectList])
    app.addSchema(schema);

  app.get(
    '/api/admin/environments/project/:projectId',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjectEnvironments',
        tags,
        summary: 'List the environments of a project',
        description:
          'Returns the environments of a project in order, each with its default strategy, if set.',
        params: Type.Object({ projectId }),
        response: {
          200: jsonResponse('The environments', EnvironmentOfProjectList),
          ...errorResponses(401, 403, 404),
        },
      },
    },
    async request => ({ version: 1, environments: await listEnvironmentsOf(db, request.params.projectId) }),
  );

  app.post(
    '/api/admin/projects/:projectId/environments',
    {
      config: { permission: ['UPDATE_PROJECT'] },
      schema: {
        operationId: 'addEnvironmentToProject',
        tags,
        summary: 'Add an environment to a project',
        description:
          'Adds an environment to a project. Every feature of the project gets the environment, disabled. Requires UPDATE_PROJECT. Events: project-environment-added.',
        params: Type.Object({ projectId }),
        body: EnvironmentChoice,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project } = request.params;
      await change(db, request.actor, current =>
        addEnvironmentToProject(current, project, request.body.environment),
      );
      return reply.code(200).send();
    },
  );

  app.delete(
    '/api/admin/projects/:projectId/environments/:environment',
    {
      config: { permission: ['UPDATE_PROJECT'] },
      schema: {
        operationId: 'removeEnvironmentFromProject',
        tags,
        summary: 'Remove an environment from a project',
        description:
          'Removes an environment from a project, with the strategies and variants of its features in the environment. The server rejects the request with 403 while a feature of the project is enabled in the environment, or if it is the only environment of the project. Requires UPDATE_PROJECT. Events: project-environment-removed, with the number of removed strategies and variants.',
        params: Type.Object({ projectId, environment }),
        response: { 200: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId: project, environment: name } = request.params;
      await change(db, request.actor, current => removeEnvironmentFromProject(current, project, name));
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/projects/:projectId/environments/:environment/default-strategy',
    {
      config: {
        permission: ['UPDATE_PROJECT', 'PROJECT_DEFAULT_STRATEGY_WRITE'],
        checks: [({ params: { projectId = '' }, body }) => checkStrategy(db, projectId, body)],
      },
      schema: {
        operationId: 'updateDefaultStrategy',
        tags,
        summary: 'Set the default strategy of a project in an environment',
        description:
          'Sets the strategy that a feature without strategies gets when it is enabled in the environment. Replaces the previous default strategy. Requires UPDATE_PROJECT or PROJECT_DEFAULT_STRATEGY_WRITE. Events: default-strategy-updated.',
        params: Type.Object({ projectId, environment }),
        body: NewStrategy,
        response: {
          200: jsonResponse('The default strategy', DefaultStrategy),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { projectId: project, environment: name } = request.params;
      return await change(db, request.actor, current =>
        setDefaultStrategy(current, project, name, request.body),
      );
    },
  );
}
