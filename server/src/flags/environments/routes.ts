import { Type } from 'typebox';
import type { Actor } from '../../platform/actor.ts';
import type { Limits } from '../../platform/config.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import { nameExists, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { createEnvironment } from './create.ts';
import { projectEnvironmentRoutes } from './project-routes.ts';
import { removeEnvironment } from './remove.ts';
import {
  Environment,
  EnvironmentList,
  EnvironmentNameCheck,
  EnvironmentUpdate,
  NewEnvironment,
  SortOrders,
} from './schema.ts';
import { findEnvironment, isNameTaken, listEnvironments } from './store.ts';
import { changeEnvironment, enableEnvironment, sortEnvironments } from './update.ts';
import { DELETED_ENVIRONMENT, VERSIONED_ENVIRONMENT } from './version.ts';

const tags = ['Environments'];
const params = Type.Object({
  environment: Type.String({
    title: 'EnvironmentName',
    description: 'Name of the environment',
    examples: ['production'],
  }),
});

async function getEnvironment(db: Reader, actor: Actor, name: string): Promise<Environment> {
  const environment = await findEnvironment(db, actor, name);
  if (!environment) throw notFound(`Environment "${name}"`);
  return environment;
}

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
        description: 'Returns all environments in order, each with its usage counts.',
        response: { 200: jsonResponse('The environments', EnvironmentList), ...errorResponses(401, 403) },
      },
    },
    async request => ({ version: 1, environments: await listEnvironments(db, request.actor) }),
  );

  app.get(
    '/api/admin/environments/:environment',
    {
      config: { etag: true, permission: 'NONE' },
      schema: {
        operationId: 'getEnvironment',
        tags,
        summary: 'Get an environment',
        description: 'Returns one environment with its usage counts.',
        params,
        response: { 200: jsonResponse('The environment', Environment), ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const environment = await getEnvironment(db, request.actor, request.params.environment);
      return sendVersion(request, reply, VERSIONED_ENVIRONMENT, environment);
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
          'Creates an environment. Existing projects do not get it. Requires ADMIN. Events: environment-created.',
        body: NewEnvironment,
        response: {
          201: jsonResponse('The new environment', Environment),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const created = await change(db, request.actor, current =>
        createEnvironment(current, request.body, limits.environments),
      );
      return reply.code(201).send(created);
    },
  );

  app.post(
    '/api/admin/environments/validate',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'validateEnvironmentName',
        tags,
        summary: 'Validate the name of an environment',
        description:
          'Checks whether an environment with this name could be created now. Requires ADMIN. It changes nothing.',
        body: EnvironmentNameCheck,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const { name } = request.body;
      if (await isNameTaken(db, name)) throw nameExists(`Environment "${name}"`);
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
          'Sets the sort order of the named environments. If one of them does not exist, the server changes none. Requires ADMIN. Events: environment-updated for each changed environment.',
        body: SortOrders,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 413, 415) },
      },
    },
    async (request, reply) => {
      await change(db, request.actor, current => sortEnvironments(current, request.body));
      return reply.code(200).send();
    },
  );

  app.put(
    '/api/admin/environments/update/:environment',
    {
      config: { ifMatch: true, permission: ['ADMIN'] },
      schema: {
        operationId: 'updateEnvironment',
        tags,
        summary: 'Update an environment',
        description: 'Changes the given fields. Requires ADMIN. Events: environment-updated.',
        params,
        body: EnvironmentUpdate,
        response: {
          200: jsonResponse('The environment', Environment),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { environment } = request.params;
      return await changeVersion(
        db,
        request,
        VERSIONED_ENVIRONMENT,
        environment,
        current => changeEnvironment(current, environment, request.body),
        tx => getEnvironment(tx, request.actor, environment),
      );
    },
  );

  app.delete(
    '/api/admin/environments/:environment',
    {
      config: { ifMatch: true, permission: ['ADMIN'] },
      schema: {
        operationId: 'deleteEnvironment',
        tags,
        summary: 'Delete an environment',
        description:
          'Permanently deletes an environment, with the strategies and variants of all features in it. The server rejects the request with 403, and lists every reason, if a feature is enabled in the environment, an active API token is for it, a project has no other environment, or the environment is protected or the last one. Requires ADMIN. Events: environment-deleted, project-environment-removed for each project that had the environment, and role-updated for each role with permissions in it.',
        params,
        response: { 200: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { environment } = request.params;
      await changeVersion(db, request, DELETED_ENVIRONMENT, environment, current =>
        removeEnvironment(current, environment),
      );
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/environments/:environment/on',
    {
      config: { ifMatch: true, permission: ['ADMIN'] },
      schema: {
        operationId: 'enableEnvironment',
        tags,
        summary: 'Enable an environment',
        description:
          'Enables an environment: new projects get it by default. Requires ADMIN. Events: environment-updated.',
        params,
        response: { 204: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { environment } = request.params;
      await changeVersion(db, request, VERSIONED_ENVIRONMENT, environment, current =>
        enableEnvironment(current, environment, true),
      );
      return reply.code(204).send();
    },
  );

  app.post(
    '/api/admin/environments/:environment/off',
    {
      config: { ifMatch: true, permission: ['ADMIN'] },
      schema: {
        operationId: 'disableEnvironment',
        tags,
        summary: 'Disable an environment',
        description:
          'Disables an environment: new projects no longer get it by default. Projects that have it keep it, and SDKs are not affected. Requires ADMIN. Events: environment-updated.',
        params,
        response: { 204: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { environment } = request.params;
      await changeVersion(db, request, VERSIONED_ENVIRONMENT, environment, current =>
        enableEnvironment(current, environment, false),
      );
      return reply.code(204).send();
    },
  );

  projectEnvironmentRoutes(app, db);
}
