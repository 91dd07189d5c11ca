import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { badData } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import { holdFeatures } from './load.ts';
import type { Feature } from './schema.ts';

/** Every operation takes one feature or many: all of them or, if one cannot, none. */
export async function changeFeatures(
  db: Db,
  actor: Actor,
  project: string,
  names: string[],
  work: (change: Change, features: Feature[]) => Promise<void>,
): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    await work({ tx, actor, record }, await holdFeatures(tx, actor, project, names));
  });
}

export const namesOf = (features: Feature[]): string[] => features.map(feature => feature.name);

/** Refuses a list that names the same feature twice. */
export function uniqueNames(names: string[]): string[] {
  if (new Set(names).size === names.length) return names;
  throw badData([{ message: 'features names a feature twice', path: '/body/features' }]);
}
