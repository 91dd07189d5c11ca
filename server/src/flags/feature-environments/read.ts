import { notFound } from '../../../../plane/src/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { FeatureEnvironment, FeatureEnvironmentKey, FeatureStrategy } from './schema.ts';
import { findEnvironment, listEnvironments } from './store.ts';

/** The feature in the environment. Rejects the request if the project or the feature does not have it. */
export async function readEnvironment(db: Reader, key: FeatureEnvironmentKey): Promise<FeatureEnvironment> {
  const found = await findEnvironment(db, key);
  if (found === undefined) throw notFound(`Feature "${key.featureName}" in project "${key.project}"`);
  return found ?? missingEnvironment(key.featureName, key.environment);
}

/** All environments of a feature that is known to exist. */
export async function readEnvironments(
  db: Reader,
  featureName: string,
): Promise<{ name: string; environments: FeatureEnvironment[] }> {
  return { name: featureName, environments: await listEnvironments(db, [featureName]) };
}

export function environmentOf(
  feature: { name: string; environments: FeatureEnvironment[] },
  environment: string,
): FeatureEnvironment {
  const found = feature.environments.find(({ name }) => name === environment);
  return found ?? missingEnvironment(feature.name, environment);
}

export function missingEnvironment(featureName: string, environment: string): never {
  throw notFound(`Environment "${environment}" of feature "${featureName}"`);
}

export function strategyOf(
  { strategies }: Pick<FeatureEnvironment, 'strategies'>,
  id: string,
): FeatureStrategy {
  const strategy = strategies.find(one => one.id === id);
  if (!strategy) throw notFound(`Strategy "${id}"`);
  return strategy;
}
