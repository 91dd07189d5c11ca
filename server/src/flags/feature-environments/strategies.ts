import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { badData, exceedsLimit } from '@halyard/plane/platform/errors.ts';
import { applyPatch, type JsonPatch } from '../../platform/http/input/patch.ts';
import type { Change } from '../../record/change.ts';
import { getStrategyStickiness, withStickiness } from '../../targeting/variants/stickiness.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import { disableWithoutEnabledStrategy } from './last-strategy.ts';
import { readEnvironment, requireStrategy, throwMissingEnvironment } from './read.ts';
import {
  type FeatureEnvironment,
  type FeatureEnvironmentKey,
  type FeatureStrategy,
  MAX_STRATEGIES,
  type NewStrategy,
  PatchedStrategy,
  type StrategyContent,
  type StrategyOrder,
  type StrategyUpdate,
} from './schema.ts';
import {
  copyStrategies,
  deleteStrategies,
  insertStrategies,
  listStrategyCounts,
  type StrategyCopy,
  type StrategyCounts,
  type StrategyFields,
  updateStrategies,
  updateStrategyOrder,
} from './store.ts';
import { validateStrategy } from './validate-strategy.ts';

/** Locks the feature until the transaction ends, so that its strategies cannot change, and reads the environment. */
export async function lockEnvironment(
  { tx }: Change,
  key: FeatureEnvironmentKey,
): Promise<FeatureEnvironment> {
  await lockActiveFeature(tx, key.project, key.featureName);
  return await readEnvironment(tx, key);
}

export async function addStrategy(
  current: Change,
  key: FeatureEnvironmentKey,
  input: NewStrategy,
): Promise<FeatureStrategy> {
  const { featureName, environment } = key;
  await lockActiveFeature(current.tx, key.project, featureName);
  const counts = await listStrategyCounts(current.tx, [featureName], environment);
  if (counts.length === 0) throwMissingEnvironment(featureName, environment);
  const [strategy] = await addStrategies(current, key, counts, input);
  if (!strategy) throw new Error('The added strategy was not returned');
  return strategy;
}

/** Adds the same strategy to each feature, after the feature's other strategies. The caller must have locked the features. */
export async function addStrategies(
  { tx, record }: Change,
  { project, environment }: Omit<FeatureEnvironmentKey, 'featureName'>,
  features: StrategyCounts[],
  input: NewStrategy,
): Promise<FeatureStrategy[]> {
  if (features.some(({ strategies }) => strategies >= MAX_STRATEGIES))
    throw exceedsLimit(`A feature can have at most ${MAX_STRATEGIES} strategies in an environment.`);
  const acceptedInput = await validateStrategy(tx, project, input);
  const newStrategies = features.map(({ featureName, lastSortOrder }) => ({
    featureName,
    ...completeStrategy(acceptedInput, featureName, lastSortOrder + 1),
  }));
  const addedStrategies = await insertStrategies(tx, environment, newStrategies);
  for (const strategy of addedStrategies) {
    const { featureName } = strategy;
    record({
      type: 'feature-strategy-add',
      project,
      environment,
      featureName,
      data: toStrategyData(strategy),
    });
  }
  return addedStrategies;
}

/** Copies strategies and records the content of each copy. The caller must have locked the features. */
export async function addCopies(
  { tx, record }: Change,
  project: string,
  copies: (Omit<StrategyCopy, 'id'> & { content: StrategyContent })[],
): Promise<void> {
  if (copies.length === 0) return;
  const rows = copies.map(copy => ({ ...copy, id: randomUUID() }));
  await copyStrategies(
    tx,
    rows.map(({ content: _, ...row }) => row),
  );
  for (const { id, environment, featureName, content } of rows) {
    const data = toStrategyData({ id, featureName, ...content });
    record({ type: 'feature-strategy-add', project, environment, featureName, data });
  }
}

export async function changeStrategy(
  current: Change,
  key: FeatureEnvironmentKey,
  id: string,
  update: StrategyUpdate | ((strategy: FeatureStrategy) => NewStrategy),
): Promise<FeatureStrategy> {
  const featureEnvironment = await lockEnvironment(current, key);
  const strategyBefore = requireStrategy(featureEnvironment, id);
  const newFields =
    typeof update === 'function' ? update(strategyBefore) : withPreservedFields(strategyBefore, update);
  const input = await validateStrategy(current.tx, key.project, newFields);
  const strategyAfter = {
    id,
    featureName: key.featureName,
    ...completeStrategy(input, key.featureName, strategyBefore.sortOrder),
  };
  if (isDeepStrictEqual(strategyAfter, strategyBefore)) return strategyBefore;
  await updateStrategies(current.tx, [strategyAfter]);
  current.record({
    type: 'feature-strategy-update',
    ...key,
    data: toStrategyData(strategyAfter),
    preData: toStrategyData(strategyBefore),
  });
  if (strategyAfter.disabled) await disableWithoutEnabledStrategy(current, key);
  return strategyAfter;
}

/**
 * Keeps omitted fields, so that a request that changes the rollout neither enables a disabled strategy nor removes its segments.
 * Only parameters and constraints are always replaced.
 */
export function withPreservedFields(
  { name, title, disabled, variants, segments }: FeatureStrategy,
  update: StrategyUpdate,
): NewStrategy {
  return {
    name,
    ...(title === undefined ? {} : { title }),
    variants,
    segments,
    ...update,
    disabled: update.disabled ?? disabled,
  };
}

export async function patchStrategy(
  current: Change,
  key: FeatureEnvironmentKey,
  id: string,
  patch: JsonPatch,
): Promise<FeatureStrategy> {
  return await changeStrategy(current, key, id, ({ id: _, featureName: __, ...content }) =>
    applyPatch<typeof PatchedStrategy>(content, patch, PatchedStrategy),
  );
}

export async function removeStrategy(current: Change, key: FeatureEnvironmentKey, id: string): Promise<void> {
  const featureEnvironment = await lockEnvironment(current, key);
  const strategy = requireStrategy(featureEnvironment, id);
  await deleteStrategies(current.tx, [id]);
  current.record({ type: 'feature-strategy-remove', ...key, preData: toStrategyData(strategy) });
  await disableWithoutEnabledStrategy(current, key);
}

export async function orderStrategies(
  current: Change,
  key: FeatureEnvironmentKey,
  order: StrategyOrder,
): Promise<void> {
  const { strategies } = await lockEnvironment(current, key);
  const unknownStrategies = order.filter(({ id }) => !strategies.some(strategy => strategy.id === id));
  if (unknownStrategies.length > 0) {
    throw badData(
      unknownStrategies.map(({ id }) => ({
        message: `strategy ${id} is not in environment "${key.environment}"`,
        path: '/body',
      })),
    );
  }
  const newOrder = new Map(order.map(({ id, sortOrder }) => [id, sortOrder]));
  if (strategies.every(({ id, sortOrder }) => (newOrder.get(id) ?? sortOrder) === sortOrder)) return;

  await updateStrategyOrder(current.tx, order);
  const sortedStrategies = (await readEnvironment(current.tx, key)).strategies;
  current.record({
    type: 'strategy-order-changed',
    ...key,
    data: toOrderData(sortedStrategies),
    preData: toOrderData(strategies),
  });
}

export const toOrderData = (strategies: FeatureStrategy[]): object => ({
  strategyIds: strategies.map(({ id }) => id),
  sortOrders: strategies.map(({ sortOrder }) => sortOrder),
});

/** Fills in omitted fields. */
export function completeStrategy(input: NewStrategy, featureName: string, sortOrder: number): StrategyFields {
  const parameters = completeParameters(input, featureName);
  const variants = input.variants ?? [];
  return {
    name: input.name,
    ...(typeof input.title === 'string' ? { title: input.title } : {}),
    disabled: input.disabled ?? false,
    sortOrder: input.sortOrder ?? sortOrder,
    parameters,
    constraints: input.constraints ?? [],
    variants: withStickiness(variants, getStrategyStickiness(parameters, variants)),
    segments: input.segments ?? [],
  };
}

/**
 * Fills in the parameters whose defaults differ between SDKs. A gradual rollout needs rollout, stickiness and groupId. A strategy with
 * variants needs the last two to assign a variant to a user. For the same reason, neither of them is ever empty.
 */
function completeParameters(
  { name, parameters = {}, variants = [] }: NewStrategy,
  featureName: string,
): Record<string, string> {
  const isRollout = name === 'flexibleRollout';
  if (!isRollout && variants.length === 0) return parameters;
  return {
    ...(isRollout ? { rollout: '100' } : {}),
    ...parameters,
    stickiness: getStrategyStickiness(parameters, variants),
    groupId: parameters.groupId || featureName,
  };
}

export function toStrategyData({ featureName: _, ...strategy }: FeatureStrategy): object {
  return strategy;
}
