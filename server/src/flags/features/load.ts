import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { type ApiError, invalidOperation, isArchived, notFound } from '../../platform/errors.ts';
import type { Feature } from './schema.ts';
import {
  findFeature,
  listNamedFeatures,
  listReadableFeatures,
  listTakenNames,
  lockFeatures,
  shareFeatures,
} from './store.ts';
import { readFeatureTexts } from './text/store.ts';

/** The feature, or a refusal if the project has none of that name. */
export async function readFeature(db: Reader, actor: Actor, project: string, name: string): Promise<Feature> {
  const feature = await findFeature(db, actor, project, name);
  if (!feature) throw notFound(`Feature ${name} in project ${project}`);
  return feature;
}

/** The active features of a project by name, as JSON texts, some at a time. */
export function streamFeatureTexts(tx: Tx, actor: Actor, project: string): AsyncGenerator<string[]> {
  return readFeatureTexts(tx, actor, project);
}

/** Those of the features that the actor may read, of whatever projects. */
export async function readReadable(db: Reader, actor: Actor, names: string[]): Promise<Feature[]> {
  return await listReadableFeatures(db, actor, names);
}

/** Those of the features that the project has. */
export async function readFoundFeatures(
  db: Reader,
  actor: Actor,
  project: string,
  names: string[],
): Promise<Feature[]> {
  return await listNamedFeatures(db, actor, project, names);
}

/** Features of the project as they are now, in the order of the names. */
export async function readFeatures(
  db: Reader,
  actor: Actor,
  project: string,
  names: string[],
): Promise<Feature[]> {
  const features = new Map(
    (await listNamedFeatures(db, actor, project, names)).map(feature => [feature.name, feature]),
  );
  return names.map(name => {
    const feature = features.get(name);
    if (!feature) throw notFound(`Feature ${name} in project ${project}`);
    return feature;
  });
}

/** A feature of whatever project the actor may read. */
export async function findReadable(db: Reader, actor: Actor, name: string): Promise<Feature | undefined> {
  return (await listReadableFeatures(db, actor, [name]))[0];
}

/**
 * Active features of whatever projects the actor may read, kept with their parents as they are until the transaction ends,
 * with an error for those that are missing or archived. `projectOf` knows where each of them and each parent is.
 */
export async function holdSources(
  tx: Tx,
  actor: Actor,
  names: string[],
): Promise<{ sources: Map<string, Feature>; projectOf: Map<string, string>; errors: ApiError[] }> {
  const projectOf = await shareFeatures(tx, names);
  const found = await listReadableFeatures(tx, actor, names);
  const sources = new Map(found.map(feature => [feature.name, feature]));
  const missing = names.filter(name => !sources.has(name));
  const archived = found.filter(feature => feature.archived).map(feature => feature.name);
  const errors = [
    ...(missing.length > 0 ? [notFound(`Feature ${missing.join(', ')}`)] : []),
    ...(archived.length > 0 ? [isArchived('Feature', archived)] : []),
  ];
  return { sources, projectOf, errors };
}

/** Those of the names that cannot be given to another feature. Only to tell beforehand: the constraint decides. */
export async function takenNames(db: Reader, names: string[]): Promise<string[]> {
  return await listTakenNames(db, names);
}

/** The features, kept from changing until the transaction ends, or a refusal if one is missing. */
export async function holdFeatures(
  tx: Tx,
  actor: Actor,
  project: string,
  names: string[],
): Promise<Feature[]> {
  const features = await holdFoundFeatures(tx, actor, project, names);
  const found = new Set(features.map(feature => feature.name));
  const missing = names.filter(name => !found.has(name));
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
