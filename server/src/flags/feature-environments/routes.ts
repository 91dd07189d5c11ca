import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { ifMatches, unlessKnown } from '../../platform/http/etag.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { StrategyVariant, Variant } from '../../targeting/variants/schema.ts';
import { uniqueNames } from '../feature-rows/names.ts';
import { FeatureNames } from '../feature-rows/schema.ts';
import { etagOfEnvironment, type LockFeatureEtag, lockEnvironmentEtags } from './etag.ts';
import { readEnvironment } from './read.ts';
import {
  FeatureEnvironment,
  type FeatureEnvironmentKey,
  FeatureStrategy,
  PlannedStrategy,
} from './schema.ts';
import { strategySegmentRoutes } from './segment-routes.ts';
import { strategyRoutes } from './strategy-routes.ts';
import { toggleFeatures } from './toggle.ts';
import { variantRoutes } from './variant-routes.ts';

const tags = ['Features'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const featureName = Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] });
const environment = Type.String({
  title: 'EnvironmentName',
  description: 'Name of the environment',
  examples: ['production'],
});
const params = Type.Object({ projectId, featureName, environment });

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

/** A feature in one environment: whether it is enabled, its strategies and its variants. */
export function featureEnvironmentRoutes(app: App, db: Db, lockFeatureEtag: LockFeatureEtag): void {
  for (const schema of [StrategyVariant, Variant, PlannedStrategy, FeatureStrategy, FeatureEnvironment])
    app.addSchema(schema);
  variantRoutes(app, db, lockFeatureEtag);
  strategyRoutes(app, db, lockFeatureEtag);
  strategySegmentRoutes(app, db);

  app.get(
    HERE,
    {
      config: { permission: 'NONE', etag: true },
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
    async (request, reply) => {
      const here = await readEnvironment(db, keyOf(request.params));
      return unlessKnown(request, reply, etagOfEnvironment(here), here);
    },
  );

  for (const state of ['on', 'off'] as const) {
    app.post(
      `${HERE}/${state}`,
      {
        config: { permission: ['UPDATE_FEATURE_ENVIRONMENT'], ifMatch: true },
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
        const key = keyOf(request.params);
        const { project, featureName: name, environment: where } = key;
        await change(db, request.actor, current =>
          ifMatches(
            request,
            `Feature "${name}" in environment "${where}"`,
            () => lockEnvironmentEtags(current, key, lockFeatureEtag),
            () => toggleFeatures(current, project, where, [name], state === 'on'),
          ),
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
}
