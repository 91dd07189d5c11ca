import { archivedSentence, invalidOperation, notFound, quoteNames } from '@halyard/plane/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import { getFeatureNames } from './names.ts';
import type { FeatureRow } from './schema.ts';
import { lockRows } from './store.ts';

/** Locks features of the project. Rejects the request if a feature does not exist. */
export async function lockFeatures(tx: Tx, project: string, names: string[]): Promise<FeatureRow[]> {
  const features = await lockRows(tx, project, names);
  const foundNames = new Set(getFeatureNames(features));
  const missingNames = names.filter(name => !foundNames.has(name));
  if (missingNames.length > 0) throw notFound(`Feature ${quoteNames(missingNames)} in project "${project}"`);
  return features;
}

/** Locks features of the project. Rejects the request if a feature does not exist or is archived. */
export async function lockActiveFeatures(tx: Tx, project: string, names: string[]): Promise<FeatureRow[]> {
  const features = await lockFeatures(tx, project, names);
  const archivedNames = getFeatureNames(features.filter(feature => feature.archived));
  if (archivedNames.length === 0) return features;
  throw invalidOperation(archivedSentence('Feature', archivedNames));
}

export async function lockActiveFeature(tx: Tx, project: string, name: string): Promise<FeatureRow> {
  const [feature] = await lockActiveFeatures(tx, project, [name]);
  if (!feature) throw new Error(`Feature "${name}" was locked but not returned`);
  return feature;
}
