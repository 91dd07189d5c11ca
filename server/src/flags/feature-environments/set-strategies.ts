import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { badData, type Violation } from '../../../../plane/src/platform/errors.ts';
import { requireInProject } from '../../access/guard.ts';
import type { ProjectPermission } from '../../access/permissions.ts';
import type { Change } from '../../record/change.ts';
import { disableWithoutStrategies } from './last-strategy.ts';
import {
  type FeatureEnvironmentKey,
  type FeatureStrategy,
  MAX_SORT_ORDER,
  type StrategyList,
} from './schema.ts';
import { deleteStrategies, insertStrategies, updateStrategies } from './store.ts';
import { asOrderData, asStrategyData, complete, lockEnvironment, withKept } from './strategies.ts';
import { validateStrategies } from './validate-strategy.ts';

/**
 * Gives the feature exactly these strategies in the environment, in this order. A strategy with an id is updated, one without an id
 * is added, and the strategies that are not in the list are deleted.
 */
export async function setStrategies(
  current: Change,
  key: FeatureEnvironmentKey,
  wanted: StrategyList,
): Promise<FeatureStrategy[]> {
  const { strategies: before } = await lockEnvironment(current, key);
  const steps = planSteps(before, await acceptedStrategies(current, key, before, wanted));
  for (const permission of neededPermissions(steps))
    await requireInProject(current.tx, current.actor, key.project, [permission], key.environment);
  await carryOut(current, key, steps);
  return steps.after;
}

type Steps = {
  removed: FeatureStrategy[];
  /** With their previous sort orders. */
  updated: { before: FeatureStrategy; after: FeatureStrategy }[];
  added: FeatureStrategy[];
  /** The strategies before and after sorting, if sorting changes an existing one. */
  sorted: { before: FeatureStrategy[]; after: FeatureStrategy[] } | undefined;
  after: FeatureStrategy[];
};

/** A strategy of the list after the change, without its position, and the one that it replaces. */
type Accepted = { before: FeatureStrategy | undefined; content: FeatureStrategy };

/** Completes the strategies, or rejects them with every violation. Unchanged strategies are not validated again. */
async function acceptedStrategies(
  { tx }: Change,
  { project, featureName, environment }: FeatureEnvironmentKey,
  before: FeatureStrategy[],
  wanted: StrategyList,
): Promise<Accepted[]> {
  rejectIds(before, wanted, environment);
  const known = new Map(before.map(strategy => [strategy.id, strategy]));
  const given = wanted.map(({ id, ...listed }, at) => {
    const previous = known.get(id?.toLowerCase() ?? '');
    const input = previous ? withKept(previous, listed) : listed;
    const content = (accepted: typeof input): FeatureStrategy => ({
      id: previous?.id ?? randomUUID(),
      featureName,
      ...complete(accepted, featureName, previous?.sortOrder ?? 0),
    });
    return { input, path: `/body/${at}`, before: previous, content };
  });
  const isSame = ({ before: previous, content, input }: (typeof given)[number]) =>
    previous !== undefined && isDeepStrictEqual(content(input), previous);
  const changing = given.filter(one => !isSame(one));
  const accepted = await validateStrategies(tx, project, changing);
  return given.map(one => {
    const input = accepted[changing.indexOf(one)] ?? one.input;
    return { before: one.before, content: one.content(input) };
  });
}

function rejectIds(before: FeatureStrategy[], wanted: StrategyList, environment: string): void {
  const known = new Set(before.map(({ id }) => id));
  const named = new Set<string>();
  const details = wanted.flatMap(({ id }, at): Violation[] => {
    const wantedId = id?.toLowerCase();
    if (wantedId === undefined) return [];
    const path = `/body/${at}/id`;
    if (named.has(wantedId)) return [{ message: `strategy ${wantedId} is in the list twice`, path }];
    named.add(wantedId);
    return known.has(wantedId)
      ? []
      : [{ message: `strategy ${wantedId} is not in environment "${environment}"`, path }];
  });
  if (details.length > 0) throw badData(details);
}

function planSteps(before: FeatureStrategy[], accepted: Accepted[]): Steps {
  const orders = sortOrders(accepted.map(one => one.before?.sortOrder));
  const after = accepted.map(({ content }, at) => ({ ...content, sortOrder: orders[at] ?? at }));
  const kept = new Set(after.map(({ id }) => id));
  const added = after.filter((_, at) => accepted[at]?.before === undefined);
  const unsorted = accepted.map((one, at) =>
    one.before ? one.content : { ...one.content, sortOrder: orders[at] ?? at },
  );
  return {
    removed: before.filter(({ id }) => !kept.has(id)),
    updated: accepted.flatMap(one =>
      one.before && !isDeepStrictEqual(one.before, one.content)
        ? [{ before: one.before, after: one.content }]
        : [],
    ),
    added,
    sorted: isDeepStrictEqual(unsorted, after)
      ? undefined
      : { before: unsorted.toSorted((one, other) => one.sortOrder - other.sortOrder), after },
    after,
  };
}

/**
 * Ascending sort orders. A strategy keeps its sort order if it fits, so that deleting or adding one does not renumber the others.
 */
function sortOrders(previous: (number | undefined)[]): number[] {
  const orders: number[] = [];
  for (const own of previous) {
    const next = (orders.at(-1) ?? -1) + 1;
    orders.push(own !== undefined && own > next ? own : next);
  }
  return (orders.at(-1) ?? 0) > MAX_SORT_ORDER ? previous.map((_, at) => at) : orders;
}

function* neededPermissions({ removed, updated, added, sorted }: Steps): Generator<ProjectPermission> {
  if (added.length > 0) yield 'CREATE_FEATURE_STRATEGY';
  if (updated.length > 0 || sorted) yield 'UPDATE_FEATURE_STRATEGY';
  if (removed.length > 0) yield 'DELETE_FEATURE_STRATEGY';
}

/** Records the same events as the operations for single strategies: delete, update, add, sort. */
async function carryOut(
  current: Change,
  key: FeatureEnvironmentKey,
  { removed, updated, added, sorted, after }: Steps,
): Promise<void> {
  const { tx, record } = current;
  const isNew = new Set(added);
  const changing = sorted || updated.length > 0 ? after.filter(strategy => !isNew.has(strategy)) : [];
  if (removed.length > 0) {
    await deleteStrategies(
      tx,
      removed.map(({ id }) => id),
    );
  }
  if (changing.length > 0) await updateStrategies(tx, changing);
  if (added.length > 0) await insertStrategies(tx, key.environment, added);
  for (const strategy of removed)
    record({ type: 'feature-strategy-remove', ...key, preData: asStrategyData(strategy) });
  for (const one of updated)
    record({
      type: 'feature-strategy-update',
      ...key,
      data: asStrategyData(one.after),
      preData: asStrategyData(one.before),
    });
  for (const strategy of added)
    record({ type: 'feature-strategy-add', ...key, data: asStrategyData(strategy) });
  if (sorted)
    record({
      type: 'strategy-order-changed',
      ...key,
      data: asOrderData(sorted.after),
      preData: asOrderData(sorted.before),
    });
  if (removed.length > 0 || updated.length > 0) await disableWithoutStrategies(current, key);
}
