import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { type FeaturePart, selectPart } from '../feature-rows/store.ts';
import type { FeatureLink } from './schema.ts';

/** The links of a feature. */
export const LINKS: FeaturePart = {
  table: 'feature_links',
  column: 'feature_name',
  item: sql`'{"id":"' || id || '","url":' || to_json(url) || ',"title":' || coalesce(to_json(title)::text, 'null') || '}'`,
  order: sql`created_at, id`,
};

export async function listLinks(db: Reader, featureName: string): Promise<FeatureLink[]> {
  const { rows } = await sql<{ links: FeatureLink[] }>`
    select (${selectPart(LINKS, 'few')})::jsonb as links from features
    where name = ${featureName}`.execute(db);
  return rows[0]?.links ?? [];
}

/** Inserts links. Each is created a microsecond after the previous one, so that they keep the order of the list. */
export async function insertLinks(tx: Tx, links: (FeatureLink & { featureName: string })[]): Promise<void> {
  await sql`
    insert into feature_links (id, feature_name, url, title, created_at)
    select id, "featureName", url, title, now() + ordinality * interval '1 microsecond'
    from rows from (jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as (
      id uuid, "featureName" text, url text, title text
    )) with ordinality as listed`.execute(tx);
}

export async function updateLink(tx: Tx, { id, url, title }: FeatureLink): Promise<void> {
  await tx.updateTable('feature_links').set({ url, title }).where('id', '=', id).execute();
}

export async function deleteLink(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('feature_links').where('id', '=', id).execute();
}
