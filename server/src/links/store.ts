import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import type { FeatureLink } from './schema.ts';

/** Links of `features`, the oldest first. */
export const LINKS = sql`coalesce((
  select jsonb_agg(jsonb_build_object('id', id, 'url', url, 'title', title) order by feature_links.created_at, id)
  from feature_links where feature_name = features.name
), '[]')`;

export async function insertLink(
  tx: Tx,
  featureName: string,
  link: Omit<FeatureLink, 'id'>,
): Promise<string> {
  const { id } = await tx
    .insertInto('feature_links')
    .values({ feature_name: featureName, ...link })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateLink(tx: Tx, { id, ...columns }: FeatureLink): Promise<void> {
  await tx.updateTable('feature_links').set(columns).where('id', '=', id).execute();
}

export async function deleteLink(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('feature_links').where('id', '=', id).execute();
}
