import { type ApiError, archivedError, notFound, quoteNames } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { FeatureState } from '../features/schema.ts';
import { listReadableStates } from '../features/state/store.ts';
import { lockFeaturesShared } from './store.ts';

/**
 * Returns the features to copy, from any project that the actor may read, and locks them with their parents until the transaction
 * ends. `errors` reports missing and archived features. `projectByFeature` maps each feature and each parent to its project.
 */
export async function lockAndReadSources(
  tx: Tx,
  actor: Actor,
  names: string[],
): Promise<{
  sources: Map<string, FeatureState>;
  projectByFeature: Map<string, string>;
  errors: ApiError[];
}> {
  const projectByFeature = await lockFeaturesShared(tx, names);
  const features = await listReadableStates(tx, actor, names);
  const sources = new Map(features.map(feature => [feature.name, feature]));
  const missingNames = names.filter(name => !sources.has(name));
  const archivedNames = features.filter(feature => feature.archived).map(feature => feature.name);
  const errors = [
    ...(missingNames.length > 0 ? [notFound(`Feature ${quoteNames(missingNames)}`)] : []),
    ...(archivedNames.length > 0 ? [archivedError('Feature', archivedNames)] : []),
  ];
  return { sources, projectByFeature, errors };
}
