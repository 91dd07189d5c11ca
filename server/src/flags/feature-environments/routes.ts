import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { JsonPatch } from '../../platform/http/patch.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { errorResponses, jsonResponse, Nothing, Ref } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { StrategyVariant, Variant } from '../../targeting/variants/schema.ts';
import { uniqueNames } from '../feature-rows/names.ts';
import { FeatureNames } from '../feature-rows/schema.ts';
import { readEnvironment, strategyOf } from './read.ts';
import {
  FeatureEnvironment,
  type FeatureEnvironmentKey,
  FeatureStrategy,
  NewStrategy,
  PlannedStrategy,
  StrategyOrder,
} from './schema.ts';
import { strategySegmentRoutes } from './segment-routes.ts';
import { addStrategy, changeStrategy, orderStrategies, patchStrategy, removeStrategy } from './strategies.ts';
import { toggleFeatures } from './toggle.ts';
import { checkStrategy } from './validate-strategy.ts';
import { variantRoutes } from './variant-routes.ts';

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

/** A feature in one environment: whether it is enabled, and its strategies. */
export function featureEnvironmentRoutes(app: App, db: Db): void {
  for (const schema of [StrategyVariant, Variant, PlannedStrategy, FeatureStrategy, FeatureEnvironment])
    app.addSchema(schema);
  variantRoutes(app, db);
  strategySegmentRoutes(app, db);

  app.get(
    HERE,
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getFeatureEnvironment',
        tags,
        summary: 'Get a feature in an environment',
        description:
          'Returns whether the feature is enabled in the environment, with its strategies and variants.',
        params,
        response: {
          200: jsonResponse('The feature in the environment', FeatureEnvironment),
          ...errorResponses(401, 403, 404),
        },
      },
    },
    async request => {
      return await readEnvironment(db, keyOf(request.params));
    },
  );

  for (const state of ['on', 'off'] as const) {
    app.post(
      `${HERE}/${state}`,
      {
        config: { permission: ['UPDATE_FEATURE_ENVIRONMENT'] },
        schema: {
          operationId: state === 'on' ? 'enableFeature' : 'disableFeature',
          tags,
          summary: state === 'on' ? 'Enable a feature' : 'Disable a feature',
          description:
            state === 'on'
              ? 'Enables the feature in the environment. A feature without an enabled strategy gets the default strategy of the project in the environment, or a gradual rollout to 100 %. Requires UPDATE_FEATURE_ENVIRONMENT and, to add a strategy, CREATE_FEATURE_STRATEGY. Events: feature-strategy-add, feature-environment-enabled.'
              : 'Disables the feature in the environment. Requires UPDATE_FEATURE_ENVIRONMENT. Events: feature-environment-disabled.',
          params,
          response: { 200: Nothing, ...errorResponses(401, 403, 404) },
        },
      },
      async (request, reply) => {
        const { project, featureName: name, environment: where } = keyOf(request.params);
        await change(db, request.actor, current =>
          toggleFeatures(current, project, where, [name], state === 'on'),
        );
        return reply.code(200).send();
      },
    );

    app.post(
      `/api/admin/projects/:projectId/bulk_features/environments/:environment/${state}`,
      {
        config: { permission: ['UPDATE_FEATURE_ENVIRONMENT'], cost: COST.bulk },
        schema: {
          operationId: state === 'on' ? 'enableFeatures' : 'disableFeatures',
          tags,
          summary: state === 'on' ? 'Enable features' : 'Disable features',
          description:
            state === 'on'
              ? 'Enables all of the named features in the environment, or none. A feature without an enabled strategy gets the default strategy of the project in the environment, or a gradual rollout to 100 %. Requires UPDATE_FEATURE_ENVIRONMENT and, to add a strategy, CREATE_FEATURE_STRATEGY. Events: feature-strategy-add, feature-environment-enabled.'
              : 'Disables all of the named features in the environment, or none. Requires UPDATE_FEATURE_ENVIRONMENT. Events: feature-environment-disabled.',
          params: Type.Object({ projectId, environment }),
          body: FeatureNames,
          response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
        },
      },
      async (request, reply) => {
        const { projectId: project, environment: where } = request.params;
        const names = uniqueNames(request.body.features);
        await change(db, request.actor, current =>
          toggleFeatures(current, project, where, names, state === 'on'),
        );
        return reply.code(200).send();
      },
    );
  }

  app.get(
    `${HERE}/strategies`,
    {
      config: { permission: 'NONE' },
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
    async request => (await readEnvironment(db, keyOf(request.params))).strategies,
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

  app.post(
    `${HERE}/strategies/set-sort-order`,
    {
      config: { permission: ['UPDATE_FEATURE_STRATEGY'] },
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
      await change(db, request.actor, current =>
        orderStrategies(current, keyOf(request.params), request.body),
      );
      return reply.code(200).send();
    },
  );

  app.get(
    `${HERE}/strategies/:strategyId`,
    {
      config: { permission: 'NONE' },
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
    async request =>
      strategyOf(await readEnvironment(db, keyOf(request.params)), request.params.strategyId.toLowerCase()),
  );

  app.put(
    `${HERE}/strategies/:strategyId`,
    {
      config: {
        permission: ['UPDATE_FEATURE_STRATEGY'],
        checks: [({ params: { projectId = '' }, body }) => checkStrategy(db, projectId, body)],
      },
      schema: {
        operationId: 'updateFeatureStrategy',
        tags,
        summary: 'Replace a strategy',
        description:
          'Replaces a strategy. It keeps its sort order if sortOrder is omitted. Disabling the last enabled strategy also disables the feature. Requires UPDATE_FEATURE_STRATEGY. Events: feature-strategy-update, feature-environment-disabled.',
        params: strategyParams,
        body: NewStrategy,
        response: {
          200: jsonResponse('The strategy', FeatureStrategy),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { strategyId: id } = request.params;
      return await change(db, request.actor, current =>
        changeStrategy(current, keyOf(request.params), id.toLowerCase(), request.body),
      );
    },
  );

  app.patch(
    `${HERE}/strategies/:strategyId`,
    {
      config: { permission: ['UPDATE_FEATURE_STRATEGY'] },
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
      const { strategyId: id } = request.params;
      return await change(db, request.actor, current =>
        patchStrategy(current, keyOf(request.params), id.toLowerCase(), request.body),
      );
    },
  );

  app.delete(
    `${HERE}/strategies/:strategyId`,
    {
      config: { permission: ['DELETE_FEATURE_STRATEGY'] },
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
      const { strategyId: id } = request.params;
      await change(db, request.actor, current =>
        removeStrategy(current, keyOf(request.params), id.toLowerCase()),
      );
      return reply.code(200).send();
    },
  );
}
