import { type ApiError, isArchived, notFound, quoted } from '../../../../plane/src/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { FeatureState } from '../features/schema.ts';
import { listReadableStates } from '../features/state/store.ts';
import { lockFeaturesShared } from './store.ts';

/**
 * The features to copy, from any project that the actor may read, locked with their parents until the transaction ends. Missing
 * and archived features are errors. `projectOf` has the project of each feature and of each parent.
 */
export async function lockSources(
  tx: Tx,
  actor: Actor,
  names: string[],
): Promise<{ sources: Map<string, FeatureState>; projectOf: Map<string, string>; errors: ApiError[] }> {
  const projectOf = await lockFeaturesShared(tx, names);
  const found = await listReadableStates(tx, actor, names);
  const sources = new Map(found.map(feature => [feature.name, feature]));
  const missing = names.filter(name => !sources.has(name));
  const archived = found.filter(feature => feature.archived).map(feature => feature.name);
  const errors = [
    ...(missing.length > 0 ? [notFound(`Feature ${quoted(missing)}`)] : []),
    ...(archived.length > 0 ? [isArchived('Feature', archived)] : []),
  ];
  return { sources, projectOf, errors };
}
