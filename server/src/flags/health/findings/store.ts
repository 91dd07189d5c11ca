import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from '../../../platform/db/database.ts';
import { iso } from '../../../platform/db/iso.ts';
import { nameOfUser } from '../../../record/actor-names.ts';
import { isPotentiallyStale } from '../../feature-types/store.ts';
import type { Counts } from '../../technical-debt/score.ts';
import { countsOf } from '../../technical-debt/store.ts';
import type { FindingSearch } from './query.ts';
import { RULES, type RuleName } from './rules.ts';
import type { Finding, Snooze } from './schema.ts';

export type FoundFinding = Pick<Finding, 'feature' | 'segment' | 'evidence' | 'snooze'> & { rule: RuleName };
export type RuleFigures = { rule: RuleName; findings: number; snoozed: number };
export type HealthParts = {
  debtBudget: number | null;
  counts: Counts;
  telemetry: boolean;
  figures: RuleFigures[];
  findings: FoundFinding[];
  total: number;
};

/** What every rule looks at, read once: the active features, or one of them, and what their environments say together. */
const material = (project: string, at: Date, only: RawBuilder<unknown> = sql`true`) => sql`
  mine as materialized (
    select features.name, features.type, features.stale, features.created_at, feature_types.lifetime_days,
      ${isPotentiallyStale(at)} as potentially_stale, here.*
    from features join feature_types on feature_types.id = features.type
      cross join lateral (
        select count(*) as places, count(*) filter (where enabled) as on_in, max(switched_at) as switched_at,
          max(last_seen_at) as last_seen_at, exists (
            select from strategy_texts where feature_name = features.name and true = any(any_enabled)
          ) as has_strategies
        from feature_environments where feature_name = features.name
      ) as here
    where features.project = ${project} and features.archived_at is null and ${only}
  ), telemetry as materialized (
    select exists (
      select from features join feature_environments on feature_name = features.name
      where features.project = ${project} and last_seen_at is not null
    ) as seen
  )`;

const found = (project: string, at: Date) =>
  sql.join(
    RULES.map(
      ({ name, find }, place) =>
        sql`select ${sql.lit(name)} as rule, ${sql.lit(place)} as place, one.* from (${find(project, at)}) as one (feature, segment, since, facts)`,
    ),
    sql` union all `,
  );

const SNOOZE = sql`jsonb_build_object(
  'reason', snooze.reason, 'until', ${iso(sql`snooze.until`)}, 'createdAt', ${iso(sql`snooze.created_at`)},
  'createdBy', ${nameOfUser(sql`snooze.created_by_user_id`)}
)`;

/** Events that tell of a feature without changing it. */
const NO_CHANGE = [
  'feature-potentially-stale-on',
  'feature-favorited',
  'feature-unfavorited',
  'health-finding-snoozed',
  'health-finding-woken',
];

/** All that is told of a finding beyond its rule and subject; looked up for those that are shown. */
const evidence = (at: Date) => sql`
  facts || jsonb_build_object(
    'since', ${iso(sql`case page.rule when 'stale' then (
      select created_at from events where feature_name = feature and type = 'feature-stale-on' order by id desc limit 1
    ) else since end`)},
    'createdAt', ${iso(sql`coalesce(mine.created_at, segments.created_at)`)},
    'ageDays', extract(day from ${at}::timestamptz - coalesce(mine.created_at, segments.created_at)),
    'environments', coalesce((
      select jsonb_agg(jsonb_build_object(
        'name', places.name, 'enabled', here.enabled, 'switchedAt', ${iso(sql`here.switched_at`)},
        'lastSeenAt', ${iso(sql`here.last_seen_at`)}, 'hasEnabledStrategies', any_enabled[array_position(texts.environments, here.environment)] is true
      ) order by places.sort_order, places.name)
      from feature_environments as here join environments as places on places.name = here.environment
        left join strategy_texts as texts using (feature_name)
      where feature_name = feature
    ), '[]'),
    'lastChange', (
      select jsonb_build_object('id', id, 'type', type, 'at', ${iso(sql`events.created_at`)}, 'by', created_by)
      from events where feature_name = feature and type <> all(${NO_CHANGE}) order by id desc limit 1
    )
  ) || case when feature is null then '{}' else jsonb_build_object(
    'type', mine.type, 'lifetimeDays', mine.lifetime_days, 'lastSeenAt', ${iso(sql`mine.last_seen_at`)}
  ) end`;

/** A page of findings with the figures of all, from one snapshot because from one statement. */
export async function findHealthParts(
  db: Reader,
  project: string,
  at: Date,
  search: FindingSearch,
): Promise<HealthParts | undefined> {
  const where = [
    search.rule && sql`rule = any(${search.rule})`,
    search.feature && sql`feature = any(${search.feature})`,
    search.snoozed !== undefined && sql`snoozed = ${search.snoozed}`,
  ].filter(condition => condition !== undefined && condition !== false);
  const { rows } = await sql<HealthParts>`
    with ${material(project, at)},
    noted as materialized (
      select found.*, snooze.id as snooze_id, coalesce(snooze.until > ${at}, false) as snoozed
      from (${found(project, at)}) as found left join health_snoozes as snooze
        on snooze.rule = found.rule
        and coalesce(snooze.feature_name, snooze.segment_id::text) = coalesce(found.feature, found.segment::text)
    ), matching as (
      select * from noted where ${sql.join([sql`true`, ...where], sql` and `)}
    ), page as materialized (
      select * from matching order by place, feature, segment limit ${search.limit} offset ${search.offset}
    )
    select projects.debt_budget as "debtBudget", to_jsonb(counts) as counts, (select seen from telemetry) as telemetry,
      (select count(*) from matching) as total,
      coalesce((
        select jsonb_agg(jsonb_build_object('rule', rule, 'findings', open, 'snoozed', put_off))
        from (
          select rule, count(*) filter (where not snoozed) as open, count(*) filter (where snoozed) as put_off
          from noted group by rule
        ) as figures
      ), '[]') as figures,
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'rule', page.rule, 'feature', feature,
          'segment', case when segments.id is not null
            then jsonb_build_object('id', segments.id, 'name', segments.name) end,
          'evidence', ${evidence(at)}, 'snooze', case when snoozed then ${SNOOZE} end
        ) order by place, feature, segment)
        from page left join mine on mine.name = feature left join segments on segments.id = segment
          left join health_snoozes as snooze on snooze.id = snooze_id
      ), '[]') as findings
    from projects cross join ${countsOf(project, at)} as counts where projects.id = ${project}`.execute(db);
  return rows[0];
}

export type Subject = { feature: string; segment: null } | { feature: null; segment: number };

/** Whether the rule finds this now. */
export async function hasFinding(
  db: Reader,
  project: string,
  at: Date,
  rule: RuleName,
  { feature, segment }: Subject,
): Promise<boolean> {
  // A copy is compared with what it was copied from, so there it takes more than the one feature.
  const only =
    feature === null || rule === 'duplicate-of-clone' ? sql`true` : sql`features.name = ${feature}`;
  const { rows } = await sql<{ present: boolean }>`
    with ${material(project, at, only)}
    select exists (
      select from (${found(project, at)}) as found
      where rule = ${rule} and (feature = ${feature} or segment = ${segment})
    ) as present`.execute(db);
  return rows[0]?.present === true;
}

/** The segment of the project, kept from going until the transaction ends. */
export async function lockSegment(
  tx: Tx,
  project: string,
  id: number,
): Promise<{ name: string } | undefined> {
  return await tx
    .selectFrom('segments')
    .select('name')
    .where('id', '=', id)
    .where('project', '=', project)
    .forUpdate()
    .executeTakeFirst();
}

const isAbout = ({ feature, segment }: Subject) =>
  sql<boolean>`(feature_name is not distinct from ${feature}::text and segment_id is not distinct from ${segment}::integer)`;

export async function findSnooze(db: Reader, rule: RuleName, subject: Subject): Promise<Snooze | undefined> {
  const { rows } = await sql<{ snooze: Snooze }>`
    select ${SNOOZE} as snooze from health_snoozes as snooze where rule = ${rule} and ${isAbout(subject)}`.execute(
    db,
  );
  return rows[0]?.snooze;
}

export async function writeSnooze(
  tx: Tx,
  rule: RuleName,
  { feature, segment }: Subject,
  snooze: { reason: string; until: string },
  userId: number,
): Promise<void> {
  await sql`
    insert into health_snoozes (rule, feature_name, segment_id, reason, until, created_by_user_id)
    values (${rule}, ${feature}, ${segment}, ${snooze.reason}, ${snooze.until}, ${userId})
    on conflict on constraint health_snoozes_key do update set reason = excluded.reason, until = excluded.until,
      created_at = now(), created_by_user_id = excluded.created_by_user_id`.execute(tx);
}

export async function deleteSnooze(tx: Tx, rule: RuleName, subject: Subject): Promise<void> {
  await tx.deleteFrom('health_snoozes').where('rule', '=', rule).where(isAbout(subject)).execute();
}
