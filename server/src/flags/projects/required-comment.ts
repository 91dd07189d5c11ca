import { sql } from 'kysely';

/**
 * Selects a project that requires a comment for one of the written events, or null if there is none. Only events about features
 * count. Favorites are personal and need no comment, and a snoozed finding already has a reason.
 */
export const PROJECT_REQUIRING_COMMENT = sql<string | null>`(
  select min(project) from written
  where feature_name is not null
    and type not in ('feature-favorited', 'feature-unfavorited', 'health-finding-snoozed', 'health-finding-unsnoozed')
    and (select require_comment from projects where projects.id = written.project)
)`;
