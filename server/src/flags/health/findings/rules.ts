import { type RawBuilder, sql } from 'kysely';

/** For so long a feature may be off or on everywhere, or a copy of another, before it is asked whether it is needed. */
const SETTLED_DAYS = 30;
/** For so long a new feature may be unused. */
const NEW_DAYS = 7;

export type RuleName =
  | 'stale'
  | 'past-lifetime'
  | 'on-everywhere'
  | 'off-everywhere'
  | 'never-seen'
  | 'no-strategies'
  | 'archived-parent'
  | 'duplicate-of-clone'
  | 'unused-segment';

type Rule = {
  name: RuleName;
  description: string;
  remedy: string;
  /** Whether what it finds counts into the health. */
  counts: boolean;
  about: 'feature' | 'segment';
  /**
   * Selects feature, segment, since and facts. `mine` are the active features of the project, each with what its
   * environments say together; `telemetry` says whether an SDK was ever seen in the project.
   */
  find: (project: string, at: Date) => RawBuilder<unknown>;
};

const olderThan = (column: RawBuilder<unknown>, at: Date, days: number) =>
  sql`${column} <= ${at}::timestamptz - ${sql.lit(days)} * interval '1 day'`;

const ofFeature = (since: RawBuilder<unknown>, facts = sql`'{}'::jsonb`) =>
  sql`select mine.name as feature, null::integer as segment, ${since} as since, ${facts} as facts from mine`;

/** What two features must have in common to be the same to their users; a group of their own is no difference. */
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

export const RULES: readonly Rule[] = [
  {
    name: 'stale',
    description: 'Marked stale',
    remedy: 'Remove it from the code, then archive it; or take the mark away.',
    counts: true,
    about: 'feature',
    // The event that marked it is looked up for those that are shown.
    find: () => sql`${ofFeature(sql`null::timestamptz`)} where stale`,
  },
  {
    name: 'past-lifetime',
    description: 'Older than its type is meant to live, and not marked stale',
    remedy:
      'Remove it from the code and archive it; or give it a type that lives longer if it is meant to stay.',
    counts: true,
    about: 'feature',
    find: () => sql`
      ${ofFeature(sql`created_at + lifetime_days * interval '1 day'`)} where potentially_stale`,
  },
  {
    name: 'on-everywhere',
    description: `On in every environment for ${SETTLED_DAYS} days, and not of a type that is kept for good`,
    remedy: 'Make what it switches on the only way in the code, then archive it.',
    counts: false,
    about: 'feature',
    find: (_, at) => sql`
      ${ofFeature(sql`switched_at`)}
      where lifetime_days is not null and on_in = places and places > 0
        and ${olderThan(sql`switched_at`, at, SETTLED_DAYS)}`,
  },
  {
    name: 'off-everywhere',
    description: `Off in every environment for ${SETTLED_DAYS} days, and not of a type that is kept for good`,
    remedy: 'Remove what it would switch on from the code, then archive it.',
    counts: false,
    about: 'feature',
    find: (_, at) => sql`
      ${ofFeature(sql`switched_at`)}
      where lifetime_days is not null and on_in = 0 and places > 0
        and ${olderThan(sql`switched_at`, at, SETTLED_DAYS)}`,
  },
  {
    name: 'never-seen',
    description: `No SDK has asked for it, and it is older than ${NEW_DAYS} days`,
    remedy: 'Archive it if no code uses it.',
    counts: false,
    about: 'feature',
    // Without any SDK in the project nothing is known, and nothing condemned.
    find: (_, at) => sql`
      ${ofFeature(sql`created_at`)}
      where last_seen_at is null and ${olderThan(sql`created_at`, at, NEW_DAYS)} and (select seen from telemetry)`,
  },
  {
    name: 'no-strategies',
    description: `It has no enabled strategy in any environment, and is older than ${NEW_DAYS} days`,
    remedy: 'Add a strategy, or archive it.',
    counts: false,
    about: 'feature',
    find: (_, at) => sql`
      ${ofFeature(sql`created_at`)} where not has_strategies and ${olderThan(sql`created_at`, at, NEW_DAYS)}`,
  },
  {
    name: 'archived-parent',
    description: 'It depends on an archived feature',
    remedy: 'Remove the dependency, or revive the parent.',
    counts: false,
    about: 'feature',
    find: () => sql`
      ${ofFeature(sql`parents.since`, sql`jsonb_build_object('archivedParents', parents.names)`)}
      join (
        select child, min(archived_at) as since, jsonb_agg(parent order by parent) as names
        from feature_dependencies join features on features.name = parent
        where archived_at is not null group by child
      ) as parents on parents.child = mine.name`,
  },
  {
    name: 'duplicate-of-clone',
    description: `A copy that for ${SETTLED_DAYS} days has the same strategies and variants as what it was copied from`,
    remedy: 'Archive the one of the two that is not needed, or let them differ.',
    counts: false,
    about: 'feature',
    // Within the project only: a copy in another project is most often there to be the same.
    find: (project, at) => sql`
      ${ofFeature(sql`copies.created_at`, sql`jsonb_build_object('clonedFrom', source.name)`)}
      join events as copies on copies.project = ${project} and copies.feature_name = mine.name
        and copies.type = 'feature-created' and copies.data ? 'clonedFrom' and copies.created_at >= mine.created_at
      join mine as source on source.name = copies.data #>> '{clonedFrom,feature}'
      where ${olderThan(sql`copies.created_at`, at, SETTLED_DAYS)} and source.type = mine.type
        and ${configuration(sql`mine.name`)} is not distinct from ${configuration(sql`source.name`)}`,
  },
  {
    name: 'unused-segment',
    description: 'A segment of the project that no enabled strategy of an active feature uses',
    remedy: 'Delete it, after the strategies that still refer to it.',
    counts: false,
    about: 'segment',
    find: project => sql`
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
  },
];
