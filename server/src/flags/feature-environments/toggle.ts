import { archivedSentence, invalidOperation } from '../../../../plane/src/platform/errors.ts';
import { requireInProject } from '../../access/guard.ts';
import type { Change } from '../../record/change.ts';
import { lockFeatures } from '../feature-rows/lock.ts';
import { missingEnvironment } from './read.ts';
import type { NewStrategy } from './schema.ts';
import { findDefaultStrategy, listStrategyCounts, type StrategyCounts, setEnabled } from './store.ts';
import { addStrategies } from './strategies.ts';

const ENABLED_FOR_ALL: NewStrategy = { name: 'flexibleRollout', parameters: { rollout: '100' } };

/** Enables or disables features in an environment: all of them or, if one cannot be changed, none. */
export async function toggleFeatures(
  current: Change,
  project: string,
  environment: string,
  names: string[],
  enabled: boolean,
): Promise<void> {
  const features = await lockFeatures(current.tx, project, names);
  const archived = features.find(feature => feature.archived);
  if (enabled && archived) throw invalidOperation(archivedSentence('Feature', [archived.name]));

  const counts = await listStrategyCounts(current.tx, names, environment);
  const found = new Set(counts.map(({ featureName }) => featureName));
  for (const { name } of features) if (!found.has(name)) missingEnvironment(name, environment);
  const changing = counts.filter(feature => feature.enabled !== enabled);
  const withoutStrategy = changing.filter(({ enabledStrategies }) => enabledStrategies === 0);
  if (enabled && withoutStrategy.length > 0)
    await addDefaultStrategy(current, project, environment, withoutStrategy);
  const changingNames = changing.map(({ featureName }) => featureName);
  await toggleLocked(current, { project, environment }, changingNames, enabled);
}

/** Part of a change that locked the features. None of them is in the requested state yet. */
export async function toggleLocked(
  { tx, record }: Change,
  where: { project: string; environment: string },
  names: string[],
  enabled: boolean,
): Promise<void> {
  if (names.length === 0) return;
  await setEnabled(tx, names, where.environment, enabled);
  const type = enabled ? 'feature-environment-enabled' : 'feature-environment-disabled';
  for (const featureName of names) record({ type, ...where, featureName });
}

/**
 * SDKs enable a feature without strategies for everyone: the project's default strategy is added, which requires a separate
 * permission. It is added enabled, even if the default strategy is stored as disabled.
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
