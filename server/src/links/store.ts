import { sql } from 'kysely';

/** Links of `features`, the oldest first. */
export const LINKS = sql`coalesce((
  select jsonb_agg(jsonb_build_object('id', id, 'url', url, 'title', title) order by feature_links.created_at, id)
  from feature_links where feature_name = features.name
), '[]')`;
