import { requireInProject } from '../../access/guard.ts';
import { invalidOperation } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { holdFeatures } from '../features/load.ts';
import { namesOf } from '../features/many.ts';
import type { Feature } from '../features/schema.ts';
import type { NewStrategy } from './schema.ts';
import { findDefaultStrategy, setEnabled } from './store.ts';
import { addStrategies, environmentOf } from './strategies.ts';

const ON_FOR_ALL: NewStrategy = { name: 'flexibleRollout', parameters: { rollout: '100' } };

/** Switches features on or off in an environment: all that are named or, if one cannot, none. */
export async function switchFeatures(
  current: Change,
  project: string,
  environment: string,
  names: string[],
  enabled: boolean,
): Promise<void> {
  const features = await holdFeatures(current.tx, current.actor, project, names);
  const archived = features.find(feature => feature.archived);
  if (enabled && archived) throw invalidOperation(`Feature ${archived.name} is archived; revive it first.`);

  const changing = features.filter(feature => environmentOf(feature, environment).enabled !== enabled);
  if (changing.length === 0) return;
  const bare = changing.filter(feature => !environmentOf(feature, environment).hasEnabledStrategies);
  if (enabled && bare.length > 0) await addDefaultStrategy(current, project, environment, bare);
  await switchHeld(current, { project, environment }, namesOf(changing), enabled);
}

/** Part of a change that holds the features, none of which is in that state already. */
export async function switchHeld(
  { tx, record }: Change,
  place: { project: string; environment: string },
  names: string[],
  enabled: boolean,
): Promise<void> {
  if (names.length === 0) return;
  await setEnabled(tx, names, place.environment, enabled);
  const type = enabled ? 'feature-environment-enabled' : 'feature-environment-disabled';
  for (const featureName of names) record({ type, ...place, featureName });
}

/**
 * SDKs enable a feature without strategies for everyone: the project's default strategy is added, which requires a permission of
 * its own. It is added enabled, even if the default strategy is stored as disabled.
 */
async function addDefaultStrategy(
  current: Change,
  project: string,
  environment: string,
  features: Feature[],
): Promise<void> {
  const { tx, actor } = current;
  await requireInProject(tx, actor, project, ['CREATE_FEATURE_STRATEGY'], environment);
  const strategy = ((await findDefaultStrategy(tx, project, environment)) ?? ON_FOR_ALL) as NewStrategy;
  const places = features.map(feature => ({
    featureName: feature.name,
    strategies: environmentOf(feature, environment).strategies,
  }));
  await addStrategies(current, { project, environment }, places, { ...strategy, disabled: false });
}
