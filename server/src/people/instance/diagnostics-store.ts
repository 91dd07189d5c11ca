import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';
import type { Diagnostics, LIMITED_RESOURCES } from './diagnostics-schema.ts';

type Database = Diagnostics['database'];

export async function readDatabase(
  db: Reader,
): Promise<Pick<Database, 'version' | 'bytes' | 'migrations' | 'newestMigration'>> {
  const { rows } = await sql<Pick<Database, 'version' | 'bytes' | 'migrations' | 'newestMigration'>>`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      pg_database_size(current_database()) as bytes,
      (select count(*) from migration_checksums) as migrations,
      coalesce((select max(name) from migration_checksums), '') as "newestMigration"`.execute(db);
  return rows[0] ?? { version: '', bytes: 0, migrations: 0, newestMigration: '' };
}

/**
 * Counts the connections of all servers by name. If the database role cannot see other roles, PostgreSQL shows only the role's own
 * connections.
 */
export async function listConnections(db: Reader): Promise<Database['connections']> {
  const { rows } = await sql<Database['connections'][number]>`
    select coalesce(application_name, '') as name, count(*) as open, count(*) filter (where state = 'active') as active
    from pg_stat_activity
    where datname = current_database() and application_name like 'halyard %'
    group by application_name order by application_name limit 50`.execute(db);
  return rows;
}

/** Counts the resources that have a limit. */
export async function countLimitedResources(
  db: Reader,
): Promise<Record<(typeof LIMITED_RESOURCES)[number], number>> {
  const { rows } = await sql<Record<(typeof LIMITED_RESOURCES)[number], number>>`
    select (select count(*) from projects) as projects,
      (select count(*) from environments) as environments,
      (select count(*) from features where archived_at is null) as features,
      (select count(*) from segments) as segments,
      (select count(*) from api_tokens where revoked_at is null) as "apiTokens"`.execute(db);
  return rows[0] ?? { projects: 0, environments: 0, features: 0, segments: 0, apiTokens: 0 };
}

export async function findNewestEvent(
  db: Reader,
): Promise<Pick<Diagnostics['events'], 'newestId' | 'newestAt'>> {
  const { rows } = await sql<Pick<Diagnostics['events'], 'newestId' | 'newestAt'>>`
    select id as "newestId", created_at as "newestAt" from events order by id desc limit 1`.execute(db);
  return rows[0] ?? { newestId: 0, newestAt: null };
}

export async function countIntegrations(db: Reader): Promise<Diagnostics['integrations']> {
  const { rows } = await sql<Diagnostics['integrations']>`
    select (select count(*) from integrations where enabled) as enabled,
      (select count(*) from integrations where enabled and failing_since is not null) as failing,
      count(*) as "openDeliveries",
      coalesce(greatest(0, extract(epoch from now() - min(due_at)))::bigint, 0) as "oldestDueSeconds"
    from integration_deliveries where state in ('pending', 'retrying')`.execute(db);
  return rows[0] ?? { enabled: 0, failing: 0, openDeliveries: 0, oldestDueSeconds: 0 };
}
