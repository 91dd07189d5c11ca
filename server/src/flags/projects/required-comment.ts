import { sql } from 'kysely';

/**
 * A project among those of the written events that requires a comment for changes of its features; null if there is none.
 * Favorites are personal, and a snoozed finding has its own reason.
 */
export const PROJECT_REQUIRING_COMMENT = sql<string | null>`(
  select min(project) from written
  where feature_name is not null
    and type not in ('feature-favorited', 'feature-unfavorited', 'health-finding-snoozed', 'health-finding-unsnoozed')
    and (select require_comment from projects where projects.id = written.project)
)`;
