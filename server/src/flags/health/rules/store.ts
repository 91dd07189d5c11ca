import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../../platform/db/database.ts';
import { isPotentiallyStale } from '../../feature-types/store.ts';
import { NEW_DAYS, RULES, type RuleName, SETTLED_DAYS } from './rules.ts';

/** The feature or segment that a finding is about. */
export type Subject = { feature: string; segment: null } | { feature: null; segment: number };

/**
 * Common table expressions that every rule reads: `active` are the active features of the project, or those that match
 * `condition`, with a summary of their environments. `telemetry` is whether an SDK was ever seen in the project.
 */
export const ruleInputs = (project: string, at: Date, condition: RawBuilder<unknown> = sql`true`) => sql`
  active as materialized (
    select features.name, features.type, features.stale, features.created_at, feature_types.lifetime_days,
      ${isPotentiallyStale(at)} as potentially_stale, summary.*
    from features join feature_types on feature_types.id = features.type
      cross join lateral (
        select count(*) as environments, count(*) filter (where enabled) as enabled_in, max(switched_at) as toggled_at,
          max(last_seen_at) as last_seen_at, exists (
            select from feature_strategies as strategy where strategy.feature_name = features.name and not disabled
          ) as has_strategies
        from feature_environments where feature_name = features.name
      ) as summary
    where features.project = ${project} and features.archived_at is null and ${condition}
  ), telemetry as materialized (
    select exists (
      select from features join feature_environments on feature_name = features.name
      where features.project = ${project} and last_seen_at is not null
    ) as seen
  )`;

const olderThan = (column: RawBuilder<unknown>, at: Date, days: number) =>
  sql`${column} <= ${at}::timestamptz - ${sql.lit(days)} * interval '1 day'`;

const selectFeatures = (since: RawBuilder<unknown>, facts = sql`'{}'::jsonb`) =>
  sql`select active.name as feature, null::integer as segment, ${since} as since, ${facts} as facts from active`;

/** The strategies and variants of a feature. A groupId is not compared, because a copy usually has its own. */
const configuration = (feature: RawBuilder<unknown>) => sql`(
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

/** The query of each rule. It selects feature, segment, since and facts. */
const QUERIES: Record<RuleName, (project: string, at: Date) => RawBuilder<unknown>> = {
  // The findings of a page look up the event that marked the feature.
  stale: () => sql`${selectFeatures(sql`null::timestamptz`)} where stale`,
  'past-lifetime': () => sql`
    ${selectFeatures(sql`created_at + lifetime_days * interval '1 day'`)} where potentially_stale`,
  'enabled-everywhere': (_, at) => sql`
    ${selectFeatures(sql`toggled_at`)}
    where lifetime_days is not null and enabled_in = environments and environments > 0
      and ${olderThan(sql`toggled_at`, at, SETTLED_DAYS)}`,
  'disabled-everywhere': (_, at) => sql`
    ${selectFeatures(sql`toggled_at`)}
    where lifetime_days is not null and enabled_in = 0 and environments > 0
      and ${olderThan(sql`toggled_at`, at, SETTLED_DAYS)}`,
  // Without an SDK in the project, the rule finds nothing.
  'never-seen': (_, at) => sql`
    ${selectFeatures(sql`created_at`)}
    where last_seen_at is null and ${olderThan(sql`created_at`, at, NEW_DAYS)} and (select seen from telemetry)`,
  'no-strategies': (_, at) => sql`
    ${selectFeatures(sql`created_at`)} where not has_strategies and ${olderThan(sql`created_at`, at, NEW_DAYS)}`,
  'archived-parent': () => sql`
    ${selectFeatures(sql`parents.since`, sql`jsonb_build_object('archivedParents', parents.names)`)}
    join (
      select child, min(archived_at) as since, jsonb_agg(parent order by parent) as names
      from feature_dependencies join features on features.name = parent
      where archived_at is not null group by child
    ) as parents on parents.child = active.name`,
  // Compares within the project only, because a copy in another project is usually meant to stay the same.
  'duplicate-of-clone': (project, at) => sql`
    ${selectFeatures(sql`copies.created_at`, sql`jsonb_build_object('clonedFrom', source.name)`)}
    join events as copies on copies.project = ${project} and copies.feature_name = active.name
      and copies.type = 'feature-created' and copies.data ? 'clonedFrom' and copies.created_at >= active.created_at
    join active as source on source.name = copies.data #>> '{clonedFrom,feature}'
    where ${olderThan(sql`copies.created_at`, at, SETTLED_DAYS)} and source.type = active.type
      and ${configuration(sql`active.name`)} is not distinct from ${configuration(sql`source.name`)}`,
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

/** The findings of all rules: rule, position of the rule, feature, segment, since and facts. Reads the rule inputs. */
export const selectFindings = (project: string, at: Date) =>
  sql.join(
    RULES.map(
      ({ name }, position) => sql`
        select ${sql.lit(name)} as rule, ${sql.lit(position)} as position, one.*
        from (${QUERIES[name](project, at)}) as one (feature, segment, since, facts)`,
    ),
    sql` union all `,
  );

/** Whether the rule currently finds the subject. */
export async function hasFinding(
  db: Reader,
  project: string,
  at: Date,
  rule: RuleName,
  { feature, segment }: Subject,
): Promise<boolean> {
  // A copy is compared with its source, so that rule needs more than one feature.
  const condition =
    feature === null || rule === 'duplicate-of-clone' ? sql`true` : sql`features.name = ${feature}`;
  const { rows } = await sql<{ present: boolean }>`
    with ${ruleInputs(project, at, condition)}
    select exists (
      select from (${selectFindings(project, at)}) as found
      where rule = ${rule} and (feature = ${feature} or segment = ${segment})
    ) as present`.execute(db);
  return rows[0]?.present === true;
}
