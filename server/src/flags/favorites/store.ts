import { sql } from 'kysely';
import type { Actor } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';

/** Whether the actor has starred `features`. */
export const isFavorite = (actor: Actor) => sql<boolean>`exists (
  select from favorite_features where user_id = ${actor.userId} and feature_name = features.name
)`;

/** Whether the actor has starred `projects`. */
export const isFavoriteProject = (actor: Actor) => sql<boolean>`exists (
  select from favorite_projects where user_id = ${actor.userId} and favorite_projects.project = projects.id
)`;

/** Whether the project has the feature; if so, it stays there until the transaction ends. */
export async function lockFeature(tx: Tx, project: string, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from features where name = ${name} and project = ${project} for share`.execute(tx);
  return rows.length > 0;
}

/** Returns false if the user has starred the feature already. */
export async function insertFavoriteFeature(tx: Tx, userId: number, feature: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('favorite_features')
    .values({ user_id: userId, feature_name: feature })
    .onConflict(conflict => conflict.constraint('favorite_features_pkey').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Returns false if the user had not starred the feature. */
export async function deleteFavoriteFeature(tx: Tx, userId: number, feature: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('favorite_features')
    .where('user_id', '=', userId)
    .where('feature_name', '=', feature)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Returns false if the user has starred the project already. */
export async function insertFavoriteProject(tx: Tx, userId: number, project: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('favorite_projects')
    .values({ user_id: userId, project })
    .onConflict(conflict => conflict.constraint('favorite_projects_pkey').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Returns false if the user had not starred the project. */
export async function deleteFavoriteProject(tx: Tx, userId: number, project: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('favorite_projects')
    .where('user_id', '=', userId)
    .where('project', '=', project)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
