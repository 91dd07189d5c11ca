import { sql } from 'kysely';

/** What `features` depends on. */
export const PARENTS = sql`coalesce((
  select jsonb_agg(jsonb_build_object('feature', parent, 'enabled', enabled, 'variants', variants) order by parent)
  from feature_dependencies where child = features.name
), '[]')`;

/** Names of what depends on `features`. */
export const CHILDREN = sql`array(
  select child from feature_dependencies where parent = features.name order by child
)`;
