import { badData } from '../../platform/errors.ts';

export const namesOf = (features: { name: string }[]): string[] => features.map(feature => feature.name);

/** Rejects a list that names the same feature twice. */
export function uniqueNames(names: string[]): string[] {
  if (new Set(names).size === names.length) return names;
  throw badData([{ message: 'features names a feature twice', path: '/body/features' }]);
}
