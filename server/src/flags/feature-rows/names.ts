import { badData } from '@halyard/plane/platform/errors.ts';

export const getFeatureNames = (features: { name: string }[]): string[] =>
  features.map(feature => feature.name);

/** Rejects a list that names the same feature twice. */
export function requireUniqueNames(names: string[]): string[] {
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate === undefined) return names;
  throw badData([{ message: `features lists "${duplicate}" more than once`, path: '/body/features' }]);
}
