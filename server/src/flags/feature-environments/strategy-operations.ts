import { Type } from 'typebox';
import { jsonResponse, Nothing, Ref } from '../../../../plane/src/platform/http/schema.ts';
import { JsonPatch } from '../../platform/http/input/patch.ts';
import { environment, featureName, ofFeatureInEnvironment, projectId } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import type { Precondition } from '../../record/versioned.ts';
import { HERE, keyOf } from './address.ts';
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

const strategyId = Type.String({ description: 'Id of the strategy', format: 'uuid' });
const ofStrategy = Type.Object({ projectId, featureName, environment, strategyId });

const Strategies = Type.Array(Ref(FeatureStrategy), {
  title: 'FeatureStrategyList',
  description: 'The strategies',
});

/** The strategies of a feature in an environment. */
export function strategyOperations(lockFeatureEtag: LockFeatureEtag): OperationModule {
  const listUnchanged = (key: FeatureEnvironmentKey): Precondition => ({
    what: `The list of strategies of feature "${key.featureName}" in environment "${key.environment}"`,
    readEtags: current =>
      lockEnvironmentEtags(current, key, lockFeatureEtag, ({ strategies }) => [etagOfStrategies(strategies)]),
  });

  const strategyUnchanged = (key: FeatureEnvironmentKey, id: string): Precondition => ({
    what: `Strategy "${id}" of feature "${key.featureName}" in environment "${key.environment}"`,
    readEtags: current => lockEnvironmentEtags(current, key, lockFeatureEtag, etagsOfStrategy(id)),
  });

  return {
    tag: 'Features',
    schemas: [],
    operations: [
      query({
        id: 'getFeatureStrategies',
        route: `GET ${HERE}/strategies`,
        summary: 'List the strategies of a feature in an environment',
        description: 'Returns the strategies in the order of their evaluation.',
        permission: 'NONE',
        params: ofFeatureInEnvironment,
        output: Strategies,
        etag: etagOfStrategies,
        read: async ({ db }, { params }) => (await readEnvironment(db, keyOf(params))).strategies,
      }),
      command({
        id: 'addFeatureStrategy',
        route: `POST ${HERE}/strategies`,
        summary: 'Add a strategy',
        description:
          'Adds a strategy after the others. A feature can have at most 30 strategies in an environment.',
        permission: ['CREATE_FEATURE_STRATEGY'],
        params: ofFeatureInEnvironment,
        body: NewStrategy,
        output: jsonResponse('The new strategy', FeatureStrategy),
        checks: [({ params: { projectId = '' }, body }, db) => checkStrategy(db, projectId, body)],
        events: ['feature-strategy-add'],
        run: (current, { params, body }) => addStrategy(current, keyOf(params), body),
      }),
      command({
        id: 'setFeatureStrategies',
        route: `PUT ${HERE}/strategies`,
        summary: 'Replace all strategies of a feature in an environment',
        description:
          'Gives the feature exactly the strategies in the list, in that order, in one change. A strategy with an id is updated as by PUT of that strategy, a strategy without an id is added, and strategies that are not in the list are deleted. Removing or disabling the last enabled strategy also disables the feature. To add, the caller needs CREATE_FEATURE_STRATEGY; to update or sort, UPDATE_FEATURE_STRATEGY; and to delete, DELETE_FEATURE_STRATEGY.',
        // The operation checks which of these permissions the change requires.
        permission: ['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'],
        params: ofFeatureInEnvironment,
        body: StrategyList,
        output: Strategies,
        events: [
          'feature-strategy-remove',
          'feature-strategy-update',
          'feature-strategy-add',
          'strategy-order-changed',
          'feature-environment-disabled',
        ],
        precondition: ({ params }) => listUnchanged(keyOf(params)),
        run: (current, { params, body }) => setStrategies(current, keyOf(params), body),
      }),
      command({
        id: 'orderFeatureStrategies',
        route: `POST ${HERE}/strategies/set-sort-order`,
        summary: 'Sort the strategies of a feature in an environment',
        description: 'Sets the sort order of each named strategy. The others keep theirs.',
        permission: ['UPDATE_FEATURE_STRATEGY'],
        params: ofFeatureInEnvironment,
        body: StrategyOrder,
        output: Nothing,
        events: ['strategy-order-changed'],
        precondition: ({ params }) => listUnchanged(keyOf(params)),
        run: (current, { params, body }) => orderStrategies(current, keyOf(params), body),
      }),
      query({
        id: 'getFeatureStrategy',
        route: `GET ${HERE}/strategies/:strategyId`,
        summary: 'Get a strategy',
        description: 'Returns one strategy of the feature in the environment.',
        permission: 'NONE',
        params: ofStrategy,
        output: jsonResponse('The strategy', FeatureStrategy),
        etag: etagOfStrategy,
        read: async ({ db }, { params }) =>
          strategyOf(await readEnvironment(db, keyOf(params)), params.strategyId.toLowerCase()),
      }),
      command({
        id: 'updateFeatureStrategy',
        route: `PUT ${HERE}/strategies/:strategyId`,
        summary: 'Replace a strategy',
        description:
          'Replaces the parameters and constraints of a strategy. Omitted parameters and constraints become empty; every other omitted field keeps its value, and so does disabled if it is null. A null title is removed. Disabling the last enabled strategy also disables the feature.',
        permission: ['UPDATE_FEATURE_STRATEGY'],
        params: ofStrategy,
        body: StrategyUpdate,
        output: jsonResponse('The strategy', FeatureStrategy),
        checks: [({ params: { projectId = '' }, body }, db) => checkStrategy(db, projectId, body)],
        events: ['feature-strategy-update', 'feature-environment-disabled'],
        precondition: ({ params }) => strategyUnchanged(keyOf(params), params.strategyId.toLowerCase()),
        run: (current, { params, body }) =>
          changeStrategy(current, keyOf(params), params.strategyId.toLowerCase(), body),
      }),
      command({
        id: 'patchFeatureStrategy',
        route: `PATCH ${HERE}/strategies/:strategyId`,
        summary: 'Patch a strategy',
        description:
          'Applies a JSON Patch to a strategy. Disabling the last enabled strategy also disables the feature.',
        permission: ['UPDATE_FEATURE_STRATEGY'],
        params: ofStrategy,
        body: JsonPatch,
        output: jsonResponse('The strategy', FeatureStrategy),
        events: ['feature-strategy-update', 'feature-environment-disabled'],
        precondition: ({ params }) => strategyUnchanged(keyOf(params), params.strategyId.toLowerCase()),
        run: (current, { params, body }) =>
          patchStrategy(current, keyOf(params), params.strategyId.toLowerCase(), body),
      }),
      command({
        id: 'deleteFeatureStrategy',
        route: `DELETE ${HERE}/strategies/:strategyId`,
        summary: 'Delete a strategy',
        description: 'Deletes a strategy. Deleting the last enabled strategy also disables the feature.',
        permission: ['DELETE_FEATURE_STRATEGY'],
        params: ofStrategy,
        output: Nothing,
        events: ['feature-strategy-remove', 'feature-environment-disabled'],
        precondition: ({ params }) => strategyUnchanged(keyOf(params), params.strategyId.toLowerCase()),
        run: (current, { params }) => removeStrategy(current, keyOf(params), params.strategyId.toLowerCase()),
      }),
    ],
  };
}
