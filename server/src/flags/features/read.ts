import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { lockRows } from '../feature-rows/store.ts';
import type { Feature, FeatureState } from './schema.ts';
import { listFeatures, listStates } from './state/store.ts';

/** Returns the feature as the actor sees it. Rejects the request if the project does not have it. */
export async function readFeature(db: Reader, actor: Actor, project: string, name: string): Promise<Feature> {
  const [feature] = await readFeatures(db, actor, project, [name]);
  if (!feature) throw new Error(`Feature "${name}" was found but not returned`);
  return feature;
}

/** Returns the features as the actor sees them, in the order of the names. Rejects the request if a feature is missing. */
export async function readFeatures(
  db: Reader,
  actor: Actor,
  project: string,
  names: string[],
): Promise<Feature[]> {
  const rows = await listFeatures(db, actor, project, names);
  const features = new Map(rows.map(feature => [feature.name, feature]));
  return names.map(name => {
    const feature = features.get(name);
    if (!feature) throw notFound(`Feature "${name}" in project "${project}"`);
    return feature;
  });
}

/** Locks those of the given features that exist in the project, and reads their states. */
export async function lockStates(tx: Tx, project: string, names: string[]): Promise<FeatureState[]> {
  await lockRows(tx, project, names);
  return await listStates(tx, project, names);
}
