import { COST } from '@halyard/plane/platform/http/protection/rate-limit.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { featureEnvironmentParams, projectEnvironmentParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { StrategyVariant, Variant } from '../../targeting/variants/schema.ts';
import { requireUniqueNames } from '../feature-rows/names.ts';
import { FeatureNames } from '../feature-rows/schema.ts';
import { environmentEtag, environmentUnchanged, type LockFeatureEtag } from './etag.ts';
import { BASE_PATH, toFeatureEnvironmentKey } from './paths.ts';
import { readEnvironment } from './read.ts';
import { FeatureEnvironment, FeatureStrategy, PlannedStrategy } from './schema.ts';
import { toggleFeatures } from './toggle.ts';

const BULK = '/api/admin/projects/:projectId/bulk_features/environments/:environment';

/** The operations on a feature in one environment, where it can be enabled and has strategies and variants. */
export const featureEnvironmentOperations = (lockFeatureEtag: LockFeatureEtag): OperationModule => ({
  tag: 'Features',
  schemas: [StrategyVariant, Variant, PlannedStrategy, FeatureStrategy, FeatureEnvironment],
  operations: [
    query({
      id: 'getFeatureEnvironment',
      route: `GET ${BASE_PATH}`,
      summary: 'Get a feature in an environment',
      description:
        'Returns whether the feature is enabled in the environment, with its strategies and variants.',
      permission: 'NONE',
      params: featureEnvironmentParams,
      output: jsonResponse('The feature in the environment', FeatureEnvironment),
      etag: environmentEtag,
      read: ({ db }, { params }) => readEnvironment(db, toFeatureEnvironmentKey(params)),
    }),
    command({
      id: 'enableFeature',
      route: `POST ${BASE_PATH}/on`,
      summary: 'Enable a feature',
      description:
        'Enables the feature in the environment. A feature without an enabled strategy gets the default strategy of the project in the environment, or a gradual rollout to 100 %. Adding a strategy also requires CREATE_FEATURE_STRATEGY.',
      permission: ['UPDATE_FEATURE_ENVIRONMENT'],
      params: featureEnvironmentParams,
      output: jsonResponse('The feature in the environment', FeatureEnvironment),
      events: ['feature-strategy-add', 'feature-environment-enabled'],
      precondition: ({ params }) => environmentUnchanged(toFeatureEnvironmentKey(params), lockFeatureEtag),
      run: (current, { params: { projectId, featureName, environment } }) =>
        toggleFeatures(current, projectId, environment, [featureName], true),
      respond: (tx, _actor, _result, { params }) => readEnvironment(tx, toFeatureEnvironmentKey(params)),
    }),
    command({
      id: 'enableFeatures',
      route: `POST ${BULK}/on`,
      summary: 'Enable features',
      description:
        'Enables all given features in the environment, or none of them. A feature without an enabled strategy gets the default strategy of the project in the environment, or a gradual rollout to 100 %. Adding a strategy also requires CREATE_FEATURE_STRATEGY.',
      permission: ['UPDATE_FEATURE_ENVIRONMENT'],
      cost: COST.bulk,
      params: projectEnvironmentParams,
      body: FeatureNames,
      events: ['feature-strategy-add', 'feature-environment-enabled'],
      run: (current, { params: { projectId, environment }, body }) =>
        toggleFeatures(current, projectId, environment, requireUniqueNames(body.features), true),
    }),
    command({
      id: 'disableFeature',
      route: `POST ${BASE_PATH}/off`,
      summary: 'Disable a feature',
      description: 'Disables the feature in the environment.',
      permission: ['UPDATE_FEATURE_ENVIRONMENT'],
      params: featureEnvironmentParams,
      output: jsonResponse('The feature in the environment', FeatureEnvironment),
      events: ['feature-environment-disabled'],
      precondition: ({ params }) => environmentUnchanged(toFeatureEnvironmentKey(params), lockFeatureEtag),
      run: (current, { params: { projectId, featureName, environment } }) =>
        toggleFeatures(current, projectId, environment, [featureName], false),
      respond: (tx, _actor, _result, { params }) => readEnvironment(tx, toFeatureEnvironmentKey(params)),
    }),
    command({
      id: 'disableFeatures',
      route: `POST ${BULK}/off`,
      summary: 'Disable features',
      description: 'Disables all given features in the environment, or none of them.',
      permission: ['UPDATE_FEATURE_ENVIRONMENT'],
      cost: COST.bulk,
      params: projectEnvironmentParams,
      body: FeatureNames,
      events: ['feature-environment-disabled'],
      run: (current, { params: { projectId, environment }, body }) =>
        toggleFeatures(current, projectId, environment, requireUniqueNames(body.features), false),
    }),
  ],
});
