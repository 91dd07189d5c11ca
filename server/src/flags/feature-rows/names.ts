import { badData } from '../../../../plane/src/platform/errors.ts';

export const namesOf = (features: { name: string }[]): string[] => features.map(feature => feature.name);

/** Rejects a list that names the same feature twice. */
export function uniqueNames(names: string[]): string[] {
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated === undefined) return names;
  throw badData([{ message: `features lists "${repeated}" more than once`, path: '/body/features' }]);
}
