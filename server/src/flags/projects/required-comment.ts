import { sql } from 'kysely';

/**
 * Selects a project of the written events that requires a comment on changes to its features, or null if there is none. Favorites
 * are personal and need no comment, and a snoozed finding already has a reason.
 */
export const PROJECT_REQUIRING_COMMENT = sql<string | null>`(
  select min(project) from written
  where feature_name is not null
    and type not in ('feature-favorited', 'feature-unfavorited', 'health-finding-snoozed', 'health-finding-unsnoozed')
    and (select require_comment from projects where projects.id = written.project)
)`;
