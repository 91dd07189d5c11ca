import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { badData, exceedsLimit, notFound } from '../../platform/errors.ts';
import { applyPatch, type JsonPatch } from '../../platform/http/patch.ts';
import type { Change } from '../../record/change.ts';
import { holdActiveFeature, readFeature } from '../features/load.ts';
import type { Feature } from '../features/schema.ts';
import { acceptStrategy } from './accept-strategy.ts';
import { disableIfUnguarded } from './last-strategy.ts';
import {
  type FeatureEnvironment,
  type FeatureStrategy,
  NewStrategy,
  type StrategyContent,
  type StrategyOrder,
} from './schema.ts';
import {
  copyStrategies,
  deleteStrategies,
  insertStrategies,
  type StrategyCopy,
  type StrategyFields,
  updateStrategy,
  updateStrategyOrder,
} from './store.ts';

export type Place = { project: string; featureName: string; environment: string };

export const MAX_STRATEGIES = 30;

/** A feature's environment, held until the transaction ends: strategies are counted and ordered under this lock. */
export async function holdPlace({ tx, actor }: Change, { project, featureName, environment }: Place) {
  return environmentOf(await holdActiveFeature(tx, actor, project, featureName), environment);
}

export function environmentOf(feature: Feature, environment: string) {
  const here = feature.environments.find(({ name }) => name === environment);
  if (!here) throw notFound(`Environment ${environment} of feature ${feature.name}`);
  return here;
}

export async function readPlace(db: Reader, actor: Actor, place: Place): Promise<FeatureEnvironment> {
  return environmentOf(await readFeature(db, actor, place.project, place.featureName), place.environment);
}

export function strategyOf(
  { strategies }: Pick<FeatureEnvironment, 'strategies'>,
  id: string,
): FeatureStrategy {
  const strategy = strategies.find(one => one.id === id);
  if (!strategy) throw notFound(`Strategy ${id}`);
  return strategy;
}

export async function addStrategy(
  current: Change,
  place: Place,
  input: NewStrategy,
): Promise<FeatureStrategy> {
  const { strategies } = await holdPlace(current, place);
  const features = [{ featureName: place.featureName, strategies }];
  const [strategy] = await addStrategies(current, place, features, input);
  if (!strategy) throw new Error('The strategy that was added is not there');
  return strategy;
}

/** Adds the same strategy to each feature, behind those it has; part of a change that holds the features already. */
export async function addStrategies(
  { tx, record }: Change,
  { project, environment }: Omit<Place, 'featureName'>,
  features: { featureName: string; strategies: FeatureStrategy[] }[],
  input: NewStrategy,
): Promise<FeatureStrategy[]> {
  if (features.some(({ strategies }) => strategies.length >= MAX_STRATEGIES)) {
    throw exceedsLimit(`A feature has at most ${MAX_STRATEGIES} strategies in an environment.`);
  }
  const accepted = await acceptStrategy(tx, project, input);
  const wanted = features.map(({ featureName, strategies }) => {
    const last = Math.max(-1, ...strategies.map(strategy => strategy.sortOrder));
    return { featureName, ...complete(accepted, featureName, last + 1) };
  });
  const added = await insertStrategies(tx, environment, wanted);
  for (const strategy of added) {
    const { featureName } = strategy;
    record({
      type: 'feature-strategy-add',
      project,
      environment,
      featureName,
      data: asStrategyData(strategy),
    });
  }
  return added;
}

/** Copies strategies that are held, each as its content says, and tells of each; part of a change that holds the features. */
export async function placeCopies(
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
    const data = asStrategyData({ id, featureName, ...content });
    record({ type: 'feature-strategy-add', project, environment, featureName, data });
  }
}

export async function changeStrategy(
  current: Change,
  place: Place,
  id: string,
  update: NewStrategy | ((before: FeatureStrategy) => NewStrategy),
): Promise<FeatureStrategy> {
  const here = await holdPlace(current, place);
  const before = strategyOf(here, id);
  const wanted = typeof update === 'function' ? update(before) : update;
  const input = await acceptStrategy(current.tx, place.project, wanted);
  const after = {
    id,
    featureName: place.featureName,
    ...complete(input, place.featureName, before.sortOrder),
  };
  if (isDeepStrictEqual(after, before)) return before;
  await updateStrategy(current.tx, id, after);
  current.record({
    type: 'feature-strategy-update',
    ...place,
    data: asStrategyData(after),
    preData: asStrategyData(before),
  });
  if (after.disabled) await disableIfUnguarded(current, place);
  return after;
}

export async function patchStrategy(
  current: Change,
  place: Place,
  id: string,
  patch: JsonPatch,
): Promise<FeatureStrategy> {
  return await changeStrategy(current, place, id, ({ id: _, featureName: __, ...before }) =>
    applyPatch<typeof NewStrategy>(before, patch, NewStrategy),
  );
}

export async function removeStrategy(current: Change, place: Place, id: string): Promise<void> {
  const here = await holdPlace(current, place);
  const strategy = strategyOf(here, id);
  await deleteStrategies(current.tx, [id]);
  current.record({ type: 'feature-strategy-remove', ...place, preData: asStrategyData(strategy) });
  await disableIfUnguarded(current, place);
}

export async function orderStrategies(current: Change, place: Place, order: StrategyOrder): Promise<void> {
  const { strategies } = await holdPlace(current, place);
  const unknown = order.filter(({ id }) => !strategies.some(strategy => strategy.id === id));
  if (unknown.length > 0) {
    throw badData(
      unknown.map(({ id }) => ({ message: `strategy ${id} is not in this environment`, path: '/body' })),
    );
  }
  const wanted = new Map(order.map(({ id, sortOrder }) => [id, sortOrder]));
  if (strategies.every(({ id, sortOrder }) => (wanted.get(id) ?? sortOrder) === sortOrder)) return;

  await updateStrategyOrder(current.tx, order);
  const after = (await holdPlace(current, place)).strategies;
  current.record({
    type: 'strategy-order-changed',
    ...place,
    data: { strategyIds: after.map(({ id }) => id), sortOrders: after.map(({ sortOrder }) => sortOrder) },
    preData: {
      strategyIds: strategies.map(({ id }) => id),
      sortOrders: strategies.map(({ sortOrder }) => sortOrder),
    },
  });
}

/** Fills what was left out. A gradual rollout always has its three parameters, or SDKs would each guess their own. */
export function complete(input: NewStrategy, featureName: string, sortOrder: number): StrategyFields {
  const rollout = { rollout: '100', stickiness: 'default', groupId: featureName };
  return {
    name: input.name,
    ...(typeof input.title === 'string' ? { title: input.title } : {}),
    disabled: input.disabled ?? false,
    sortOrder: input.sortOrder ?? sortOrder,
    parameters: { ...(input.name === 'flexibleRollout' ? rollout : {}), ...input.parameters },
    constraints: input.constraints ?? [],
    variants: input.variants ?? [],
    segments: input.segments ?? [],
  };
}

export function asStrategyData({ featureName: _, ...strategy }: FeatureStrategy): object {
  return strategy;
}
