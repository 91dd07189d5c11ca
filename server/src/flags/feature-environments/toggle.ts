import { archivedSentence, invalidOperation } from '@halyard/plane/platform/errors.ts';
import { requireInProject } from '../../access/guard.ts';
import type { Change } from '../../record/change.ts';
import { lockFeatures } from '../feature-rows/lock.ts';
import { throwMissingEnvironment } from './read.ts';
import type { NewStrategy } from './schema.ts';
import { findDefaultStrategy, listStrategyCounts, type StrategyCounts, setEnabled } from './store.ts';
import { addStrategies } from './strategies.ts';

const ENABLED_FOR_ALL: NewStrategy = { name: 'flexibleRollout', parameters: { rollout: '100' } };

/** Enables or disables all of the features in an environment, or none if one of them cannot be changed. */
export async function toggleFeatures(
  current: Change,
  project: string,
  environment: string,
  names: string[],
  enabled: boolean,
): Promise<void> {
  const features = await lockFeatures(current.tx, project, names);
  const archivedFeature = features.find(feature => feature.archived);
  if (enabled && archivedFeature) throw invalidOperation(archivedSentence('Feature', [archivedFeature.name]));

  const counts = await listStrategyCounts(current.tx, names, environment);
  const foundNames = new Set(counts.map(({ featureName }) => featureName));
  for (const { name } of features) if (!foundNames.has(name)) throwMissingEnvironment(name, environment);
  const toggledFeatures = counts.filter(feature => feature.enabled !== enabled);
  const withoutStrategy = toggledFeatures.filter(({ enabledStrategies }) => enabledStrategies === 0);
  if (enabled && withoutStrategy.length > 0)
    await addDefaultStrategy(current, project, environment, withoutStrategy);
  const toggledNames = toggledFeatures.map(({ featureName }) => featureName);
  await toggleLockedFeatures(current, { project, environment }, toggledNames, enabled);
}

/** Enables or disables features. The caller must have locked them and must omit those already in the requested state. */
export async function toggleLockedFeatures(
  { tx, record }: Change,
  scope: { project: string; environment: string },
  names: string[],
  enabled: boolean,
): Promise<void> {
  if (names.length === 0) return;
  await setEnabled(tx, names, scope.environment, enabled);
  const type = enabled ? 'feature-environment-enabled' : 'feature-environment-disabled';
  for (const featureName of names) record({ type, ...scope, featureName });
}

/**
 * Adds the project's default strategy, because SDKs enable a feature without strategies for everyone. Adding a strategy requires a
 * separate permission. The strategy is added enabled, even if the default strategy is stored as disabled.
 */
async function addDefaultStrategy(
  current: Change,
  project: string,
  environment: string,
  features: StrategyCounts[],
): Promise<void> {
  const { tx, actor } = current;
  await requireInProject(tx, actor, project, ['CREATE_FEATURE_STRATEGY'], environment);
  const strategy = ((await findDefaultStrategy(tx, project, environment)) ?? ENABLED_FOR_ALL) as NewStrategy;
  await addStrategies(current, { project, environment }, features, { ...strategy, disabled: false });
}
