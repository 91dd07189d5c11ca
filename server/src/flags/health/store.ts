import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { FEATURE_NAMING, MEMBERS, membersAddedSince } from '../projects/store.ts';
import { selectCounts } from '../technical-debt/store.ts';
import type { InsightsParts, ReportParts, StatusParts } from './schema.ts';

const daysBefore = (now: Date, days: number) =>
  sql`(${now}::timestamptz - ${sql.lit(days)} * interval '1 day')`;

/** Features of `projects` that were ever enabled in production, and how many days after their creation that first happened. */
const LEAD_TIMES = sql`(
  select features.name, min(fe.first_enabled_at) as at,
    (extract(epoch from min(fe.first_enabled_at) - features.created_at) / 86400)::numeric as days
  from feature_environments as fe
    join environments on environments.name = fe.environment and environments.type = 'production'
    join features on features.name = fe.feature_name
  where features.project = projects.id and fe.first_enabled_at is not null
  group by features.name
)`;

/**
 * Selects how many days passed from the creation of each feature of `projects` until it was first enabled in a production
 * environment, if that happened after `since`. Reads the events, so that deleting or moving a feature later does not change the
 * result. Only the latest creation counts, because a deleted feature may have had the same name.
 */
const daysToProduction = (since: RawBuilder<unknown>) => sql`(
  select extract(epoch from activation.created_at - creation.at) / 86400 as days
  from events as activation cross join lateral (
    select id, coalesce((data ->> 'createdAt')::timestamptz, created_at) as at from events
    where feature_name = activation.feature_name and type = 'feature-created' and id < activation.id
    order by id desc limit 1
  ) as creation
  where activation.project = projects.id and activation.type = 'feature-environment-enabled'
    and activation.created_at >= ${since} and activation.environment = any(${PRODUCTION}) and not exists (
      select from events as earlier
      where earlier.feature_name = activation.feature_name and earlier.type = 'feature-environment-enabled'
        and earlier.id > creation.id and earlier.id < activation.id and earlier.environment = any(${PRODUCTION})
    )
)`;
const PRODUCTION = sql`array(select name from environments where type = 'production')`;

/** Selects the `ProjectStats` of `projects`. */
function selectStats(now: Date) {
  const [currentStart, pastStart] = [daysBefore(now, 30), daysBefore(now, 60)];
  /** Counts events of one type in the current and the past window. */
  const countInWindows = (type: string, countedRows: RawBuilder<unknown>) => sql`(
    select count(${countedRows}) filter (where created_at >= ${currentStart}) as now,
      count(${countedRows}) filter (where created_at < ${currentStart}) as before
    from events where project = projects.id and type = ${sql.lit(type)} and created_at >= ${pastStart}
  )`;
  return sql`(
    select jsonb_build_object(
      'avgTimeToProdCurrentWindow', (
        select coalesce(round(avg(days), 1), 0) from ${daysToProduction(currentStart)} as activated
      ),
      'createdCurrentWindow', created.now, 'createdPastWindow', created.before,
      'archivedCurrentWindow', archived.now, 'archivedPastWindow', archived.before,
      'projectActivityCurrentWindow', activity.now, 'projectActivityPastWindow', activity.before,
      'projectMembersAddedCurrentWindow', ${membersAddedSince(currentStart)}
    )
    from ${countInWindows('feature-created', sql`*`)} as created,
      ${countInWindows('feature-archived', sql`distinct feature_name`)} as archived, (
        select count(*) filter (where created_at >= ${currentStart}) as now,
          count(*) filter (where created_at < ${currentStart}) as before
        from events where events.project = projects.id and created_at >= ${pastStart}
      ) as activity
  )`;
}

/** Returns the health report without its features. */
export async function findReportParts(
  db: Reader,
  actor: Actor,
  project: string,
  now: Date,
): Promise<ReportParts | undefined> {
  const { rows } = await sql<ReportParts>`
    select projects.name, projects.description, projects.mode,
      projects.default_stickiness as "defaultStickiness", projects.feature_limit as "featureLimit",
      ${FEATURE_NAMING} as "featureNaming",
      ${MEMBERS} as members, projects.created_at as "createdAt", projects.updated_at as "updatedAt",
      exists (
        select from favorite_projects where user_id = ${actor.userId} and favorite_projects.project = projects.id
      ) as favorite,
      coalesce((
        select jsonb_agg(
          jsonb_build_object('environment', environments.name, 'changeRequestsEnabled', false)
            || case when default_strategy is null then '{}' else jsonb_build_object('defaultStrategy', default_strategy) end
          order by environments.sort_order, environments.name)
        from project_environments join environments on environments.name = environment_name
        where project_id = projects.id
      ), '[]') as environments,
      ${selectStats(now)} as stats, to_jsonb(counts) as counts
    from projects cross join ${selectCounts(project, now)} as counts
    where projects.id = ${project}`.execute(db);
  return rows[0];
}

const STAGES = sql`(values ('initial', 1), ('pre-live', 2), ('live', 3), ('completed', 4), ('archived', 5))`;

/** Selects the number of features in each stage, and the average number of days that features spent in it. */
const selectLifecycle = (project: string, now: Date) => sql`(
  select jsonb_object_agg(name, jsonb_build_object(
    'averageDays', round(spent::numeric, 1), 'currentFlags', coalesce(now, 0), 'last30Days', coalesce(recent, 0)
  ))
  from ${STAGES} as known (name, position) left join (
    select stage, avg(extract(epoch from left_at - entered_at) / 86400) as spent, count(*) filter (where left_at is null) as now,
      count(*) filter (where left_at is null and entered_at >= ${daysBefore(now, 30)}) as recent
    from (
      select stage, entered_at, lead(entered_at) over (partition by feature_name order by position) as left_at
      from feature_lifecycles join ${STAGES} as known (name, position) on name = stage
        join features on features.name = feature_name
      where features.project = ${project}
    ) as visited
    group by stage
  ) as summed on stage = name
)`;

export async function findStatusParts(
  db: Reader,
  project: string,
  now: Date,
): Promise<StatusParts | undefined> {
  const { rows } = await sql<StatusParts>`
    select to_jsonb(counts) as counts, ${selectLifecycle(project, now)} as lifecycle,
      jsonb_build_object(
        'members', ${MEMBERS},
        'apiTokens', (
          select count(*) from api_token_projects join api_tokens on api_tokens.id = token_id
          where project_id = projects.id and revoked_at is null
        ),
        'segments', (select count(*) from segments where segments.project = projects.id)
      ) as resources,
      coalesce((
        select jsonb_agg(jsonb_build_object('date', day, 'count', count) order by day)
        from (
          select (created_at at time zone 'UTC')::date as day, count(*) from events
          where events.project = projects.id and created_at >= ${daysBefore(now, 365)}
          group by day
        ) as activity
      ), '[]') as "activityCountByDate"
    from projects cross join ${selectCounts(project, now)} as counts
    where projects.id = ${project}`.execute(db);
  return rows[0];
}

export async function findInsightsParts(
  db: Reader,
  project: string,
  now: Date,
): Promise<InsightsParts | undefined> {
  const { rows } = await sql<InsightsParts>`
    select to_jsonb(counts) as counts, ${selectStats(now)} as stats, ${MEMBERS} as members,
      coalesce((
        select jsonb_agg(jsonb_build_object('type', type, 'count', count) order by type)
        from (
          select type, count(*) from features
          where features.project = projects.id and archived_at is null group by type
        ) as type_counts
      ), '[]') as "featureTypeCounts",
      (
        select jsonb_build_object(
          'projectAverage', coalesce(round(avg(days), 1), 0),
          'features', coalesce(
            jsonb_agg(jsonb_build_object('name', name, 'timeToProduction', round(days, 1)) order by at desc, name)
              filter (where newest <= 1000),
            '[]'
          )
        )
        from (
          select *, row_number() over (order by at desc, name) as newest from ${LEAD_TIMES} as activated
        ) as activated
      ) as "leadTime"
    from projects cross join ${selectCounts(project, now)} as counts
    where projects.id = ${project}`.execute(db);
  return rows[0];
}

export type NewlyStaleFeature = {
  name: string;
  project: string;
  type: string;
  createdAt: string;
  lifetimeDays: number;
};

/**
 * Marks up to `limit` features that have become potentially stale as announced, and returns them. A partial index lists the features
 * that are not announced yet, oldest first. Skips features that another server has locked.
 */
export async function markAnnounced(tx: Tx, now: Date, limit: number): Promise<NewlyStaleFeature[]> {
  const { rows } = await sql<NewlyStaleFeature>`
    with due as (
      select waiting.name, feature_types.lifetime_days
      from feature_types cross join lateral (
        select name from features
        where features.type = feature_types.id and announced_stale_at is null and archived_at is null and not stale
          and created_at <= ${now}::timestamptz - feature_types.lifetime_days * interval '1 day'
        order by created_at limit ${limit}
        for no key update skip locked
      ) as waiting
      where lifetime_days is not null
      limit ${limit}
    )
    update features set announced_stale_at = ${now} from due where features.name = due.name
    returning features.name, features.project, features.type, features.created_at as "createdAt",
      due.lifetime_days as "lifetimeDays"`.execute(tx);
  return rows;
}
