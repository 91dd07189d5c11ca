import { Type } from 'typebox';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import { nameExists, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, Nothing, refusals } from '../../platform/http/schema.ts';
import { createEnvironment } from './create.ts';
import { removeEnvironment } from './delete.ts';
import { projectEnvironmentRoutes } from './project-routes.ts';
import {
  Environment,
  EnvironmentList,
  EnvironmentNameCheck,
  EnvironmentUpdate,
  NewEnvironment,
  SortOrders,
} from './schema.ts';
import { findEnvironment, isNameTaken, listEnvironments } from './store.ts';
import { changeEnvironment, sortEnvironments, switchEnvironment } from './update.ts';

const tags = ['Environments'];
const params = Type.Object({
  environment: Type.String({
    title: 'EnvironmentName',
    description: 'Name of the environment',
    examples: ['production'],
  }),
});

export function environmentRoutes(app: App, db: Db, limits: Pick<Limits, 'environments'>): void {
  for (const schema of [Environment, EnvironmentList]) app.addSchema(schema);

  app.get(
    '/api/admin/environments',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getEnvironments',
        tags,
        summary: 'List environments',
        description: 'All environments in their order, each with how much uses it.',
        response: { 200: answer('The environments', EnvironmentList), ...refusals(401, 403) },
      },
    },
    async request => ({ version: 1, environments: await listEnvironments(db, request.actor) }),
  );

  app.get(
    '/api/admin/environments/:environment',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getEnvironment',
        tags,
        summary: 'Get an environment',
        description: 'One environment with how much uses it.',
        params,
        response: { 200: answer('The environment', Environment), ...refusals(401, 403, 404) },
      },
    },
    async request => {
      const environment = await findEnvironment(db, request.actor, request.params.environment);
      if (!environment) throw notFound(`Environment ${request.params.environment}`);
      return environment;
    },
  );

  app.post(
    '/api/admin/environments',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'createEnvironment',
        tags,
        summary: 'Create an environment',
        description:
          'Creates an environment. Projects that exist do not get it by themselves. Events: environment-created.',
        body: NewEnvironment,
        response: {
          201: answer('The new environment', Environment),
          ...refusals(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createEnvironment(db, request.actor, request.body, limits.environments)),
  );

  app.post(
    '/api/admin/environments/validate',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'validateEnvironmentName',
        tags,
        summary: 'Check the name of a new environment',
        description: 'Says whether a name is well formed and free at this moment. Changes nothing.',
        body: EnvironmentNameCheck,
        response: { 200: Nothing, ...refusals(400, 401, 403, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const { name } = request.body;
      if (await isNameTaken(db, name)) throw nameExists(`Environment ${name}`);
      return reply.code(200).send();
    },
  );

  app.put(
    '/api/admin/environments/sort-order',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'updateEnvironmentSortOrder',
        tags,
        summary: 'Sort environments',
        description:
          'Gives each named environment its place: all of them or, if one does not exist, none. Events: environment-updated, one for each that moved.',
        body: SortOrders,
        response: { 200: Nothing, ...refusals(400, 401, 403, 413, 415) },
      },
    },
    async (request, reply) => {
      await sortEnvironments(db, request.actor, request.body);
      return reply.code(200).send();
    },
  );

  app.put(
    '/api/admin/environments/update/:environment',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'updateEnvironment',
        tags,
        summary: 'Update an environment',
        description: 'Changes type or order; what is left out stays. Events: environment-updated.',
        params,
        body: EnvironmentUpdate,
        response: { 200: answer('The environment', Environment), ...refusals(400, 401, 403, 404, 413, 415) },
      },
    },
    async request => await changeEnvironment(db, request.actor, request.params.environment, request.body),
  );

  app.delete(
    '/api/admin/environments/:environment',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'deleteEnvironment',
        tags,
        summary: 'Delete an environment',
        description:
          'Deletes an environment for good, with all that features have in it. Refused, with every reason, while a feature is enabled in it, an API token is for it, a project has no other, or it is protected or the last one. Events: environment-deleted, and project-environment-removed for each project that had it.',
        params,
        response: { 200: Nothing, ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await removeEnvironment(db, request.actor, request.params.environment);
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/environments/:environment/on',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'enableEnvironment',
        tags,
        summary: 'Enable an environment',
        description: 'New projects get the environment from now on. Events: environment-updated.',
        params,
        response: { 204: Nothing, ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await switchEnvironment(db, request.actor, request.params.environment, true);
      return reply.code(204).send();
    },
  );

  app.post(
    '/api/admin/environments/:environment/off',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'disableEnvironment',
        tags,
        summary: 'Disable an environment',
        description:
          'New projects no longer get the environment by themselves; those that have it keep it, and SDKs go on. Events: environment-updated.',
        params,
        response: { 204: Nothing, ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await switchEnvironment(db, request.actor, request.params.environment, false);
      return reply.code(204).send();
    },
  );

  projectEnvironmentRoutes(app, db);
}
