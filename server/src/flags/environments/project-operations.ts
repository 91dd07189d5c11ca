import { ENVIRONMENT_HINT, notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { projectEnvironmentParams, projectParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { NewStrategy } from '../feature-environments/schema.ts';
import { rejectInvalidStrategy } from '../feature-environments/validate-strategy.ts';
import { setDefaultStrategy } from './default-strategy.ts';
import { addEnvironmentToProject, removeEnvironmentFromProject } from './project.ts';
import {
  DefaultStrategy,
  EnvironmentChoice,
  EnvironmentInProject,
  EnvironmentOfProject,
  EnvironmentOfProjectList,
} from './schema.ts';
import { findProjectEnvironment, listProjectEnvironments } from './store.ts';
import { VERSIONED_PROJECT_ENVIRONMENT } from './version.ts';

/** The environments of one project. */
export const PROJECT_ENVIRONMENTS: OperationModule = {
  tag: 'Environments',
  schemas: [DefaultStrategy, EnvironmentOfProject, EnvironmentOfProjectList, EnvironmentInProject],
  operations: [
    query({
      id: 'getProjectEnvironments',
      route: 'GET /api/admin/environments/project/:projectId',
      summary: 'List the environments of a project',
      description:
        'Returns the environments of a project by sort order, each with its default strategy, if set.',
      permission: 'NONE',
      params: projectParams,
      output: jsonResponse('The environments', EnvironmentOfProjectList),
      read: async ({ db }, { params: { projectId } }) => ({
        version: 1,
        environments: await listProjectEnvironments(db, projectId),
      }),
    }),
    query({
      id: 'getProjectEnvironment',
      route: 'GET /api/admin/projects/:projectId/environments/:environment',
      summary: 'Get an environment of a project',
      description:
        'Returns the default strategy of a project in an environment, and counts that show what changing the strategy or removing the environment would affect.',
      permission: 'NONE',
      params: projectEnvironmentParams,
      output: jsonResponse('The environment of the project', EnvironmentInProject),
      versioned: VERSIONED_PROJECT_ENVIRONMENT,
      read: async ({ db }, { params: { projectId, environment } }) => {
        const projectEnvironment = await findProjectEnvironment(db, projectId, environment);
        if (!projectEnvironment)
          throw notFound(`Environment "${environment}" of project "${projectId}"`, ENVIRONMENT_HINT);
        return projectEnvironment;
      },
    }),
    command({
      id: 'addEnvironmentToProject',
      route: 'POST /api/admin/projects/:projectId/environments',
      summary: 'Add an environment to a project',
      description:
        'Adds an environment to a project. Every feature of the project gets the environment and is disabled there.',
      permission: ['UPDATE_PROJECT'],
      params: projectParams,
      body: EnvironmentChoice,
      rejects: [409],
      events: ['project-environment-added'],
      run: (current, { params: { projectId }, body }) =>
        addEnvironmentToProject(current, projectId, body.environment),
    }),
    command({
      id: 'removeEnvironmentFromProject',
      route: 'DELETE /api/admin/projects/:projectId/environments/:environment',
      summary: 'Remove an environment from a project',
      description:
        'Removes an environment from a project, with the strategies and variants of its features in the environment. The server rejects the request with 403 while a feature of the project is enabled in the environment, or if it is the only environment of the project.',
      permission: ['UPDATE_PROJECT'],
      params: projectEnvironmentParams,
      events: ['project-environment-removed'],
      run: (current, { params: { projectId, environment } }) =>
        removeEnvironmentFromProject(current, projectId, environment),
    }),
    command({
      id: 'updateDefaultStrategy',
      route: 'POST /api/admin/projects/:projectId/environments/:environment/default-strategy',
      summary: 'Set the default strategy of a project in an environment',
      description:
        'Sets the strategy that a feature without strategies gets when it is enabled in the environment. Replaces the previous default strategy.',
      permission: ['UPDATE_PROJECT', 'PROJECT_DEFAULT_STRATEGY_WRITE'],
      params: projectEnvironmentParams,
      body: NewStrategy,
      output: jsonResponse('The default strategy', DefaultStrategy),
      checks: [({ params: { projectId = '' }, body }, db) => rejectInvalidStrategy(db, projectId, body)],
      events: ['default-strategy-updated'],
      precondition: ({ params: { projectId, environment } }) =>
        requireUnchanged(VERSIONED_PROJECT_ENVIRONMENT, { projectId, environment }),
      run: (current, { params: { projectId, environment }, body }) =>
        setDefaultStrategy(current, projectId, environment, body),
    }),
  ],
};
