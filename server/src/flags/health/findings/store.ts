import { sql } from 'kysely';
import type { Reader } from '../../../platform/db/database.ts';
import { iso } from '../../../platform/db/iso.ts';
import type { Counts } from '../../technical-debt/score.ts';
import { selectCounts } from '../../technical-debt/store.ts';
import type { RuleName } from '../rules/rules.ts';
import { ruleInputs, selectFindings } from '../rules/store.ts';
import { SNOOZE } from '../snoozes/store.ts';
import type { FindingSearch } from './query.ts';
import type { Finding } from './schema.ts';

export type FoundFinding = Pick<Finding, 'feature' | 'segment' | 'evidence' | 'snooze'> & { rule: RuleName };
export type RuleCounts = { rule: RuleName; findings: number; snoozed: number };
export type HealthParts = {
  debtBudget: number | null;
  counts: Counts;
  /** Whether an SDK has been seen in the project or in production, and whether results have been recorded for long enough. */
  telemetry: Record<'seen' | 'production' | 'settled', boolean>;
  ruleCounts: RuleCounts[];
  findings: FoundFinding[];
  total: number;
};

/** Events about a feature that do not change it. */
const EVENTS_WITHOUT_CHANGE = [
  'feature-potentially-stale-on',
  'feature-stage-entered',
  'feature-favorited',
  'feature-unfavorited',
  'health-finding-snoozed',
  'health-finding-unsnoozed',
];

/** Selects the evidence of a finding. The query needs it only for the findings on the page. */
const selectEvidence = (now: Date) => sql`
  facts || jsonb_build_object(
    'since', ${iso(sql`case page.rule when 'stale' then (
      select created_at from events where feature_name = feature and type = 'feature-stale-on' order by id desc limit 1
    ) else since end`)},
    'createdAt', ${iso(sql`coalesce(subject.created_at, segments.created_at)`)},
    'ageDays', extract(day from ${now}::timestamptz - coalesce(subject.created_at, segments.created_at)),
    'environments', coalesce((
      select jsonb_agg(jsonb_build_object(
        'name', environments.name, 'enabled', fe.enabled, 'toggledAt', ${iso(sql`fe.switched_at`)},
        'lastSeenAt', ${iso(sql`seen.seen_at`)}, 'hasEnabledStrategies', exists (
          select from feature_strategies as strategy
          where strategy.feature_name = fe.feature_name and strategy.environment = fe.environment and not disabled
        )
      ) order by environments.sort_order, environments.name)
      from feature_environments as fe join environments on environments.name = fe.environment
        left join feature_last_seen as seen
          on seen.feature_name = fe.feature_name and seen.environment = fe.environment
      where fe.feature_name = feature
    ), '[]'),
    'lastChange', (
      select jsonb_build_object('id', id, 'type', type, 'at', ${iso(sql`events.created_at`)}, 'by', created_by)
      from events where feature_name = feature and type <> all(${EVENTS_WITHOUT_CHANGE}) order by id desc limit 1
    )
  ) || case when feature is null then '{}' else jsonb_build_object(
    'type', subject.type, 'lifetimeDays', feature_types.lifetime_days, 'lastSeenAt', ${iso(sql`(
      select max(seen_at) from feature_last_seen where feature_name = feature
    )`)}
  ) end`;

/** Reads a page of findings and the counts of all findings in one statement, so that both come from one snapshot. */
export async function findHealthParts(
  db: Reader,
  project: string,
  now: Date,
  search: FindingSearch,
): Promise<HealthParts | undefined> {
  const conditions = [
    search.rule && sql`rule = any(${search.rule})`,
    search.feature && sql`feature = any(${search.feature})`,
    search.snoozed !== undefined && sql`snoozed = ${search.snoozed}`,
  ].filter(condition => condition !== undefined && condition !== false);
  const { rows } = await sql<HealthParts>`
    with ${ruleInputs(project, now)},
    all_findings as materialized (
      select found.*, snooze.id as snooze_id, coalesce(snooze.until > ${now}, false) as snoozed
      from (${selectFindings(project, now)}) as found left join health_snoozes as snooze
        on snooze.rule = found.rule
        and coalesce(snooze.feature_name, snooze.segment_id::text) = coalesce(found.feature, found.segment::text)
    ), matching as (
      select * from all_findings where ${sql.join([sql`true`, ...conditions], sql` and `)}
    ), page as materialized (
      select * from matching order by position, feature, segment limit ${search.limit} offset ${search.offset}
    )
    select projects.debt_budget as "debtBudget", to_jsonb(counts) as counts, (select to_jsonb(telemetry) from telemetry) as telemetry,
      (select count(*) from matching) as total,
      coalesce((
        select jsonb_agg(jsonb_build_object('rule', rule, 'findings', open, 'snoozed', snoozed))
        from (
          select rule, count(*) filter (where not snoozed) as open, count(*) filter (where snoozed) as snoozed
          from all_findings group by rule
        ) as counted
      ), '[]') as "ruleCounts",
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'rule', page.rule, 'feature', feature,
          'segment', case when segments.id is not null
            then jsonb_build_object('id', segments.id, 'name', segments.name) end,
          'evidence', ${selectEvidence(now)}, 'snooze', case when snoozed then ${SNOOZE} end
        ) order by position, feature, segment)
        from page left join features as subject on subject.name = feature
          left join feature_types on feature_types.id = subject.type left join segments on segments.id = segment
          left join health_snoozes as snooze on snooze.id = snooze_id
      ), '[]') as findings
    from projects cross join ${selectCounts(project, now)} as counts
    where projects.id = ${project}`.execute(db);
  return rows[0];
}
