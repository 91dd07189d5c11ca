import type { Change } from '../../record/change.ts';
import type { FeatureEnvironmentKey } from './schema.ts';
import { disableWithoutStrategy } from './store.ts';

/**
 * Part of a change that locked the feature and removed or disabled strategies. SDKs enable a feature that has no strategies
 * for everyone, so a feature that lost its last enabled strategy is disabled in the same change.
 */
export async function disableWithoutStrategies(
  { tx, record }: Change,
  key: FeatureEnvironmentKey,
): Promise<void> {
  for (const featureName of await disableWithoutStrategy(tx, [key.featureName], key.environment)) {
    record({ type: 'feature-environment-disabled', ...key, featureName });
  }
}
