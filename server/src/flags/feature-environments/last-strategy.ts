import type { Change } from '../../record/change.ts';
import type { FeatureEnvironmentKey } from './schema.ts';
import { disableFeaturesWithoutEnabledStrategy } from './store.ts';

/**
 * Disables a feature that lost its last enabled strategy, because SDKs enable a feature without strategies for everyone. Runs in
 * the change that removed or disabled the strategies, which has locked the feature.
 */
export async function disableWithoutEnabledStrategy(
  { tx, record }: Change,
  key: FeatureEnvironmentKey,
): Promise<void> {
  for (const featureName of await disableFeaturesWithoutEnabledStrategy(
    tx,
    [key.featureName],
    key.environment,
  )) {
    record({ type: 'feature-environment-disabled', ...key, featureName });
  }
}
