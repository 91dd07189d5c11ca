/**
 * The order in which every transaction takes its locks, so that no two transactions wait for each other. Rows of one table are
 * locked in one statement, ordered by their key. If a transaction holds a lock and needs one that is listed before it, it uses
 * `nowait`, so that a conflict ends in a 503 instead of a deadlock.
 *
 * Rows that belong to a feature (its environments, strategies, tags, links, parents) have no separate locks, because an operation
 * that changes them locks the feature. PostgreSQL itself locks the rows that a foreign key refers to. That is safe, because the
 * transaction has locked those rows already, or no other transaction locks them for an update. Triggers lock the segments that a
 * feature starts to use, in share mode. `publish_sdk_documents()` locks the features that a change touched, which the change has
 * locked already, and finally the environment counters.
 *
 * `lock-order.test.ts` compares the list with the locks of nearly every API write, and runs writes against each other.
 */
export const LOCK_ORDER = [
  // The first three are advisory locks for rules about all rows of a kind, in transactions with only a few statements.
  'admins',
  'auth settings',
  'integrations count',

  // Row locks, and `order of deliveries`, which is an advisory lock for each integration.
  'tag_types',
  'tags',
  'projects',
  'project_environments',
  'project_views',
  'users',
  'groups',
  'roles',
  'environments',
  'features',
  'strategies',
  'segments',
  'context_fields',
  'feature_types',
  'api_tokens',
  'signup_tokens',
  'integrations',
  'cors_settings',
  'maintenance_settings',
  'applications',
  'feature_last_seen',
  'order of deliveries',
  'sdk_revisions',
  'sdk_token_revision',
] as const;
