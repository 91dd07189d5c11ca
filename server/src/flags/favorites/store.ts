import { sql } from 'kysely';
import type { Actor } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';

/** Whether a row of `features` is a favorite of the actor. */
export const isFavorite = (actor: Actor) => sql<boolean>`exists (
  select from favorite_features where user_id = ${actor.userId} and feature_name = features.name
)`;

/** Whether a row of `projects` is a favorite of the actor. */
export const isFavoriteProject = (actor: Actor) => sql<boolean>`exists (
  select from favorite_projects where user_id = ${actor.userId} and favorite_projects.project = projects.id
)`;

/** Returns whether the project has the feature. If so, the feature cannot be moved or deleted until the transaction ends. */
export async function lockFeatureShared(tx: Tx, project: string, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from features where name = ${name} and project = ${project} for share`.execute(tx);
  return rows.length > 0;
}

/** Returns false if the feature is already a favorite of the user. */
export async function insertFavoriteFeature(tx: Tx, userId: number, feature: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('favorite_features')
    .values({ user_id: userId, feature_name: feature })
    .onConflict(conflict => conflict.constraint('favorite_features_pkey').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Returns false if the feature is not a favorite of the user. */
export async function deleteFavoriteFeature(tx: Tx, userId: number, feature: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('favorite_features')
    .where('user_id', '=', userId)
    .where('feature_name', '=', feature)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Returns false if the project is already a favorite of the user. */
export async function insertFavoriteProject(tx: Tx, userId: number, project: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('favorite_projects')
    .values({ user_id: userId, project })
    .onConflict(conflict => conflict.constraint('favorite_projects_pkey').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Returns false if the project is not a favorite of the user. */
export async function deleteFavoriteProject(tx: Tx, userId: number, project: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('favorite_projects')
    .where('user_id', '=', userId)
    .where('project', '=', project)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
