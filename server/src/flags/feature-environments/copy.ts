import { isDeepStrictEqual } from 'node:util';
import { badData } from '@halyard/plane/platform/errors.ts';
import { requireInProject } from '../../access/guard.ts';
import type { ProjectPermission } from '../../access/permissions.ts';
import type { Change } from '../../record/change.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import { disableWithoutEnabledStrategy } from './last-strategy.ts';
import { readEnvironments, requireEnvironment } from './read.ts';
import type {
  EnvironmentCopy,
  FeatureEnvironment,
  FeatureEnvironmentKey,
  StrategyContent,
} from './schema.ts';
import { deleteStrategies } from './store.ts';
import { addCopies, toStrategyData } from './strategies.ts';
import { setVariants } from './variants.ts';

/**
 * Replaces the feature's strategies and variants in one environment with those in another. The feature stays enabled or disabled,
 * unless it has no enabled strategy left.
 */
export async function copyEnvironment(
  current: Change,
  key: FeatureEnvironmentKey,
  { from, include = ['strategies', 'variants'] }: EnvironmentCopy,
): Promise<void> {
  const { tx, actor } = current;
  await lockActiveFeature(tx, key.project, key.featureName);
  const feature = await readEnvironments(tx, key.featureName);
  const target = requireEnvironment(feature, key.environment);
  const source = feature.environments.find(({ name }) => name === from);
  if (!source || source === target) {
    const message = source
      ? `from must be a different environment than "${from}"`
      : `feature "${feature.name}" does not have environment "${from}"`;
    throw badData([{ message, path: '/body/from' }]);
  }

  const replacesStrategies = include.includes('strategies') && !hasSameStrategies(source, target);
  const replacesVariants =
    include.includes('variants') && !isDeepStrictEqual(source.variants, target.variants);
  for (const permission of listRequiredPermissions(source, target, replacesStrategies, replacesVariants))
    await requireInProject(tx, actor, key.project, [permission], key.environment);
  if (replacesStrategies) await replaceStrategies(current, key, source, target);
  if (replacesVariants)
    await setVariants(current, [
      { project: key.project, environmentBefore: target, variants: source.variants },
    ]);
}

function* listRequiredPermissions(
  source: FeatureEnvironment,
  target: FeatureEnvironment,
  replacesStrategies: boolean,
  replacesVariants: boolean,
): Generator<ProjectPermission> {
  if (replacesStrategies && source.hasStrategies) yield 'CREATE_FEATURE_STRATEGY';
  if (replacesStrategies && target.hasStrategies) yield 'DELETE_FEATURE_STRATEGY';
  if (replacesVariants) yield 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS';
}

const getStrategyContents = ({ strategies }: FeatureEnvironment): StrategyContent[] =>
  strategies.map(({ id: _, featureName: __, ...content }) => content);

const hasSameStrategies = (a: FeatureEnvironment, b: FeatureEnvironment): boolean =>
  isDeepStrictEqual(getStrategyContents(a), getStrategyContents(b));

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
      current.record({ type: 'feature-strategy-remove', ...key, preData: toStrategyData(strategy) });
  }
  const copies = source.strategies.map(({ id: copyOf, featureName, ...content }) => ({
    copyOf,
    featureName,
    environment: target.name,
    groupId: null,
    content,
  }));
  await addCopies(current, key.project, copies);
  await disableWithoutEnabledStrategy(current, key);
}
