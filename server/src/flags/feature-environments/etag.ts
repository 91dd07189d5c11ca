import { makeEtag } from '../../platform/http/output/etag.ts';
import type { Change } from '../../record/change.ts';
import type { Precondition } from '../../record/versioned.ts';
import { lockRows } from '../feature-rows/store.ts';
import type { FeatureEnvironment, FeatureEnvironmentKey, FeatureStrategy } from './schema.ts';
import { findEnvironment } from './store.ts';

/** Without the time of the last request, which SDKs change. */
export const contentOfEnvironment = ({ lastSeenAt: _, ...content }: FeatureEnvironment) => content;

export const etagOfEnvironment = (environment: FeatureEnvironment): string =>
  makeEtag(contentOfEnvironment(environment), environment);

export const etagOfStrategies = (strategies: FeatureStrategy[]): string => makeEtag(strategies);

export const etagOfStrategy = (strategy: FeatureStrategy): string => makeEtag(strategy);

/**
 * Locks a feature and returns its ETag. The features module passes this function in, because it imports this module and not the
 * other way round.
 */
export type LockFeatureEtag = (current: Change, project: string, name: string) => Promise<string[]>;

/**
 * Locks the feature and returns every ETag that a caller may send for its environment: of the feature, of the environment, and of
 * the parts that the request changes.
 */
export async function lockEnvironmentEtags(
  current: Change,
  key: FeatureEnvironmentKey,
  lockFeatureEtag: LockFeatureEtag,
  partsOf: (environment: FeatureEnvironment) => string[] = () => [],
): Promise<string[]> {
  await lockRows(current.tx, key.project, [key.featureName]);
  const environment = await findEnvironment(current.tx, key);
  if (!environment) return [];
  return [
    ...partsOf(environment),
    etagOfEnvironment(environment),
    ...(await lockFeatureEtag(current, key.project, key.featureName)),
  ];
}

export const environmentUnchanged = (
  key: FeatureEnvironmentKey,
  lockFeatureEtag: LockFeatureEtag,
): Precondition => ({
  what: `Feature "${key.featureName}" in environment "${key.environment}"`,
  readEtags: current => lockEnvironmentEtags(current, key, lockFeatureEtag),
});

/** The ETags of a strategy and of the list that has it. */
export const etagsOfStrategy =
  (id: string) =>
  (environment: FeatureEnvironment): string[] => [
    ...environment.strategies.filter(strategy => strategy.id === id).map(etagOfStrategy),
    etagOfStrategies(environment.strategies),
  ];
