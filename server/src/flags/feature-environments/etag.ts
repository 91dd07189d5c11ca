import { makeEtag } from '../../platform/http/output/etag.ts';
import type { Change } from '../../record/change.ts';
import type { Precondition } from '../../record/versioned.ts';
import { lockRows } from '../feature-rows/store.ts';
import type { FeatureEnvironment, FeatureEnvironmentKey, FeatureStrategy } from './schema.ts';
import { findEnvironment } from './store.ts';

/** Drops the time of the last SDK request, which must not affect ETags. */
export const getEnvironmentContent = ({ lastSeenAt: _, ...content }: FeatureEnvironment) => content;

export const environmentEtag = (environment: FeatureEnvironment): string =>
  makeEtag(getEnvironmentContent(environment), environment);

export const strategiesEtag = (strategies: FeatureStrategy[]): string => makeEtag(strategies);

export const strategyEtag = (strategy: FeatureStrategy): string => makeEtag(strategy);

/**
 * Locks a feature and returns its ETag. The features module passes this function in, because it imports this module, which
 * therefore cannot import the features module.
 */
export type LockFeatureEtag = (current: Change, project: string, name: string) => Promise<string[]>;

/**
 * Locks the feature and returns every ETag that a caller may send to change it in the environment: the ETags of the feature, of the
 * environment, and of the parts that the request changes.
 */
export async function lockEnvironmentEtags(
  current: Change,
  key: FeatureEnvironmentKey,
  lockFeatureEtag: LockFeatureEtag,
  listPartEtags: (environment: FeatureEnvironment) => string[] = () => [],
): Promise<string[]> {
  await lockRows(current.tx, key.project, [key.featureName]);
  const environment = await findEnvironment(current.tx, key);
  if (!environment) return [];
  return [
    ...listPartEtags(environment),
    environmentEtag(environment),
    ...(await lockFeatureEtag(current, key.project, key.featureName)),
  ];
}

export const environmentUnchanged = (
  key: FeatureEnvironmentKey,
  lockFeatureEtag: LockFeatureEtag,
): Precondition => ({
  resourceName: `Feature "${key.featureName}" in environment "${key.environment}"`,
  readEtags: current => lockEnvironmentEtags(current, key, lockFeatureEtag),
});

/** Returns the ETags of a strategy and of the list that contains it. */
export const strategyEtags =
  (id: string) =>
  (environment: FeatureEnvironment): string[] => [
    ...environment.strategies.filter(strategy => strategy.id === id).map(strategyEtag),
    strategiesEtag(environment.strategies),
  ];
