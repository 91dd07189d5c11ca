import type { FeatureExport } from './schema.ts';

/**
 * Returns a function that tells whether a feature is enabled in the environment after the import. A feature without an entry in the
 * data keeps its state. Its strategies become exactly those in the data, and if none of them is enabled, the feature is disabled,
 * because SDKs would enable it for everyone.
 */
export function enabledStateResolver(
  data: FeatureExport,
): (featureName: string, enabledBefore: boolean) => { enabled: boolean; lacksStrategy: boolean } {
  const requestedStates = new Map(
    (data.featureEnvironments ?? []).map(({ featureName, enabled }) => [featureName, enabled]),
  );
  const namesWithStrategy = new Set(
    data.featureStrategies.filter(({ disabled }) => disabled !== true).map(({ featureName }) => featureName),
  );
  return (featureName, enabledBefore) => {
    const isRequested = requestedStates.get(featureName) ?? enabledBefore;
    return {
      enabled: isRequested && namesWithStrategy.has(featureName),
      lacksStrategy: isRequested && !namesWithStrategy.has(featureName),
    };
  };
}
