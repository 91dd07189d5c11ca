import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../../platform/db/database.ts';
import { iso } from '../../../platform/db/iso.ts';
import {
  constraintsThatBreakRule,
  mayBreakRule,
  parametersThatBreakRule,
} from '../../../targeting/rule-text/store.ts';
import { isPotentiallyStale } from '../../feature-types/store.ts';
import { IN_USE_DAYS, NEW_DAYS, RULES, type RuleName, UNCHANGED_DAYS } from './rules.ts';

/** The feature or segment that a finding is about. */
export type Subject = { feature: string; segment: null } | { feature: null; segment: number };

/** The rule `archived-in-use` checks only the most recently archived features, because their number grows without bound. */
const MAX_ARCHIVED_FEATURES = 1_000;
const MAX_APPLICATIONS = 100;

const IN_PRODUCTION = sql`seen.environment = any(select unnest(names) from production)`;

/**
 * Selects whether an SDK has been seen in the project. Checks the features in `reported` first, and then all features, including
 * archived ones.
 */
const isAnySeen = (
  project: string,
  reportedCondition: RawBuilder<unknown>,
  rowCondition: RawBuilder<unknown>,
) => sql`(
  exists (select from reported where ${reportedCondition}) or exists (
    select from features join feature_last_seen as seen on seen.feature_name = features.name
    where features.project = ${project} and ${rowCondition}
  )
)`;

/**
 * Returns the common table expressions that every rule reads. `active` contains the active features of the project, or those that
 * match `condition`, with a summary of their environments and of what SDKs reported. `telemetry` says what is known about the
 * project: whether an SDK was ever seen, whether one was seen in production, and whether results in production have been recorded for long
 * enough.
 */
export const ruleInputs = (project: string, now: Date, condition: RawBuilder<unknown> = sql`true`) => sql`
  production as materialized (
    select array(select name from environments where type = 'production') as names
  ), reported as materialized (
    select feature_name, max(seen_at) as last_seen_at, max(seen_at) filter (where is_production) as production_seen_at,
      min(first_seen_on) filter (where is_production) as results_since,
      max(enabled_on) filter (where is_production) as enabled_on,
      max(disabled_on) filter (where is_production) as disabled_on,
      max(variant) filter (where is_production) as variant,
      greatest(
        max(variant_changed_on) filter (where is_production),
        case when min(variant) filter (where is_production) <> max(variant) filter (where is_production)
          then max(enabled_on) filter (where is_production) end
      ) as variant_changed_on
    from (
      select seen.*, environment = any(production.names) as is_production
      from features join feature_last_seen as seen on seen.feature_name = features.name cross join production
      where features.project = ${project} and features.archived_at is null and ${condition}
    ) as seen
    group by feature_name
  ), active as materialized (
    select features.name, features.type, features.stale, features.created_at, feature_types.lifetime_days,
      ${isPotentiallyStale(now)} as potentially_stale, summary.*, reported.*
    from features join feature_types on feature_types.id = features.type cross join production
      cross join lateral (
        select count(*) as environments, count(*) filter (where enabled) as enabled_in, max(switched_at) as toggled_at,
          bool_or(environment = any(production.names)) as in_production, exists (
            select from feature_strategies as strategy where strategy.feature_name = features.name and not disabled
          ) as has_strategies
        from feature_environments where feature_name = features.name
      ) as summary
      left join reported on reported.feature_name = features.name
    where features.project = ${project} and features.archived_at is null and ${condition}
  ), telemetry as materialized (
    select ${isAnySeen(project, sql`last_seen_at is not null`, sql`true`)} as seen,
      ${isAnySeen(project, sql`production_seen_at is not null`, IN_PRODUCTION)} as production,
      ${isAnySeen(project, sql`results_since <= ${periodStart(now)}`, sql`${IN_PRODUCTION} and first_seen_on <= ${periodStart(now)}`)} as settled
  )`;

/** The first day of the period in which the rule `constant-result` requires equal results. */
const periodStart = (now: Date) =>
  sql`(${now}::timestamptz - ${sql.lit(UNCHANGED_DAYS)} * interval '1 day')::date`;

const isOlderThan = (column: RawBuilder<unknown>, now: Date, days: number) =>
  sql`${column} <= ${now}::timestamptz - ${sql.lit(days)} * interval '1 day'`;

const selectFeatures = (since: RawBuilder<unknown>, facts = sql`'{}'::jsonb`) =>
  sql`select active.name as feature, null::integer as segment, ${since} as since, ${facts} as facts from active`;

/** Selects the strategies and variants of a feature. Omits the groupId, because a copy usually has its own. */
const selectConfiguration = (feature: RawBuilder<unknown>) => sql`(
  select jsonb_build_array(
    (
      select jsonb_agg(jsonb_build_array(environment, variants) order by environment)
      from feature_environments where feature_name = ${feature} and variants <> '[]'
    ),
    (
      select jsonb_agg(jsonb_build_array(
        environment, strategy_name, disabled, parameters - 'groupId', constraints, variants,
        array(select segment_id from feature_strategy_segments where strategy_id = id order by segment_id)
      ) order by environment, sort_order, created_at, id)
      from feature_strategies where feature_name = ${feature}
    )
  )
)`;

/** Events about changes to strategies or variants, which Halyard validates before it saves them. */
const VALIDATING_EVENTS = [
  'feature-strategy-add',
  'feature-strategy-update',
  'feature-strategy-remove',
  'feature-environment-variants-updated',
  'feature-variants-updated',
];

/** The query of each rule. It selects feature, segment, since and facts. */
const QUERIES: Record<RuleName, (project: string, now: Date) => RawBuilder<unknown>> = {
  // `since` is the time of the event that marked the feature as stale. It is looked up only for the findings on a page.
  stale: () => sql`${selectFeatures(sql`null::timestamptz`)} where stale`,
  'past-lifetime': () => sql`
    ${selectFeatures(sql`created_at + lifetime_days * interval '1 day'`)} where potentially_stale`,
  'enabled-everywhere': (_, now) => sql`
    ${selectFeatures(sql`toggled_at`)}
    where lifetime_days is not null and enabled_in = environments and environments > 0
      and ${isOlderThan(sql`toggled_at`, now, UNCHANGED_DAYS)}`,
  'disabled-everywhere': (_, now) => sql`
    ${selectFeatures(sql`toggled_at`)}
    where lifetime_days is not null and enabled_in = 0 and environments > 0
      and ${isOlderThan(sql`toggled_at`, now, UNCHANGED_DAYS)}`,
  // The rule finds nothing until an SDK has been seen in the project.
  'never-seen': (_, now) => sql`
    ${selectFeatures(sql`created_at`)}
    where last_seen_at is null and ${isOlderThan(sql`created_at`, now, NEW_DAYS)} and (select seen from telemetry)`,
  // The rule finds nothing until an SDK has been seen in production.
  'outside-production': (_, now) => sql`
    ${selectFeatures(sql`created_at`)}
    where in_production and last_seen_at is not null and production_seen_at is null
      and ${isOlderThan(sql`created_at`, now, UNCHANGED_DAYS)} and (select production from telemetry)`,
  'constant-result': (_, now) => {
    const isBeforePeriod = (column: RawBuilder<unknown>) =>
      sql`coalesce(${column}, '-infinity') < ${periodStart(now)}`;
    return sql`
      ${selectFeatures(
        sql`greatest(
          results_since, case when is_enabled then disabled_on + 1 else enabled_on + 1 end, variant_changed_on + 1
        )::timestamptz`,
        sql`jsonb_build_object(
          'result', case when is_enabled then 'enabled' else 'disabled' end,
          'variant', case when is_enabled then variant end
        )`,
      )} cross join lateral (select ${isBeforePeriod(sql`disabled_on`)} as is_enabled) as result
      where lifetime_days is not null and production_seen_at >= ${now}::timestamptz - ${sql.lit(IN_USE_DAYS)} * interval '1 day'
        and results_since <= ${periodStart(now)}
        and case when is_enabled then enabled_on >= ${periodStart(now)} and ${isBeforePeriod(sql`variant_changed_on`)}
          else ${isBeforePeriod(sql`enabled_on`)} end`;
  },
  'archived-in-use': (project, now) => sql`
    select archived.name, null::integer, archived.archived_at, jsonb_build_object('applications', users.list)
    from (
      select name, archived_at from features where project = ${project} and archived_at is not null
      order by archived_at desc limit ${sql.lit(MAX_ARCHIVED_FEATURES)}
    ) as archived join metric_features on metric_features.name = archived.name
      cross join lateral (
        select jsonb_agg(jsonb_build_object(
          'name', name, 'environments', environments, 'lastSeenAt', ${iso(sql`seen_at`)}) order by name) as list
        from (
          select applications.name, max(seen_at) as seen_at,
            array_agg(metric_environments.name order by metric_environments.name) as environments
          from application_features as usage join applications on applications.id = application_id
            join metric_environments on metric_environments.id = environment_id
          where usage.feature_id = metric_features.id and seen_at > archived_at
            and seen_at > ${now}::timestamptz - ${sql.lit(IN_USE_DAYS)} * interval '1 day'
          group by applications.name order by applications.name limit ${sql.lit(MAX_APPLICATIONS)}
        ) as used
      ) as users
    where users.list is not null`,
  'no-strategies': (_, now) => sql`
    ${selectFeatures(sql`created_at`)} where not has_strategies and ${isOlderThan(sql`created_at`, now, NEW_DAYS)}`,
  'unreadable-strategy': () => sql`
    ${selectFeatures(sql`broken.since`, sql`jsonb_build_object('unreadable', broken.strings)`)}
    join (
      select name, min(created_at) as since, jsonb_path_query_array(jsonb_agg(distinct jsonb_build_object(
        'environment', environment, 'segment', segment, 'string', left(value, 100)
      )), '$[0 to 9]') as strings
      from (
        select active.name, strategy.environment, strategy.created_at, null::text as segment, value
        from active join feature_strategies as strategy on strategy.feature_name = active.name
          cross join lateral (
            ${constraintsThatBreakRule(sql`strategy.constraints`)}
            union all ${parametersThatBreakRule(sql`strategy.strategy_name`, sql`strategy.parameters`)}
          ) as strings
        where not strategy.disabled
          and (${mayBreakRule(sql`strategy.constraints`)} or ${mayBreakRule(sql`strategy.parameters`)})
        union all
        select strategy.feature_name, strategy.environment, strategy.created_at, segments.name, value
        from segments join feature_strategy_segments on segment_id = segments.id
          join feature_strategies as strategy on strategy.id = strategy_id
          cross join lateral (${constraintsThatBreakRule(sql`segments.constraints`)}) as strings
        where not strategy.disabled and ${mayBreakRule(sql`segments.constraints`)}
      ) as found
      group by name
    ) as broken on broken.name = active.name`,
  // A later change to the strategies or variants in the environment has passed validation, so it ends the finding.
  'imported-as-is': () => sql`
    select feature, null::integer, min(since), jsonb_build_object('violations', jsonb_agg(violation order by violation))
    from (
      select active.name, imported_at, unnest(problems)
      from imported join active on active.name = imported.key
      where imported.kind = 'features' and problems <> '{}' and exists (
        select from unnest(imported.environments) as environment_name where environment_name = '' or not exists (
          select from events
          where feature_name = active.name and environment = environment_name and type = any(${VALIDATING_EVENTS}) and created_at > imported_at
        )
      )
      union all
      select active.name, imported_at, format('segment "%s": %s', segments.name, problem)
      from imported cross join lateral unnest(problems) as problem
        join segments on segments.name = imported.key
        join feature_strategy_segments on segment_id = segments.id
        join feature_strategies as strategy on strategy.id = strategy_id
        join active on active.name = strategy.feature_name
      where imported.kind = 'segments' and not exists (
        select from events
        where type = 'segment-updated' and data ->> 'id' = segments.id::text and created_at > imported_at
      )
      union all
      select active.name, imported_at, unnest(problems)
      from feature_dependencies as dependency join active on active.name = dependency.child
        join imported on imported.kind = 'dependencies' and imported.key = dependency.child || ' → ' || dependency.parent
      where exists (select from feature_dependencies as grandparent where grandparent.child = dependency.parent)
    ) as violations (feature, since, violation)
    group by feature`,
  'archived-parent': () => sql`
    ${selectFeatures(sql`parents.since`, sql`jsonb_build_object('archivedParents', parents.names)`)}
    join (
      select child, min(archived_at) as since, jsonb_agg(parent order by parent) as names
      from feature_dependencies join features on features.name = parent
      where archived_at is not null group by child
    ) as parents on parents.child = active.name`,
  // Compares only within the project, because a copy in a different project is usually meant to stay identical.
  'duplicate-of-clone': (project, now) => sql`
    ${selectFeatures(sql`copies.created_at`, sql`jsonb_build_object('clonedFrom', source.name)`)}
    join events as copies on copies.project = ${project} and copies.feature_name = active.name
      and copies.type = 'feature-created' and copies.data ? 'clonedFrom' and copies.created_at >= active.created_at
    join active as source on source.name = copies.data #>> '{clonedFrom,feature}'
    where ${isOlderThan(sql`copies.created_at`, now, UNCHANGED_DAYS)} and source.type = active.type
      and ${selectConfiguration(sql`active.name`)} is not distinct from ${selectConfiguration(sql`source.name`)}`,
  // The rule finds nothing if no feature of the project has an owner.
  'no-owner': project => sql`
    ${selectFeatures(sql`created_at`)}
    where not exists (select from feature_owners where feature_name = active.name) and exists (
      select from features join feature_owners on feature_name = features.name
      where features.project = ${project} and features.archived_at is null
    )`,
  'unused-segment': project => sql`
    select null::text, segments.id, segments.created_at, jsonb_build_object('references', array(
      select distinct feature_name from feature_strategy_segments join feature_strategies on id = strategy_id
      where segment_id = segments.id order by feature_name limit 10
    ))
    from segments
    where segments.project = ${project} and not exists (
      select from feature_strategy_segments
        join feature_strategies as strategy on strategy.id = strategy_id and not strategy.disabled
        join features on features.name = strategy.feature_name and features.archived_at is null
      where segment_id = segments.id
    )`,
};

/** Selects the rule, its position, the feature, segment, since and facts of each finding. Requires the expressions of `ruleInputs`. */
export const selectFindings = (project: string, now: Date) =>
  sql.join(
    RULES.map(
      ({ name }, position) => sql`
        select ${sql.lit(name)} as rule, ${sql.lit(position)} as position, one.*
        from (${QUERIES[name](project, now)}) as one (feature, segment, since, facts)`,
    ),
    sql` union all `,
  );

/** Returns whether the rule currently finds the subject. */
export async function hasFinding(
  db: Reader,
  project: string,
  now: Date,
  rule: RuleName,
  { feature, segment }: Subject,
): Promise<boolean> {
  // The rule about copies compares a copy with its source, so it needs more than one feature.
  const condition =
    feature === null || rule === 'duplicate-of-clone' ? sql`true` : sql`features.name = ${feature}`;
  const { rows } = await sql<{ present: boolean }>`
    with ${ruleInputs(project, now, condition)}
    select exists (
      select from (${selectFindings(project, now)}) as found
      where rule = ${rule} and (feature = ${feature} or segment = ${segment})
    ) as present`.execute(db);
  return rows[0]?.present === true;
}
