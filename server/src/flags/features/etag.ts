import { makeEtag } from '../../platform/http/output/etag.ts';
import type { Change } from '../../record/change.ts';
import { getEnvironmentContent } from '../feature-environments/etag.ts';
import { lockRows } from '../feature-rows/store.ts';
import type { Feature } from './schema.ts';
import { listFeatures } from './state/store.ts';

/** Ignores everything that changes without an edit to the feature, such as user names, favorites and what SDK requests update. */
export function featureEtag(feature: Feature): string {
  const {
    favorite: _favorite,
    collaborators: _collaborators,
    createdBy: _createdBy,
    clonedFrom: _clonedFrom,
    lifecycle: _lifecycle,
    lastSeenAt: _lastSeenAt,
    environments,
    ...content
  } = feature;
  return makeEtag({ ...content, environments: environments.map(getEnvironmentContent) }, feature);
}

/** Locks the feature and returns its ETag. The list is empty if the project does not have the feature. */
export async function lockFeatureEtag(
  { tx, actor }: Change,
  project: string,
  name: string,
): Promise<string[]> {
  await lockRows(tx, project, [name]);
  return (await listFeatures(tx, actor, project, [name])).map(featureEtag);
}
