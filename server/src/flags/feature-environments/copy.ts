import { isDeepStrictEqual } from 'node:util';
import { badData } from '../../../../plane/src/platform/errors.ts';
import { requireInProject } from '../../access/guard.ts';
import type { ProjectPermission } from '../../access/permissions.ts';
import type { Change } from '../../record/change.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import { disableWithoutStrategies } from './last-strategy.ts';
import { environmentOf, readEnvironments } from './read.ts';
import type {
  EnvironmentCopy,
  FeatureEnvironment,
  FeatureEnvironmentKey,
  StrategyContent,
} from './schema.ts';
import { deleteStrategies } from './store.ts';
import { addCopies, asStrategyData } from './strategies.ts';
import { setVariants } from './variants.ts';

/**
 * Replaces what the feature has in one environment with what it has in another. The feature stays enabled or disabled, unless no
 * enabled strategy is left.
 */
export async function copyEnvironment(
  current: Change,
  key: FeatureEnvironmentKey,
  { from, include = ['strategies', 'variants'] }: EnvironmentCopy,
): Promise<void> {
  const { tx, actor } = current;
  await lockActiveFeature(tx, key.project, key.featureName);
  const feature = await readEnvironments(tx, key.featureName);
  const target = environmentOf(feature, key.environment);
  const source = feature.environments.find(({ name }) => name === from);
  if (!source || source === target) {
    const message = source
      ? `from must be a different environment than "${from}"`
      : `feature "${feature.name}" does not have environment "${from}"`;
    throw badData([{ message, path: '/body/from' }]);
  }

  const strategies = include.includes('strategies') && !sameStrategies(source, target);
  const variants = include.includes('variants') && !isDeepStrictEqual(source.variants, target.variants);
  for (const permission of needed(source, target, strategies, variants))
    await requireInProject(tx, actor, key.project, [permission], key.environment);
  if (strategies) await replaceStrategies(current, key, source, target);
  if (variants)
    await setVariants(current, [{ project: key.project, before: target, variants: source.variants }]);
}

function* needed(
  source: FeatureEnvironment,
  target: FeatureEnvironment,
  strategies: boolean,
  variants: boolean,
): Generator<ProjectPermission> {
  if (strategies && source.hasStrategies) yield 'CREATE_FEATURE_STRATEGY';
  if (strategies && target.hasStrategies) yield 'DELETE_FEATURE_STRATEGY';
  if (variants) yield 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS';
}

const contents = ({ strategies }: FeatureEnvironment): StrategyContent[] =>
  strategies.map(({ id: _, featureName: __, ...content }) => content);

const sameStrategies = (one: FeatureEnvironment, other: FeatureEnvironment): boolean =>
  isDeepStrictEqual(contents(one), contents(other));

async function replaceStrategies(
  current: Change,
  key: FeatureEnvironmentKey,
  source: FeatureEnvironment,
  target: FeatureEnvironment,
): Promise<void> {
  if (target.hasStrategies) {
    await deleteStrategies(
      current.tx,
      target.strategies.map(({ id }) => id),
    );
    for (const strategy of target.strategies)
      current.record({ type: 'feature-strategy-remove', ...key, preData: asStrategyData(strategy) });
  }
  const copies = source.strategies.map(({ id: copyOf, featureName, ...content }) => ({
    copyOf,
    featureName,
    environment: target.name,
    groupId: null,
    content,
  }));
  await addCopies(current, key.project, copies);
  await disableWithoutStrategies(current, key);
}
