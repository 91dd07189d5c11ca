import { notFound } from '@halyard/plane/platform/errors.ts';
import { requireUser } from '../../access/caller.ts';
import type { Change } from '../../record/change.ts';
import {
  deleteFavoriteFeature,
  deleteFavoriteProject,
  insertFavoriteFeature,
  insertFavoriteProject,
  lockFeatureShared,
} from './store.ts';

/** Adds the feature to the actor's favorites or removes it from them. */
export async function setFeatureFavorite(
  { tx, actor, record }: Change,
  project: string,
  feature: string,
  favorite: boolean,
): Promise<void> {
  const userId = requireUser(actor);
  if (!(await lockFeatureShared(tx, project, feature)))
    throw notFound(`Feature "${feature}" in project "${project}"`);
  const hasChanged = favorite
    ? await insertFavoriteFeature(tx, userId, feature)
    : await deleteFavoriteFeature(tx, userId, feature);
  if (!hasChanged) return;
  const type = favorite ? 'feature-favorited' : 'feature-unfavorited';
  record({ type, project, featureName: feature, data: { feature } });
}

/** Adds the project to the actor's favorites or removes it from them. */
export async function setProjectFavorite(
  { tx, actor, record }: Change,
  project: string,
  favorite: boolean,
): Promise<void> {
  const userId = requireUser(actor);
  const hasChanged = favorite
    ? await insertFavoriteProject(tx, userId, project)
    : await deleteFavoriteProject(tx, userId, project);
  if (!hasChanged) return;
  record({ type: favorite ? 'project-favorited' : 'project-unfavorited', project, data: { project } });
}
