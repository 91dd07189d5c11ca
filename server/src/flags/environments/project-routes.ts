import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, Nothing, refusals } from '../../platform/http/schema.ts';
import { checkStrategy } from '../feature-environments/accept-strategy.ts';
import { NewStrategy } from '../feature-environments/schema.ts';
import { setDefaultStrategy } from './default-strategy.ts';
import { addToProject, removeFromProject } from './project.ts';
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

/** What a project does with environments. */
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
          'The environments of a project in their order, each with its default strategy, if it has one.',
        params: Type.Object({ projectId }),
        response: { 200: answer('The environments', EnvironmentOfProjectList), ...refusals(401, 403, 404) },
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
          'Every feature of the project is then in the environment too, switched off. Events: project-environment-added.',
        params: Type.Object({ projectId }),
        body: EnvironmentChoice,
        response: { 200: Nothing, ...refusals(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      await addToProject(db, request.actor, request.params.projectId, request.body.environment);
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
          'Takes the environment from the project and from its features what they have there. Refused while a feature of the project is enabled in it, or if it is the only one. Events: project-environment-removed.',
        params: Type.Object({ projectId, environment }),
        response: { 200: Nothing, ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await removeFromProject(db, request.actor, request.params.projectId, request.params.environment);
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
          'What a feature of the project gets when it is switched on in the environment without a strategy. Replaces the one before as a whole. Events: default-strategy-updated.',
        params: Type.Object({ projectId, environment }),
        body: NewStrategy,
        response: {
          200: answer('The default strategy', DefaultStrategy),
          ...refusals(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { projectId: project, environment: place } = request.params;
      return await setDefaultStrategy(db, request.actor, project, place, request.body);
    },
  );
}
