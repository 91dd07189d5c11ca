import type { FeatureExport } from './schema.ts';

/**
 * Whether a feature is enabled in the environment after the import. Without an entry in the data it keeps its state. Its strategies
 * become exactly those of the data; without an enabled one it is disabled, because SDKs would enable it for everyone.
 */
export function enabledAfter(
  data: FeatureExport,
): (featureName: string, enabledBefore: boolean) => { enabled: boolean; lacksStrategy: boolean } {
  const stated = new Map(
    (data.featureEnvironments ?? []).map(({ featureName, enabled }) => [featureName, enabled]),
  );
  const withStrategy = new Set(
    data.featureStrategies.filter(({ disabled }) => disabled !== true).map(({ featureName }) => featureName),
  );
  return (featureName, enabledBefore) => {
    const requested = stated.get(featureName) ?? enabledBefore;
    return {
      enabled: requested && withStrategy.has(featureName),
      lacksStrategy: requested && !withStrategy.has(featureName),
    };
  };
}
