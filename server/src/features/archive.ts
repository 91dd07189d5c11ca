import type { Actor } from '../actor.ts';
import { type Change, change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { badData, invalidOperation, notFound } from '../errors.ts';
import { asEventData } from './create.ts';
import type { Feature } from './schema.ts';
import { deleteFeatures, lockFeatures, setArchived, setStale } from './store.ts';

/** Every operation takes one feature or many: all of them or, if one cannot, none. */
async function changeFeatures(
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

const namesOf = (features: Feature[]): string[] => features.map(feature => feature.name);

export async function markStale(
  db: Db,
  actor: Actor,
  project: string,
  names: string[],
  stale: boolean,
): Promise<void> {
  await changeFeatures(db, actor, project, names, async ({ tx, record }, features) => {
    const changing = features.filter(feature => feature.stale !== stale);
    if (changing.length === 0) return;
    await setStale(tx, namesOf(changing), stale);
    for (const { name } of changing) {
      record({ type: stale ? 'feature-stale-on' : 'feature-stale-off', project, featureName: name });
    }
  });
}

export async function archiveFeatures(db: Db, actor: Actor, project: string, names: string[]): Promise<void> {
  await changeFeatures(db, actor, project, names, async ({ tx, record }, features) => {
    const changing = features.filter(feature => !feature.archived);
    if (changing.length === 0) return;
    await setArchived(tx, namesOf(changing), true);
    for (const { name } of changing) record({ type: 'feature-archived', project, featureName: name });
  });
}

export async function reviveFeatures(db: Db, actor: Actor, project: string, names: string[]): Promise<void> {
  await changeFeatures(db, actor, project, names, async ({ tx, record }, features) => {
    const changing = features.filter(feature => feature.archived);
    if (changing.length === 0) return;
    await setArchived(tx, namesOf(changing), false);
    for (const feature of changing) {
      record({ type: 'feature-revived', project, featureName: feature.name });
      for (const { name, enabled } of feature.environments) {
        if (enabled) {
          record({
            type: 'feature-environment-disabled',
            project,
            environment: name,
            featureName: feature.name,
          });
        }
      }
    }
  });
}

/** Deletes for good what was archived before. */
export async function removeFeatures(db: Db, actor: Actor, project: string, names: string[]): Promise<void> {
  await changeFeatures(db, actor, project, names, async ({ tx, record }, features) => {
    const active = features.filter(feature => !feature.archived);
    if (active.length > 0) throw invalidOperation(`Archive ${namesOf(active).join(', ')} before deleting.`);
    await deleteFeatures(tx, namesOf(features));
    for (const feature of features) {
      record({ type: 'feature-deleted', project, featureName: feature.name, preData: asEventData(feature) });
    }
  });
}

/** Refuses a list that names the same feature twice. */
export function uniqueNames(names: string[]): string[] {
  if (new Set(names).size === names.length) return names;
  throw badData([{ message: 'features names a feature twice', path: '/body/features' }]);
}
