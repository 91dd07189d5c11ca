import { ENVIRONMENT_HINT, notFound } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { FeatureEnvironment, FeatureEnvironmentKey, FeatureStrategy } from './schema.ts';
import { findEnvironment, listEnvironments } from './store.ts';

/** Returns the feature in the environment. Rejects the request if the project or the feature does not have the environment. */
export async function readEnvironment(db: Reader, key: FeatureEnvironmentKey): Promise<FeatureEnvironment> {
  const environment = await findEnvironment(db, key);
  if (environment === undefined) throw notFound(`Feature "${key.featureName}" in project "${key.project}"`);
  return environment ?? throwMissingEnvironment(key.featureName, key.environment);
}

/** Returns all environments of a feature that is known to exist. */
export async function readEnvironments(
  db: Reader,
  featureName: string,
): Promise<{ name: string; environments: FeatureEnvironment[] }> {
  return { name: featureName, environments: await listEnvironments(db, [featureName]) };
}

export function requireEnvironment(
  feature: { name: string; environments: FeatureEnvironment[] },
  environment: string,
): FeatureEnvironment {
  const match = feature.environments.find(({ name }) => name === environment);
  return match ?? throwMissingEnvironment(feature.name, environment);
}

export function throwMissingEnvironment(featureName: string, environment: string): never {
  throw notFound(`Environment "${environment}" of feature "${featureName}"`, ENVIRONMENT_HINT);
}

export function requireStrategy(
  { strategies }: Pick<FeatureEnvironment, 'strategies'>,
  id: string,
): FeatureStrategy {
  const strategy = strategies.find(candidate => candidate.id === id);
  if (!strategy) throw notFound(`Strategy "${id}"`);
  return strategy;
}
