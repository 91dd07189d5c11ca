import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, Nothing, refusals } from '../../platform/http/schema.ts';
import { completeParameters, createStrategyType } from './create.ts';
import { removeStrategyType } from './delete.ts';
import { NewStrategyType, StrategyType, StrategyTypeList, StrategyTypeUpdate } from './schema.ts';
import { findStrategyType, listStrategyTypes } from './store.ts';
import { changeStrategyType, deprecateStrategyType } from './update.ts';

const tags = ['Strategies'];
const params = Type.Object({
  strategyName: Type.String({ description: 'Name of the strategy type', examples: ['byCountry'] }),
});

export function strategyRoutes(app: App, db: Db): void {
  for (const schema of [StrategyType, StrategyTypeList]) app.addSchema(schema);

  app.get(
    '/api/admin/strategies',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getStrategyTypes',
        tags,
        summary: 'List strategy types',
        description: 'All strategy types: the built-in ones first, then your own by name.',
        response: { 200: answer('The strategy types', StrategyTypeList), ...refusals(401, 403) },
      },
    },
    async () => ({ version: 1, strategies: await listStrategyTypes(db) }),
  );

  app.get(
    '/api/admin/strategies/:strategyName',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getStrategyType',
        tags,
        summary: 'Get a strategy type',
        description: 'One strategy type with its parameters.',
        params,
        response: { 200: answer('The strategy type', StrategyType), ...refusals(401, 403, 404) },
      },
    },
    async request => {
      const strategy = await findStrategyType(db, request.params.strategyName);
      if (!strategy) throw notFound(`Strategy type ${request.params.strategyName}`);
      return strategy;
    },
  );

  app.post(
    '/api/admin/strategies',
    {
      config: {
        permission: ['CREATE_STRATEGY'],
        checks: [
          ({ body }) => {
            completeParameters(body.parameters ?? []);
          },
        ],
      },
      schema: {
        operationId: 'createStrategyType',
        tags,
        summary: 'Create a strategy type',
        description:
          'Creates a strategy type. The applications that are to use it bring the code that decides. Events: strategy-created.',
        body: NewStrategyType,
        response: {
          201: answer('The new strategy type', StrategyType),
          ...refusals(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) => reply.code(201).send(await createStrategyType(db, request.actor, request.body)),
  );

  app.put(
    '/api/admin/strategies/:strategyName',
    {
      config: {
        permission: ['UPDATE_STRATEGY'],
        checks: [
          ({ body }) => {
            completeParameters(body.parameters ?? []);
          },
        ],
      },
      schema: {
        operationId: 'updateStrategyType',
        tags,
        summary: 'Update a strategy type',
        description:
          'Changes description or parameters; what is left out stays. Built-in types are refused. Events: strategy-updated.',
        params,
        body: StrategyTypeUpdate,
        response: {
          200: answer('The strategy type', StrategyType),
          ...refusals(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => await changeStrategyType(db, request.actor, request.params.strategyName, request.body),
  );

  app.delete(
    '/api/admin/strategies/:strategyName',
    {
      config: { permission: ['DELETE_STRATEGY'] },
      schema: {
        operationId: 'deleteStrategyType',
        tags,
        summary: 'Delete a strategy type',
        description:
          'Deletes a strategy type for good. Built-in types are refused, and those that a feature or a default strategy uses. Events: strategy-deleted.',
        params,
        response: { 200: Nothing, ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await removeStrategyType(db, request.actor, request.params.strategyName);
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
        description: 'Marks a strategy type as not meant for new use. Events: strategy-deprecated.',
        params,
        response: { 200: Nothing, ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await deprecateStrategyType(db, request.actor, request.params.strategyName, true);
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
        description: 'Takes the mark of a deprecated strategy type away. Events: strategy-reactivated.',
        params,
        response: { 200: Nothing, ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await deprecateStrategyType(db, request.actor, request.params.strategyName, false);
      return reply.code(200).send();
    },
  );
}
