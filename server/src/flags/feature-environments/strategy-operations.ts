import { jsonResponse, Ref } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { JsonPatch } from '../../platform/http/input/patch.ts';
import { environment, featureEnvironmentParams, featureName, projectId } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import type { Precondition } from '../../record/versioned.ts';
import {
  type LockFeatureEtag,
  lockEnvironmentEtags,
  strategiesEtag,
  strategyEtag,
  strategyEtags,
} from './etag.ts';
import { BASE_PATH, toFeatureEnvironmentKey } from './paths.ts';
import { readEnvironment, requireStrategy } from './read.ts';
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
import { rejectInvalidStrategy } from './validate-strategy.ts';

const strategyId = Type.String({ description: 'Id of the strategy', format: 'uuid' });
const strategyParams = Type.Object({ projectId, featureName, environment, strategyId });

const Strategies = Type.Array(Ref(FeatureStrategy), {
  title: 'FeatureStrategyList',
  description: 'The strategies',
});

/** Returns the operations on the strategies of a feature in an environment. */
export function strategyOperations(lockFeatureEtag: LockFeatureEtag): OperationModule {
  const listUnchanged = (key: FeatureEnvironmentKey): Precondition => ({
    resourceName: `The strategy list of feature "${key.featureName}" in environment "${key.environment}"`,
    readEtags: current =>
      lockEnvironmentEtags(current, key, lockFeatureEtag, ({ strategies }) => [strategiesEtag(strategies)]),
  });

  const strategyUnchanged = (key: FeatureEnvironmentKey, id: string): Precondition => ({
    resourceName: `Strategy "${id}" of feature "${key.featureName}" in environment "${key.environment}"`,
    readEtags: current => lockEnvironmentEtags(current, key, lockFeatureEtag, strategyEtags(id)),
  });

  return {
    tag: 'Features',
    schemas: [],
    operations: [
      query({
        id: 'getFeatureStrategies',
        route: `GET ${BASE_PATH}/strategies`,
        summary: 'List the strategies of a feature in an environment',
        description: 'Returns the strategies in evaluation order.',
        permission: 'NONE',
        params: featureEnvironmentParams,
        output: Strategies,
        etag: strategiesEtag,
        read: async ({ db }, { params }) =>
          (await readEnvironment(db, toFeatureEnvironmentKey(params))).strategies,
      }),
      command({
        id: 'addFeatureStrategy',
        route: `POST ${BASE_PATH}/strategies`,
        summary: 'Add a strategy',
        description:
          'Adds a strategy after the others. A feature can have at most 30 strategies in an environment.',
        permission: ['CREATE_FEATURE_STRATEGY'],
        params: featureEnvironmentParams,
        body: NewStrategy,
        output: jsonResponse('The new strategy', FeatureStrategy),
        checks: [({ params: { projectId = '' }, body }, db) => rejectInvalidStrategy(db, projectId, body)],
        events: ['feature-strategy-add'],
        run: (current, { params, body }) => addStrategy(current, toFeatureEnvironmentKey(params), body),
      }),
      command({
        id: 'setFeatureStrategies',
        route: `PUT ${BASE_PATH}/strategies`,
        summary: 'Replace all strategies of a feature in an environment',
        description:
          'Gives the feature exactly the strategies in the list, in that order, in one change. A strategy with an id is updated as if by a PUT of that strategy, a strategy without an id is added, and strategies that are not in the list are deleted. Removing or disabling the last enabled strategy also disables the feature. To add, the caller needs CREATE_FEATURE_STRATEGY; to update or sort, UPDATE_FEATURE_STRATEGY; and to delete, DELETE_FEATURE_STRATEGY.',
        // The operation checks which of these permissions the change requires.
        permission: ['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'],
        params: featureEnvironmentParams,
        body: StrategyList,
        output: Strategies,
        events: [
          'feature-strategy-remove',
          'feature-strategy-update',
          'feature-strategy-add',
          'strategy-order-changed',
          'feature-environment-disabled',
        ],
        precondition: ({ params }) => listUnchanged(toFeatureEnvironmentKey(params)),
        run: (current, { params, body }) => setStrategies(current, toFeatureEnvironmentKey(params), body),
      }),
      command({
        id: 'orderFeatureStrategies',
        route: `POST ${BASE_PATH}/strategies/set-sort-order`,
        summary: 'Sort the strategies of a feature in an environment',
        description: 'Sets the sort order of each given strategy. The others keep theirs.',
        permission: ['UPDATE_FEATURE_STRATEGY'],
        params: featureEnvironmentParams,
        body: StrategyOrder,
        events: ['strategy-order-changed'],
        precondition: ({ params }) => listUnchanged(toFeatureEnvironmentKey(params)),
        run: (current, { params, body }) => orderStrategies(current, toFeatureEnvironmentKey(params), body),
      }),
      query({
        id: 'getFeatureStrategy',
        route: `GET ${BASE_PATH}/strategies/:strategyId`,
        summary: 'Get a strategy',
        description: 'Returns one strategy of the feature in the environment.',
        permission: 'NONE',
        params: strategyParams,
        output: jsonResponse('The strategy', FeatureStrategy),
        etag: strategyEtag,
        read: async ({ db }, { params }) =>
          requireStrategy(
            await readEnvironment(db, toFeatureEnvironmentKey(params)),
            params.strategyId.toLowerCase(),
          ),
      }),
      command({
        id: 'updateFeatureStrategy',
        route: `PUT ${BASE_PATH}/strategies/:strategyId`,
        summary: 'Replace a strategy',
        description:
          'Replaces the parameters and constraints of a strategy. Omitted parameters and constraints become empty; every other omitted field keeps its value, and so does disabled if it is null. A null title is removed. Disabling the last enabled strategy also disables the feature.',
        permission: ['UPDATE_FEATURE_STRATEGY'],
        params: strategyParams,
        body: StrategyUpdate,
        output: jsonResponse('The strategy', FeatureStrategy),
        checks: [({ params: { projectId = '' }, body }, db) => rejectInvalidStrategy(db, projectId, body)],
        events: ['feature-strategy-update', 'feature-environment-disabled'],
        precondition: ({ params }) =>
          strategyUnchanged(toFeatureEnvironmentKey(params), params.strategyId.toLowerCase()),
        run: (current, { params, body }) =>
          changeStrategy(current, toFeatureEnvironmentKey(params), params.strategyId.toLowerCase(), body),
      }),
      command({
        id: 'patchFeatureStrategy',
        route: `PATCH ${BASE_PATH}/strategies/:strategyId`,
        summary: 'Patch a strategy',
        description:
          'Applies a JSON Patch to a strategy. Disabling the last enabled strategy also disables the feature.',
        permission: ['UPDATE_FEATURE_STRATEGY'],
        params: strategyParams,
        body: JsonPatch,
        output: jsonResponse('The strategy', FeatureStrategy),
        events: ['feature-strategy-update', 'feature-environment-disabled'],
        precondition: ({ params }) =>
          strategyUnchanged(toFeatureEnvironmentKey(params), params.strategyId.toLowerCase()),
        run: (current, { params, body }) =>
          patchStrategy(current, toFeatureEnvironmentKey(params), params.strategyId.toLowerCase(), body),
      }),
      command({
        id: 'deleteFeatureStrategy',
        route: `DELETE ${BASE_PATH}/strategies/:strategyId`,
        summary: 'Delete a strategy',
        description: 'Deletes a strategy. Deleting the last enabled strategy also disables the feature.',
        permission: ['DELETE_FEATURE_STRATEGY'],
        params: strategyParams,
        events: ['feature-strategy-remove', 'feature-environment-disabled'],
        precondition: ({ params }) =>
          strategyUnchanged(toFeatureEnvironmentKey(params), params.strategyId.toLowerCase()),
        run: (current, { params }) =>
          removeStrategy(current, toFeatureEnvironmentKey(params), params.strategyId.toLowerCase()),
      }),
    ],
  };
}
