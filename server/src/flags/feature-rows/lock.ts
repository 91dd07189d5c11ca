import {
  archivedSentence,
  invalidOperation,
  notFound,
  quoted,
} from '../../../../plane/src/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import { namesOf } from './names.ts';
import type { FeatureRow } from './schema.ts';
import { lockRows } from './store.ts';

/** Locks features of the project. Rejects the request if one does not exist. */
export async function lockFeatures(tx: Tx, project: string, names: string[]): Promise<FeatureRow[]> {
  const features = await lockRows(tx, project, names);
  const found = new Set(namesOf(features));
  const missing = names.filter(name => !found.has(name));
  if (missing.length > 0) throw notFound(`Feature ${quoted(missing)} in project "${project}"`);
  return features;
}

/** Locks features of the project. Rejects the request if one does not exist or is archived. */
export async function lockActiveFeatures(tx: Tx, project: string, names: string[]): Promise<FeatureRow[]> {
  const features = await lockFeatures(tx, project, names);
  const archived = namesOf(features.filter(feature => feature.archived));
  if (archived.length === 0) return features;
  throw invalidOperation(archivedSentence('Feature', archived));
}

export async function lockActiveFeature(tx: Tx, project: string, name: string): Promise<FeatureRow> {
  const [feature] = await lockActiveFeatures(tx, project, [name]);
  if (!feature) throw new Error(`Feature ${name} was locked but not returned`);
  return feature;
}
