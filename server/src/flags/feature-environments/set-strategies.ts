import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { badData, type Violation } from '@halyard/plane/platform/errors.ts';
import { requireInProject } from '../../access/guard.ts';
import type { ProjectPermission } from '../../access/permissions.ts';
import type { Change } from '../../record/change.ts';
import { disableWithoutEnabledStrategy } from './last-strategy.ts';
import {
  type FeatureEnvironmentKey,
  type FeatureStrategy,
  MAX_SORT_ORDER,
  type StrategyList,
} from './schema.ts';
import { deleteStrategies, insertStrategies, updateStrategies } from './store.ts';
import {
  completeStrategy,
  lockEnvironment,
  toOrderData,
  toStrategyData,
  withPreservedFields,
} from './strategies.ts';
import { validateStrategies } from './validate-strategy.ts';

/**
 * Gives the feature exactly these strategies in the environment, in this order. A strategy with an id is updated, a strategy
 * without an id is added, and strategies that are not in the list are deleted.
 */
export async function setStrategies(
  current: Change,
  key: FeatureEnvironmentKey,
  list: StrategyList,
): Promise<FeatureStrategy[]> {
  const { strategies: strategiesBefore } = await lockEnvironment(current, key);
  const steps = planSteps(strategiesBefore, await acceptStrategies(current, key, strategiesBefore, list));
  for (const permission of listRequiredPermissions(steps))
    await requireInProject(current.tx, current.actor, key.project, [permission], key.environment);
  await carryOut(current, key, steps);
  return steps.strategiesAfter;
}

type Steps = {
  removed: FeatureStrategy[];
  /** Before and after the update, both with the previous sort order. */
  updated: { strategyBefore: FeatureStrategy; strategyAfter: FeatureStrategy }[];
  added: FeatureStrategy[];
  /** The strategies before and after sorting, if sorting changes an existing strategy. */
  sorted: { orderBefore: FeatureStrategy[]; orderAfter: FeatureStrategy[] } | undefined;
  strategiesAfter: FeatureStrategy[];
};

/** The new content of a listed strategy, before it is sorted, and the strategy that it replaces. */
type AcceptedStrategy = { strategyBefore: FeatureStrategy | undefined; content: FeatureStrategy };

/**
 * Validates the strategies and fills in omitted fields, or rejects them and lists every violation. Unchanged strategies are not
 * validated again.
 */
async function acceptStrategies(
  { tx }: Change,
  { project, featureName, environment }: FeatureEnvironmentKey,
  strategiesBefore: FeatureStrategy[],
  list: StrategyList,
): Promise<AcceptedStrategy[]> {
  rejectInvalidIds(strategiesBefore, list, environment);
  const strategiesById = new Map(strategiesBefore.map(strategy => [strategy.id, strategy]));
  const entries = list.map(({ id, ...fields }, index) => {
    const strategyBefore = strategiesById.get(id?.toLowerCase() ?? '');
    const input = strategyBefore ? withPreservedFields(strategyBefore, fields) : fields;
    const toStrategy = (acceptedInput: typeof input): FeatureStrategy => ({
      id: strategyBefore?.id ?? randomUUID(),
      featureName,
      ...completeStrategy(acceptedInput, featureName, strategyBefore?.sortOrder ?? 0),
    });
    return { input, path: `/body/${index}`, strategyBefore, toStrategy };
  });
  const isSame = ({ strategyBefore, toStrategy, input }: (typeof entries)[number]) =>
    strategyBefore !== undefined && isDeepStrictEqual(toStrategy(input), strategyBefore);
  const changedEntries = entries.filter(entry => !isSame(entry));
  const acceptedInputs = await validateStrategies(tx, project, changedEntries);
  return entries.map(entry => {
    const input = acceptedInputs[changedEntries.indexOf(entry)] ?? entry.input;
    return { strategyBefore: entry.strategyBefore, content: entry.toStrategy(input) };
  });
}

function rejectInvalidIds(
  strategiesBefore: FeatureStrategy[],
  list: StrategyList,
  environment: string,
): void {
  const knownIds = new Set(strategiesBefore.map(({ id }) => id));
  const listedIds = new Set<string>();
  const details = list.flatMap(({ id }, index): Violation[] => {
    const listedId = id?.toLowerCase();
    if (listedId === undefined) return [];
    const path = `/body/${index}/id`;
    if (listedIds.has(listedId)) return [{ message: `strategy ${listedId} is in the list twice`, path }];
    listedIds.add(listedId);
    return knownIds.has(listedId)
      ? []
      : [{ message: `strategy ${listedId} is not in environment "${environment}"`, path }];
  });
  if (details.length > 0) throw badData(details);
}

function planSteps(strategiesBefore: FeatureStrategy[], acceptedStrategies: AcceptedStrategy[]): Steps {
  const orders = assignSortOrders(acceptedStrategies.map(accepted => accepted.strategyBefore?.sortOrder));
  const strategiesAfter = acceptedStrategies.map(({ content }, index) => ({
    ...content,
    sortOrder: orders[index] ?? index,
  }));
  const keptIds = new Set(strategiesAfter.map(({ id }) => id));
  const addedStrategies = strategiesAfter.filter(
    (_, index) => acceptedStrategies[index]?.strategyBefore === undefined,
  );
  const unsortedStrategies = acceptedStrategies.map(({ strategyBefore, content }, index) =>
    strategyBefore ? content : { ...content, sortOrder: orders[index] ?? index },
  );
  return {
    removed: strategiesBefore.filter(({ id }) => !keptIds.has(id)),
    updated: acceptedStrategies.flatMap(({ strategyBefore, content }) =>
      strategyBefore && !isDeepStrictEqual(strategyBefore, content)
        ? [{ strategyBefore, strategyAfter: content }]
        : [],
    ),
    added: addedStrategies,
    sorted: isDeepStrictEqual(unsortedStrategies, strategiesAfter)
      ? undefined
      : {
          orderBefore: unsortedStrategies.toSorted((a, b) => a.sortOrder - b.sortOrder),
          orderAfter: strategiesAfter,
        },
    strategiesAfter,
  };
}

/**
 * Returns ascending sort orders. A strategy keeps its sort order if possible, so that deleting or adding a strategy does not
 * renumber the others.
 */
function assignSortOrders(previous: (number | undefined)[]): number[] {
  const orders: number[] = [];
  for (const previousOrder of previous) {
    const nextOrder = (orders.at(-1) ?? -1) + 1;
    orders.push(previousOrder !== undefined && previousOrder > nextOrder ? previousOrder : nextOrder);
  }
  return (orders.at(-1) ?? 0) > MAX_SORT_ORDER ? previous.map((_, index) => index) : orders;
}

function* listRequiredPermissions({ removed, updated, added, sorted }: Steps): Generator<ProjectPermission> {
  if (added.length > 0) yield 'CREATE_FEATURE_STRATEGY';
  if (updated.length > 0 || sorted) yield 'UPDATE_FEATURE_STRATEGY';
  if (removed.length > 0) yield 'DELETE_FEATURE_STRATEGY';
}

/** Carries out the steps and records the same events as the operations that delete, update, add and sort strategies. */
async function carryOut(
  current: Change,
  key: FeatureEnvironmentKey,
  { removed, updated, added, sorted, strategiesAfter }: Steps,
): Promise<void> {
  const { tx, record } = current;
  const newStrategies = new Set(added);
  const changedStrategies =
    sorted || updated.length > 0 ? strategiesAfter.filter(strategy => !newStrategies.has(strategy)) : [];
  if (removed.length > 0) {
    await deleteStrategies(
      tx,
      removed.map(({ id }) => id),
    );
  }
  if (changedStrategies.length > 0) await updateStrategies(tx, changedStrategies);
  if (added.length > 0) await insertStrategies(tx, key.environment, added);
  for (const strategy of removed)
    record({ type: 'feature-strategy-remove', ...key, preData: toStrategyData(strategy) });
  for (const { strategyBefore, strategyAfter } of updated)
    record({
      type: 'feature-strategy-update',
      ...key,
      data: toStrategyData(strategyAfter),
      preData: toStrategyData(strategyBefore),
    });
  for (const strategy of added)
    record({ type: 'feature-strategy-add', ...key, data: toStrategyData(strategy) });
  if (sorted)
    record({
      type: 'strategy-order-changed',
      ...key,
      data: toOrderData(sorted.orderAfter),
      preData: toOrderData(sorted.orderBefore),
    });
  if (removed.length > 0 || updated.length > 0) await disableWithoutEnabledStrategy(current, key);
}
