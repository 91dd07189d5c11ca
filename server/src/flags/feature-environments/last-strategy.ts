import type { Change } from '../../record/change.ts';
import { disableWithoutStrategy } from './store.ts';

/**
 * Part of a change that holds the feature and has removed or disabled strategies. SDKs enable a feature that has no strategies
 * for everyone, so a feature that lost its last enabled strategy is disabled in the same change.
 */
export async function disableIfUnguarded(
  { tx, record }: Change,
  place: { project: string; featureName: string; environment: string },
): Promise<void> {
  for (const featureName of await disableWithoutStrategy(tx, [place.featureName], place.environment)) {
    record({ type: 'feature-environment-disabled', ...place, featureName });
  }
}
