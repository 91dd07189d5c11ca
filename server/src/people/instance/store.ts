import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';
import type { InstanceCounts } from './statistics-schema.ts';

/** Returns only the version number, for example 17.6 for "17.6 (Debian 17.6-1)". */
export async function readPostgresVersion(db: Reader): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    select split_part(current_setting('server_version'), ' ', 1) as version`.execute(db);
  return rows[0]?.version ?? '';
}

const seenWithin = (days: number) => sql`seen_at > now() - make_interval(days => ${days})`;

/**
 * Counts everything in the instance. The instance id is derived from the time of the first migration, which backups contain too.
 */
export async function readCounts(db: Reader): Promise<InstanceCounts> {
  const countActiveUsers = (days: number) =>
    sql`(select count(*) from users where kind = 'user' and deleted_at is null and ${seenWithin(days)})`;
  const countTokens = (...types: string[]) =>
    sql`(select count(*) from api_tokens where type = any(${types}) and revoked_at is null)`;
  const countApplications = (days: number) =>
    sql`(select count(distinct application_id) from application_instances where ${seenWithin(days)})`;
  const { rows } = await sql<InstanceCounts>`
    select
      (select md5(min(applied_at)::text)::uuid from migration_checksums) as "instanceId",
      now() as timestamp,
      (select count(*) from users where kind = 'user' and deleted_at is null) as users,
      jsonb_build_object(
        'last7', ${countActiveUsers(7)}, 'last30', ${countActiveUsers(30)},
        'last60', ${countActiveUsers(60)}, 'last90', ${countActiveUsers(90)}
      ) as "activeUsers",
      (select count(*) from users where kind = 'service-account' and deleted_at is null) as "serviceAccounts",
      (select count(*) from groups) as groups,
      (select count(*) from roles) as roles,
      (select count(*) from roles where type = 'root-custom') as "customRootRoles",
      (select count(*) from roles where type = 'root-custom' and (
        exists (select from user_roles where role_id = roles.id)
        or exists (select from groups where root_role_id = roles.id)
      )) as "customRootRolesInUse",
      jsonb_build_object(
        'admin', ${countTokens('admin')}, 'client', ${countTokens('client', 'backend', 'edge')}, 'frontend', ${countTokens('frontend')}
      ) as "apiTokens",
      (select count(*) from projects where archived_at is null) as projects,
      (select count(*) from features where archived_at is null) as "featureToggles",
      (select count(*) from features where archived_at is not null) as "archivedFeatureToggles",
      (select count(*) from environments) as environments,
      (select count(*) from segments) as segments,
      (select count(*) from context_fields) as "contextFields",
      (select count(*) from strategies) as strategies,
      jsonb_build_array(
        jsonb_build_object('range', '7d', 'count', ${countApplications(7)}),
        jsonb_build_object('range', '30d', 'count', ${countApplications(30)}),
        jsonb_build_object('range', 'allTime', 'count', (select count(*) from applications))
      ) as "clientApps"`.execute(db);
  const [counts] = rows;
  if (!counts) throw new Error('The query returned no counts');
  return counts;
}
