import { ENVIRONMENT_HINT, nameExists, notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { environment } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { createEnvironment } from './create.ts';
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
import { changeEnvironment, setEnvironmentEnabled, sortEnvironments } from './update.ts';
import { DELETED_ENVIRONMENT, VERSIONED_ENVIRONMENT } from './version.ts';

const params = Type.Object({ environment });

async function getEnvironment(db: Reader, actor: Actor, name: string): Promise<Environment> {
  const environment = await findEnvironment(db, actor, name);
  if (!environment) throw notFound(`Environment "${name}"`, ENVIRONMENT_HINT);
  return environment;
}

export const ENVIRONMENTS: OperationModule = {
  tag: 'Environments',
  schemas: [Environment, EnvironmentList],
  operations: [
    query({
      id: 'getEnvironments',
      route: 'GET /api/admin/environments',
      summary: 'List environments',
      description: 'Returns all environments by sort order, each with its usage counts.',
      permission: 'NONE',
      output: jsonResponse('The environments', EnvironmentList),
      read: async ({ db, actor }) => ({ version: 1, environments: await listEnvironments(db, actor) }),
    }),
    query({
      id: 'getEnvironment',
      route: 'GET /api/admin/environments/:environment',
      summary: 'Get an environment',
      description: 'Returns one environment with its usage counts.',
      permission: 'NONE',
      params,
      output: jsonResponse('The environment', Environment),
      versioned: VERSIONED_ENVIRONMENT,
      read: ({ db, actor }, { params: { environment } }) => getEnvironment(db, actor, environment),
    }),
    command({
      id: 'createEnvironment',
      route: 'POST /api/admin/environments',
      summary: 'Create an environment',
      description: 'Creates an environment without adding it to existing projects.',
      permission: ['ADMIN'],
      body: NewEnvironment,
      output: jsonResponse('The new environment', Environment),
      status: 201,
      rejects: [409],
      events: ['environment-created'],
      run: (current, { body }, { limits }) => createEnvironment(current, body, limits.environments),
    }),
    query({
      id: 'validateEnvironmentName',
      route: 'POST /api/admin/environments/validate',
      summary: 'Validate the name of an environment',
      description: 'Checks whether an environment with this name could be created. Changes nothing.',
      permission: ['ADMIN'],
      body: EnvironmentNameCheck,
      rejects: [409],
      read: async ({ db }, { body: { name } }) => {
        if (await isNameTaken(db, name)) throw nameExists(`Environment "${name}"`);
      },
    }),
    command({
      id: 'updateEnvironmentSortOrder',
      route: 'PUT /api/admin/environments/sort-order',
      summary: 'Sort environments',
      description:
        'Sets the sort order of the given environments. If one of them does not exist, none of them changes.',
      permission: ['ADMIN'],
      body: SortOrders,
      events: ['environment-updated'],
      run: (current, { body }) => sortEnvironments(current, body),
    }),
    command({
      id: 'updateEnvironment',
      route: 'PUT /api/admin/environments/update/:environment',
      summary: 'Update an environment',
      description: 'Changes the given fields.',
      permission: ['ADMIN'],
      params,
      body: EnvironmentUpdate,
      output: jsonResponse('The environment', Environment),
      events: ['environment-updated'],
      precondition: ({ params: { environment } }) => requireUnchanged(VERSIONED_ENVIRONMENT, environment),
      run: (current, { params: { environment }, body }) => changeEnvironment(current, environment, body),
      respond: (tx, actor, _, { params: { environment } }) => getEnvironment(tx, actor, environment),
    }),
    command({
      id: 'deleteEnvironment',
      route: 'DELETE /api/admin/environments/:environment',
      summary: 'Delete an environment',
      description:
        'Permanently deletes an environment, with the strategies and variants of all features in it. The server rejects the request with 403, and lists every reason, if a feature is enabled in the environment, an active API token belongs to it, a project has no other environment, or the environment is protected or the last one.',
      permission: ['ADMIN'],
      params,
      events: ['environment-deleted', 'project-environment-removed', 'role-updated'],
      precondition: ({ params: { environment } }) => requireUnchanged(DELETED_ENVIRONMENT, environment),
      run: (current, { params: { environment } }) => removeEnvironment(current, environment),
    }),
    command({
      id: 'enableEnvironment',
      route: 'POST /api/admin/environments/:environment/on',
      summary: 'Enable an environment',
      description: 'Enables an environment, so that new projects get it by default.',
      permission: ['ADMIN'],
      params,
      status: 204,
      events: ['environment-updated'],
      precondition: ({ params: { environment } }) => requireUnchanged(VERSIONED_ENVIRONMENT, environment),
      run: (current, { params: { environment } }) => setEnvironmentEnabled(current, environment, true),
    }),
    command({
      id: 'disableEnvironment',
      route: 'POST /api/admin/environments/:environment/off',
      summary: 'Disable an environment',
      description:
        'Disables an environment, so that new projects no longer get it by default. Projects that have it keep it, and SDKs are not affected.',
      permission: ['ADMIN'],
      params,
      status: 204,
      events: ['environment-updated'],
      precondition: ({ params: { environment } }) => requireUnchanged(VERSIONED_ENVIRONMENT, environment),
      run: (current, { params: { environment } }) => setEnvironmentEnabled(current, environment, false),
    }),
  ],
};
