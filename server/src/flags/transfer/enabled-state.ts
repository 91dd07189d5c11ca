import type { FeatureExport } from './schema.ts';

/**
 * Returns a function that determines whether a feature is enabled in the environment after the import. A feature keeps its state if
 * the data does not contain one. An import replaces the strategies, and if none of the new ones is enabled, the feature is disabled,
 * because SDKs would enable it for everyone.
 */
export function makeEnabledStateResolver(
  data: FeatureExport,
): (featureName: string, enabledBefore: boolean) => { enabled: boolean; lacksStrategy: boolean } {
  const requestedStates = new Map(
    (data.featureEnvironments ?? []).map(({ featureName, enabled }) => [featureName, enabled]),
  );
  const namesWithStrategy = new Set(
    data.featureStrategies.filter(({ disabled }) => disabled !== true).map(({ featureName }) => featureName),
  );
  return (featureName, enabledBefore) => {
    const shouldBeEnabled = requestedStates.get(featureName) ?? enabledBefore;
    return {
      enabled: shouldBeEnabled && namesWithStrategy.has(featureName),
      lacksStrategy: shouldBeEnabled && !namesWithStrategy.has(featureName),
    };
  };
}
