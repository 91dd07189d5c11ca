import type { Actor } from '../../platform/actor.ts';
import { invalidOperation, notFound } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import {
  deleteFavoriteFeature,
  deleteFavoriteProject,
  insertFavoriteFeature,
  insertFavoriteProject,
  lockFeature,
} from './store.ts';

/** Gives the feature the caller's star, or takes it away; repeating it changes nothing. */
export async function starFeature(
  { tx, actor, record }: Change,
  project: string,
  feature: string,
  starred: boolean,
): Promise<void> {
  const userId = starringUser(actor);
  if (!(await lockFeature(tx, project, feature))) throw notFound(`Feature ${feature} in project ${project}`);
  const changed = starred
    ? await insertFavoriteFeature(tx, userId, feature)
    : await deleteFavoriteFeature(tx, userId, feature);
  if (!changed) return;
  const type = starred ? 'feature-favorited' : 'feature-unfavorited';
  record({ type, project, featureName: feature, data: { feature } });
}

/** The same for a project. */
export async function starProject(
  { tx, actor, record }: Change,
  project: string,
  starred: boolean,
): Promise<void> {
  const userId = starringUser(actor);
  const changed = starred
    ? await insertFavoriteProject(tx, userId, project)
    : await deleteFavoriteProject(tx, userId, project);
  if (!changed) return;
  record({ type: starred ? 'project-favorited' : 'project-unfavorited', project, data: { project } });
}

function starringUser(actor: Actor): number {
  if (actor.kind === 'user') return actor.userId;
  throw invalidOperation('Favorites belong to users, and this token belongs to none.');
}
