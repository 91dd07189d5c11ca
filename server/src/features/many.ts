import type { Actor } from '../actor.ts';
import { type Change, change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { badData, notFound } from '../errors.ts';
import type { Feature } from './schema.ts';
import { lockFeatures } from './store.ts';

/** Every operation takes one feature or many: all of them or, if one cannot, none. */
export async function changeFeatures(
  db: Db,
  actor: Actor,
  project: string,
  names: string[],
  work: (change: Change, features: Feature[]) => Promise<void>,
): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const features = await lockFeatures(tx, project, names);
    const missing = names.filter(name => !features.some(feature => feature.name === name));
    if (missing.length > 0) throw notFound(`Feature ${missing.join(', ')} in project ${project}`);
    await work({ tx, record }, features);
  });
}

export const namesOf = (features: Feature[]): string[] => features.map(feature => feature.name);

/** Refuses a list that names the same feature twice. */
export function uniqueNames(names: string[]): string[] {
  if (new Set(names).size === names.length) return names;
  throw badData([{ message: 'features names a feature twice', path: '/body/features' }]);
}
