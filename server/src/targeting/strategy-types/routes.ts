import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { checkParameters, createStrategyType } from './create.ts';
import { removeStrategyType } from './delete.ts';
import { NewStrategyType, StrategyType, StrategyTypeList, StrategyTypeUpdate } from './schema.ts';
import { findStrategyType, listStrategyTypes } from './store.ts';
import { changeStrategyType, deprecateStrategyType } from './update.ts';
import { VERSIONED_STRATEGY_TYPE } from './version.ts';

const tags = ['Strategies'];
const params = Type.Object({
  strategyName: Type.String({ description: 'Name of the strategy type', examples: ['byCountry'] }),
});

export function strategyTypeRoutes(app: App, db: Db): void {
  for (const schema of [StrategyType, StrategyTypeList]) app.addSchema(schema);

  app.get(
    '/api/admin/strategies',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getStrategyTypes',
        tags,
        summary: 'List strategy types',
        description: 'Returns all strategy types: the built-in ones first, then the others by name.',
        response: { 200: jsonResponse('The strategy types', StrategyTypeList), ...errorResponses(401, 403) },
      },
    },
    async () => ({ version: 1, strategies: await listStrategyTypes(db) }),
  );

  app.get(
    '/api/admin/strategies/:strategyName',
    {
      config: { etag: true, permission: 'NONE' },
      schema: {
        operationId: 'getStrategyType',
        tags,
        summary: 'Get a strategy type',
        description: 'Returns one strategy type with its parameters.',
        params,
        response: { 200: jsonResponse('The strategy type', StrategyType), ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const strategyType = await findStrategyType(db, request.params.strategyName);
      if (!strategyType) throw notFound(`Strategy type "${request.params.strategyName}"`);
      return sendVersion(request, reply, VERSIONED_STRATEGY_TYPE, strategyType);
    },
  );

  app.post(
    '/api/admin/strategies',
    {
      config: {
        permission: ['CREATE_STRATEGY'],
        checks: [
          ({ body }) => {
            checkParameters(body.parameters ?? []);
          },
        ],
      },
      schema: {
        operationId: 'createStrategyType',
        tags,
        summary: 'Create a strategy type',
        description:
          'Creates a strategy type. Applications that use the type must implement it in their SDK. Requires CREATE_STRATEGY. Events: strategy-created.',
        body: NewStrategyType,
        response: {
          201: jsonResponse('The new strategy type', StrategyType),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const created = await change(db, request.actor, current => createStrategyType(current, request.body));
      return reply.code(201).send(created);
    },
  );

  app.put(
    '/api/admin/strategies/:strategyName',
    {
      config: {
        ifMatch: true,
        permission: ['UPDATE_STRATEGY'],
        checks: [
          ({ body }) => {
            checkParameters(body.parameters ?? []);
          },
        ],
      },
      schema: {
        operationId: 'updateStrategyType',
        tags,
        summary: 'Update a strategy type',
        description:
          'Changes the given fields. Built-in types are rejected with 403. Requires UPDATE_STRATEGY. Events: strategy-updated.',
        params,
        body: StrategyTypeUpdate,
        response: {
          200: jsonResponse('The strategy type', StrategyType),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { strategyName } = request.params;
      return await changeVersion(db, request, VERSIONED_STRATEGY_TYPE, strategyName, current =>
        changeStrategyType(current, strategyName, request.body),
      );
    },
  );

  app.delete(
    '/api/admin/strategies/:strategyName',
    {
      config: { ifMatch: true, permission: ['DELETE_STRATEGY'] },
      schema: {
        operationId: 'deleteStrategyType',
        tags,
        summary: 'Delete a strategy type',
        description:
          'Permanently deletes a strategy type. Built-in types, and types that a feature or a default strategy uses, are rejected with 403. Requires DELETE_STRATEGY. Events: strategy-deleted.',
        params,
        response: { 200: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { strategyName } = request.params;
      await changeVersion(db, request, VERSIONED_STRATEGY_TYPE, strategyName, current =>
        removeStrategyType(current, strategyName),
      );
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/strategies/:strategyName/deprecate',
    {
      config: { permission: ['UPDATE_STRATEGY'] },
      schema: {
        operationId: 'deprecateStrategyType',
        tags,
        summary: 'Deprecate a strategy type',
        description:
          'Marks a strategy type as deprecated: new strategies should not use it. Requires UPDATE_STRATEGY. Events: strategy-deprecated.',
        params,
        response: { 200: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { strategyName } = request.params;
      await change(db, request.actor, current => deprecateStrategyType(current, strategyName, true));
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/strategies/:strategyName/reactivate',
    {
      config: { permission: ['UPDATE_STRATEGY'] },
      schema: {
        operationId: 'reactivateStrategyType',
        tags,
        summary: 'Reactivate a strategy type',
        description:
          'Unmarks a deprecated strategy type. Requires UPDATE_STRATEGY. Events: strategy-reactivated.',
        params,
        response: { 200: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { strategyName } = request.params;
      await change(db, request.actor, current => deprecateStrategyType(current, strategyName, false));
      return reply.code(200).send();
    },
  );
}
