import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { ifMatches, unlessKnown } from '../../platform/http/etag.ts';
import { JsonPatch } from '../../platform/http/patch.ts';
import { errorResponses, jsonResponse, Nothing, Ref } from '../../platform/http/schema.ts';
import { type Change, change } from '../../record/change.ts';
import {
  etagOfStrategies,
  etagOfStrategy,
  etagsOfStrategy,
  type LockFeatureEtag,
  lockEnvironmentEtags,
} from './etag.ts';
import { readEnvironment, strategyOf } from './read.ts';
import {
  type FeatureEnvironmentKey,
  FeatureStrategy,
  NewStrategy,
  StrategyList,
  StrategyOrder,
  StrategyUpdate,
} from './schema.ts';
import { setStrategies } from './set-strategies.ts';
import { addStrategy, changeStrategy, orderStrategies, patchStrategy, removeStrategy } from './strategies.ts';
import { checkStrategy } from './validate-strategy.ts';

const tags = ['Features'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const featureName = Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] });
const environment = Type.String({
  title: 'EnvironmentName',
  description: 'Name of the environment',
  examples: ['production'],
});
const strategyId = Type.String({ description: 'Id of the strategy', format: 'uuid' });
const params = Type.Object({ projectId, featureName, environment });
const strategyParams = Type.Object({ projectId, featureName, environment, strategyId });

const HERE = '/api/admin/projects/:projectId/features/:featureName/environments/:environment';

const keyOf = (params: {
  projectId: string;
  featureName: string;
  environment: string;
}): FeatureEnvironmentKey => ({
  project: params.projectId,
  featureName: params.featureName,
  environment: params.environment,
});

/** The strategies of a feature in an environment. */
export function strategyRoutes(app: App, db: Db, lockFeatureEtag: LockFeatureEtag): void {
  /** Runs work that changes the strategies of an environment, unless If-Match names another state of them. */
  const ifListMatches = <T>(
    request: Pick<FastifyRequest, 'headers'>,
    current: Change,
    key: FeatureEnvironmentKey,
    work: () => Promise<T>,
  ): Promise<T> =>
    ifMatches(
      request,
      `The list of strategies of feature "${key.featureName}" in environment "${key.environment}"`,
      () => lockEnvironmentEtags(current, key, lockFeatureEtag, here => [etagOfStrategies(here)]),
      work,
    );

  /** Runs work that changes one strategy, unless If-Match names another state of it. */
  const ifStrategyMatches = <T>(
    request: Pick<FastifyRequest, 'headers'>,
    current: Change,
    key: FeatureEnvironmentKey,
    id: string,
    work: () => Promise<T>,
  ): Promise<T> =>
    ifMatches(
      request,
      `Strategy "${id}" of feature "${key.featureName}" in environment "${key.environment}"`,
      () => lockEnvironmentEtags(current, key, lockFeatureEtag, etagsOfStrategy(id)),
      work,
    );

  app.get(
    `${HERE}/strategies`,
    {
      config: { permission: 'NONE', etag: true },
      schema: {
        operationId: 'getFeatureStrategies',
        tags,
        summary: 'List the strategies of a feature in an environment',
        description: 'Returns the strategies in the order of their evaluation.',
        params,
        response: {
          200: Type.Array(Ref(FeatureStrategy), {
            title: 'FeatureStrategyList',
            description: 'The strategies',
          }),
          ...errorResponses(401, 403, 404),
        },
      },
    },
    async (request, reply) => {
      const here = await readEnvironment(db, keyOf(request.params));
      return unlessKnown(request, reply, etagOfStrategies(here), here.strategies);
    },
  );

  app.post(
    `${HERE}/strategies`,
    {
      config: {
        permission: ['CREATE_FEATURE_STRATEGY'],
        checks: [({ params: { projectId = '' }, body }) => checkStrategy(db, projectId, body)],
      },
      schema: {
        operationId: 'addFeatureStrategy',
        tags,
        summary: 'Add a strategy',
        description:
          'Adds a strategy after the others. A feature can have at most 30 strategies in an environment. Requires CREATE_FEATURE_STRATEGY. Events: feature-strategy-add.',
        params,
        body: NewStrategy,
        response: {
          200: jsonResponse('The new strategy', FeatureStrategy),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request =>
      await change(db, request.actor, current => addStrategy(current, keyOf(request.params), request.body)),
  );

  app.put(
    `${HERE}/strategies`,
    {
      // The operation checks which of them the change needs.
      config: {
        permission: ['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'],
        ifMatch: true,
      },
      schema: {
        operationId: 'setFeatureStrategies',
        tags,
        summary: 'Replace all strategies of a feature in an environment',
        description:
          'Gives the feature exactly the strategies of the list, in its order, in one change. A strategy with an id is updated as by PUT of that strategy, a strategy without an id is added, and strategies that are not in the list are deleted. Removing or disabling the last enabled strategy also disables the feature. Requires CREATE_FEATURE_STRATEGY to add, UPDATE_FEATURE_STRATEGY to update or sort, and DELETE_FEATURE_STRATEGY to delete. Events: feature-strategy-remove, feature-strategy-update, feature-strategy-add, strategy-order-changed, feature-environment-disabled.',
        params,
        body: StrategyList,
        response: {
          200: Type.Array(Ref(FeatureStrategy), {
            title: 'FeatureStrategyList',
            description: 'The strategies',
          }),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const key = keyOf(request.params);
      return await change(db, request.actor, current =>
        ifListMatches(request, current, key, () => setStrategies(current, key, request.body)),
      );
    },
  );

  app.post(
    `${HERE}/strategies/set-sort-order`,
    {
      config: { permission: ['UPDATE_FEATURE_STRATEGY'], ifMatch: true },
      schema: {
        operationId: 'orderFeatureStrategies',
        tags,
        summary: 'Sort the strategies of a feature in an environment',
        description:
          'Sets the sort order of each named strategy. The others keep theirs. Requires UPDATE_FEATURE_STRATEGY. Events: strategy-order-changed.',
        params,
        body: StrategyOrder,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const key = keyOf(request.params);
      await change(db, request.actor, current =>
        ifListMatches(request, current, key, () => orderStrategies(current, key, request.body)),
      );
      return reply.code(200).send();
    },
  );

  app.get(
    `${HERE}/strategies/:strategyId`,
    {
      config: { permission: 'NONE', etag: true },
      schema: {
        operationId: 'getFeatureStrategy',
        tags,
        summary: 'Get a strategy',
        description: 'Returns one strategy of the feature in the environment.',
        params: strategyParams,
        response: {
          200: jsonResponse('The strategy', FeatureStrategy),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async (request, reply) => {
      const here = await readEnvironment(db, keyOf(request.params));
      const strategy = strategyOf(here, request.params.strategyId.toLowerCase());
      return unlessKnown(request, reply, etagOfStrategy(strategy), strategy);
    },
  );

  app.put(
    `${HERE}/strategies/:strategyId`,
    {
      config: {
        permission: ['UPDATE_FEATURE_STRATEGY'],
        ifMatch: true,
        checks: [({ params: { projectId = '' }, body }) => checkStrategy(db, projectId, body)],
      },
      schema: {
        operationId: 'updateFeatureStrategy',
        tags,
        summary: 'Replace a strategy',
        description:
          'Replaces the parameters and constraints of a strategy. Omitted parameters and constraints become empty; every other omitted field keeps its value, and so does disabled if it is null. A null title is removed. Disabling the last enabled strategy also disables the feature. Requires UPDATE_FEATURE_STRATEGY. Events: feature-strategy-update, feature-environment-disabled.',
        params: strategyParams,
        body: StrategyUpdate,
        response: {
          200: jsonResponse('The strategy', FeatureStrategy),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const [key, id] = [keyOf(request.params), request.params.strategyId.toLowerCase()];
      return await change(db, request.actor, current =>
        ifStrategyMatches(request, current, key, id, () => changeStrategy(current, key, id, request.body)),
      );
    },
  );

  app.patch(
    `${HERE}/strategies/:strategyId`,
    {
      config: { permission: ['UPDATE_FEATURE_STRATEGY'], ifMatch: true },
      schema: {
        operationId: 'patchFeatureStrategy',
        tags,
        summary: 'Patch a strategy',
        description:
          'Applies a JSON Patch to a strategy. Disabling the last enabled strategy also disables the feature. Requires UPDATE_FEATURE_STRATEGY. Events: feature-strategy-update, feature-environment-disabled.',
        params: strategyParams,
        body: JsonPatch,
        response: {
          200: jsonResponse('The strategy', FeatureStrategy),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const [key, id] = [keyOf(request.params), request.params.strategyId.toLowerCase()];
      return await change(db, request.actor, current =>
        ifStrategyMatches(request, current, key, id, () => patchStrategy(current, key, id, request.body)),
      );
    },
  );

  app.delete(
    `${HERE}/strategies/:strategyId`,
    {
      config: { permission: ['DELETE_FEATURE_STRATEGY'], ifMatch: true },
      schema: {
        operationId: 'deleteFeatureStrategy',
        tags,
        summary: 'Delete a strategy',
        description:
          'Deletes a strategy. Deleting the last enabled strategy also disables the feature. Requires DELETE_FEATURE_STRATEGY. Events: feature-strategy-remove, feature-environment-disabled.',
        params: strategyParams,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const [key, id] = [keyOf(request.params), request.params.strategyId.toLowerCase()];
      await change(db, request.actor, current =>
        ifStrategyMatches(request, current, key, id, () => removeStrategy(current, key, id)),
      );
      return reply.code(200).send();
    },
  );
}
