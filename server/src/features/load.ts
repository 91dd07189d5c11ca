import type { Actor } from '../actor.ts';
import type { Reader, Tx } from '../db/database.ts';
import { invalidOperation, notFound } from '../errors.ts';
import type { Feature } from './schema.ts';
import { findFeature, listNamedFeatures, lockFeatures } from './store.ts';

/** The feature, or a refusal if the project has none of that name. */
export async function readFeature(db: Reader, actor: Actor, project: string, name: string): Promise<Feature> {
  const feature = await findFeature(db, actor, project, name);
  if (!feature) throw notFound(`Feature ${name} in project ${project}`);
  return feature;
}

/** Features by their names, of any project: for callers who know already that they may be read. */
export async function readFeatures(db: Reader, actor: Actor, names: string[]): Promise<Feature[]> {
  return await listNamedFeatures(db, actor, names);
}

/** The features, kept from changing until the transaction ends, or a refusal if one is missing. */
export async function holdFeatures(
  tx: Tx,
  actor: Actor,
  project: string,
  names: string[],
): Promise<Feature[]> {
  const features = await holdFoundFeatures(tx, actor, project, names);
  const missing = names.filter(name => !features.some(feature => feature.name === name));
  if (missing.length > 0) throw notFound(`Feature ${missing.join(', ')} in project ${project}`);
  return features;
}

/** Features that may be changed: archived ones are refused. */
export async function holdActiveFeatures(
  tx: Tx,
  actor: Actor,
  project: string,
  names: string[],
): Promise<Feature[]> {
  const features = await holdFeatures(tx, actor, project, names);
  const archived = features.filter(feature => feature.archived).map(feature => feature.name);
  if (archived.length === 0) return features;
  throw invalidOperation(
    archived.length === 1
      ? `Feature ${archived[0]} is archived; revive it first.`
      : `Features ${archived.join(', ')} are archived; revive them first.`,
  );
}

/** Those of the features that the project has, kept from changing until the transaction ends. */
export async function holdFoundFeatures(
  tx: Tx,
  actor: Actor,
  project: string,
  names: string[],
): Promise<Feature[]> {
  return await lockFeatures(tx, actor, project, names);
}

/** One feature that may be changed: an archived one is refused. */
export async function holdActiveFeature(
  tx: Tx,
  actor: Actor,
  project: string,
  name: string,
): Promise<Feature> {
  const [feature] = await holdActiveFeatures(tx, actor, project, [name]);
  if (!feature) throw new Error(`Feature ${name} was held and is not there`);
  return feature;
}
