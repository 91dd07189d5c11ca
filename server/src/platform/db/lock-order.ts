/**
 * The order in which every transaction takes its locks, so that no two wait for each other. Rows of one table are locked in one
 * statement, ordered by their key. A transaction that must lock something earlier in the list after something later uses `nowait`,
 * which ends in a 503 instead of a deadlock.
 *
 * Rows that belong to a feature (its environments, strategies, tags, links, parents) have no separate locks, because an operation
 * that changes them locks the feature. PostgreSQL itself locks the rows that a foreign key refers to. That is safe, because the
 * transaction has locked those rows already, or no other transaction locks them for an update. Triggers lock the segments that a
 * flag starts to use, in share mode. `publish_sdk_documents()` locks the flags that a change touched, which the change has
 * locked already, and finally the environment counters.
 *
 * `lock-order.test.ts` compares the list with the locks of every API write, and runs writes against each other.
 */
export const LOCK_ORDER = [
  // Advisory locks, for rules about all rows of a kind, in transactions with only a few statements.
  'admins',
  'auth settings',
  'integrations count',
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
