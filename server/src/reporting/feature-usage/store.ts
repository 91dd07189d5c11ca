import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';
import type { EnvironmentUsage, FeatureCounts, ProjectFeatureUsage } from './schema.ts';

const MAX_ROWS = 10_000;
const MAX_APPLICATIONS = 1_000;

/** Variant counts as an object. Rows with an empty variant count the feature itself. */
const VARIANTS = sql`coalesce(jsonb_object_agg(variant, yes) filter (where variant <> ''), '{}')`;

const joinFeature = (name: string) => sql`
  features join metric_features on metric_features.name = features.name and features.name = ${name}`;

/** Lists the counts of a feature in the current and the previous hour. */
export async function listLastHour(db: Reader, name: string): Promise<EnvironmentUsage[]> {
  const { rows } = await sql<EnvironmentUsage>`
    select environment, max(hour) as timestamp, coalesce(sum(yes) filter (where variant = ''), 0)::bigint as yes,
      coalesce(sum(no), 0)::bigint as no, ${VARIANTS} as variants
    from (
      select metric_environments.name as environment, variant, max(hour) as hour, sum(yes)::bigint as yes, sum(no)::bigint as no
      from ${joinFeature(name)} join metric_hours on feature_id = metric_features.id
        join metric_environments on metric_environments.id = environment_id
      where hour >= greatest(date_trunc('hour', now()) - interval '1 hour', date_trunc('hour', features.created_at))
      group by metric_environments.name, variant
    ) as counted
    group by environment order by environment`.execute(db);
  return rows;
}

/** Lists the applications that requested a feature. */
export async function listSeenApplications(db: Reader, name: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct applications.name from ${joinFeature(name)}
      join application_features on feature_id = metric_features.id
      join applications on applications.id = application_id
    where application_features.seen_at >= date_trunc('hour', features.created_at)
    order by applications.name limit ${MAX_APPLICATIONS}`.execute(db);
  return rows.map(row => row.name);
}

/** Lists the counts of a feature in each of the last hours, or in each of the last days. */
export async function listCounts(
  db: Reader,
  name: string,
  hours: number,
  period: 'hour' | 'day',
): Promise<FeatureCounts[]> {
  const time = period === 'hour' ? sql`hour` : sql`day::timestamp at time zone 'UTC'`;
  const column = sql.ref(period);
  const start = sql`greatest(now() - ${hours} * interval '1 hour', features.created_at)`;
  const condition =
    period === 'hour' ? sql`hour >= date_trunc('hour', ${start})` : sql`day >= (${start})::date`;
  const { rows } = await sql<FeatureCounts>`
    select ${name}::text as "featureName", * from (
      select applications.name as "appName", metric_environments.name as environment, ${time} as timestamp,
        coalesce(sum(yes) filter (where variant = ''), 0)::bigint as yes, coalesce(sum(no), 0)::bigint as no,
        ${VARIANTS} as variants
      from ${joinFeature(name)} join ${sql.table(`metric_${period}s`)} on feature_id = metric_features.id
        join metric_environments on metric_environments.id = environment_id
        join applications on applications.id = application_id
      where ${condition}
      group by applications.name, metric_environments.name, ${column}
      order by ${column} desc, environment, "appName" limit ${MAX_ROWS}
    ) as newest
    order by timestamp, environment, "appName"`.execute(db);
  return rows;
}

/**
 * Lists the counts of the features of a project over the last days, by name and environment. The day of last use shows which
 * features were evaluated, so only the counts on one page are added up. They are looked up for each feature separately, because
 * with a join the planner read the counts of all projects.
 */
export async function listProjectUsage(
  db: Reader,
  project: string,
  days: number,
  limit: number,
  offset: number,
): Promise<{ total: number; features: ProjectFeatureUsage[] }> {
  const since = sql`(now() - ${days} * interval '1 day')::date`;
  const { rows } = await sql<{ total: number; features: ProjectFeatureUsage[] }>`
    with evaluated as materialized (
      select features.name, features.created_at
      from features cross join lateral (
        select max(greatest(enabled_on, disabled_on)) as day from feature_last_seen where feature_name = features.name
      ) as used
      where features.project = ${project} and features.archived_at is null
        and used.day >= greatest(${since}, features.created_at::date)
    ), page as materialized (
      select * from evaluated order by name limit ${limit} offset ${offset}
    )
    select (select count(*) from evaluated) as total, coalesce((
      select jsonb_agg(jsonb_build_object('name', page.name, 'environments', environments) order by page.name)
      from page join metric_features on metric_features.name = page.name cross join lateral (
        select coalesce(jsonb_agg(jsonb_build_object(
          'environment', metric_environments.name, 'yes', yes, 'no', no, 'lastDay', day) order by metric_environments.name), '[]')
          as environments
        from (
          select environment_id, sum(yes)::bigint as yes, sum(no)::bigint as no, max(day) as day from metric_days
          where feature_id = metric_features.id and variant = '' and day >= ${since} and day >= page.created_at::date
          group by environment_id
        ) as counted join metric_environments on metric_environments.id = environment_id
      ) as listed
    ), '[]') as features`.execute(db);
  return rows[0] ?? { total: 0, features: [] };
}
