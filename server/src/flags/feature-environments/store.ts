import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { booleanField, jsonTime, optionalJsonField } from '../../platform/db/json-text.ts';
import { matchAny } from '../../platform/db/match-any.ts';
import type { Variant } from '../../targeting/variants/schema.ts';
import type { ExpectedRows } from '../feature-rows/store.ts';
import type { FeatureEnvironment, FeatureEnvironmentKey, FeatureStrategy } from './schema.ts';

/**
 * A CTE of all environments, each with the start of its JSON text. A statement that uses `selectEnvironments` must begin with this
 * CTE.
 */
export const ALL_ENVIRONMENTS_CTE = sql`
  all_environments as materialized (
    select name, sort_order, '{"name":' || to_json(name) || ',"environment":' || to_json(name)
      || ',"type":' || to_json(type) || ',"sortOrder":' || sort_order as json_start
    from environments
  )`;

/**
 * Selects the segment ids of a `feature_strategies` row, separated by commas. Most strategies have no segments, so a statement about
 * many strategies first rules those out with a hash lookup.
 */
function joinedSegmentIds(amount: ExpectedRows) {
  const ids = sql`array_to_string(array(
    select segment_id from feature_strategy_segments where strategy_id = id order by segment_id
  ), ',')`;
  return amount === 'few'
    ? ids
    : sql`case when id in (select strategy_id from feature_strategy_segments) then ${ids} else '' end`;
}

/** Builds the JSON text of a `FeatureStrategy` from a `feature_strategies` row. */
const strategyText = (amount: ExpectedRows) => sql`
  '{"id":"' || id || '","name":' || to_json(strategy_name) || ${optionalJsonField('title', sql`to_json(title)`)}
  || ${booleanField('disabled', sql`disabled`)} || ',"featureName":' || features.quoted || ',"sortOrder":' || sort_order
  || ',"segments":[' || ${joinedSegmentIds(amount)} || '],"constraints":' || constraints || ',"variants":' || variants
  || ',"parameters":' || parameters || '}'`;

const WITHOUT_STRATEGIES = sql.lit(',"hasStrategies":false,"hasEnabledStrategies":false,"strategies":[]}');

/**
 * Selects every environment of a `features` row, or only the given one. The columns are `enabled`, `last_seen_at` and `text`, which
 * is the `FeatureEnvironment` as JSON. The `features` row must have a column `quoted` with its name as JSON. The strategies of all
 * environments are read together, because a scan and a sort per environment would cost more.
 */
export const selectEnvironments = (amount: ExpectedRows, environment?: string) => sql`
  select fe.enabled, seen.seen_at as last_seen_at,
    json_start || ${booleanField('enabled', sql`fe.enabled`)} || ',"featureName":' || features.quoted
    || ',"variants":' || fe.variants || ',"variantCount":' || jsonb_array_length(fe.variants)
    || ${optionalJsonField('lastSeenAt', jsonTime(sql`seen.seen_at`))}
    || coalesce(strategies.fields, ${WITHOUT_STRATEGIES}) as text
  from feature_environments as fe join all_environments on all_environments.name = fe.environment
    left join feature_last_seen as seen
      on seen.feature_name = fe.feature_name and seen.environment = fe.environment
    left join (
      select environment, ',"hasStrategies":true' || ${booleanField('hasEnabledStrategies', sql`bool_or(not disabled)`)}
        || ',"strategies":[' || string_agg(text, ',') || ']}' as fields
      from (
        select environment, disabled, ${strategyText(amount)} as text from feature_strategies
        where feature_name = features.name
        order by environment, sort_order, created_at, id
      ) as strategy
      group by environment
    ) as strategies on strategies.environment = fe.environment
  where fe.feature_name = features.name
    and ${environment === undefined ? sql`true` : sql`fe.environment = ${environment}`}
  order by all_environments.sort_order, all_environments.name`;

const FEATURES = sql`(select *, to_json(name)::text as quoted from features) as features`;

/** Returns the features in all their environments, sorted by name. */
export async function listEnvironments(db: Reader, names: string[]): Promise<FeatureEnvironment[]> {
  const { rows } = await sql<{ text: string }>`
    with ${ALL_ENVIRONMENTS_CTE}
    select fe.text from ${FEATURES} cross join lateral (${selectEnvironments('few')}) as fe
    where features.name = any(${names}) order by features.name`.execute(db);
  return rows.map(({ text }) => JSON.parse(text));
}

/**
 * Returns the feature in an environment. The result is undefined if the project does not have the feature, and null if the feature
 * does not have the environment.
 */
export async function findEnvironment(
  db: Reader,
  { project, featureName, environment }: FeatureEnvironmentKey,
): Promise<FeatureEnvironment | null | undefined> {
  const { rows } = await sql<{ text: string | null }>`
    with ${ALL_ENVIRONMENTS_CTE}
    select fe.text from ${FEATURES} left join lateral (${selectEnvironments('few', environment)}) as fe on true
    where features.name = ${featureName} and features.project = ${project}`.execute(db);
  const [row] = rows;
  return row && (row.text === null ? null : JSON.parse(row.text));
}

/** Whether a feature is enabled in an environment, and how many strategies it has there. */
export type StrategyCounts = {
  featureName: string;
  enabled: boolean;
  strategies: number;
  enabledStrategies: number;
  /** -1 if there are no strategies. */
  lastSortOrder: number;
};

/** Counts the strategies of features in an environment. A feature that does not have the environment is omitted. */
export async function listStrategyCounts(
  db: Reader,
  names: string[],
  environment: string,
): Promise<StrategyCounts[]> {
  const { rows } = await sql<StrategyCounts>`
    select fe.feature_name as "featureName", fe.enabled, counts.*
    from feature_environments as fe cross join lateral (
      select count(*) as strategies, count(*) filter (where not disabled) as "enabledStrategies",
        coalesce(max(sort_order), -1) as "lastSortOrder"
      from feature_strategies
      where feature_name = fe.feature_name and feature_strategies.environment = fe.environment
    ) as counts
    where fe.feature_name = any(${names}) and fe.environment = ${environment}
    order by fe.feature_name`.execute(db);
  return rows;
}

/** Returns the names of all variants of a feature, in any environment; undefined if the project does not have the feature. */
export async function listVariantNames(
  db: Reader,
  project: string,
  featureName: string,
): Promise<string[] | undefined> {
  const { rows } = await sql<{ names: string[] }>`
    select array(
      select variant ->> 'name' from (
        select jsonb_array_elements(variants) as variant from feature_environments
        where feature_name = features.name
        union all
        select jsonb_array_elements(variants) from feature_strategies where feature_name = features.name
      ) as all_variants
    ) as names
    from features where name = ${featureName} and project = ${project}`.execute(db);
  return rows[0] && [...new Set(rows[0].names)].toSorted();
}

/** When an SDK last requested the feature in a `features` row, in any environment. */
export const LAST_SEEN_AT = sql`(
  select max(seen_at) from feature_last_seen where feature_name = features.name
)`;

export async function setEnabled(
  tx: Tx,
  names: string[],
  environment: string,
  enabled: boolean,
): Promise<void> {
  await tx
    .updateTable('feature_environments')
    .set({ enabled })
    .where('feature_name', '=', matchAny(names))
    .where('environment', '=', environment)
    .execute();
}

/** Disables those of the given features that are enabled but have no enabled strategy, and returns their names. */
export async function disableFeaturesWithoutEnabledStrategy(
  tx: Tx,
  names: string[],
  environment: string,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    update feature_environments as fe set enabled = false
    where fe.feature_name = any(${names}) and fe.environment = ${environment} and fe.enabled
      and not exists (
        select from feature_strategies as strategy
        where strategy.feature_name = fe.feature_name and strategy.environment = fe.environment
          and not strategy.disabled
      )
    returning fe.feature_name as name`.execute(tx);
  return rows.map(({ name }) => name);
}

export async function updateVariants(
  tx: Tx,
  rows: { featureName: string; environment: string; variants: Variant[] }[],
): Promise<void> {
  await sql`
    update feature_environments set variants = given.variants
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (
      "featureName" text, environment text, variants jsonb)
    where feature_name = "featureName" and feature_environments.environment = given.environment`.execute(tx);
}

export async function findDefaultStrategy(
  db: Reader,
  project: string,
  environment: string,
): Promise<object | null> {
  const row = await db
    .selectFrom('project_environments')
    .select('default_strategy')
    .where('project_id', '=', project)
    .where('environment_name', '=', environment)
    .executeTakeFirst();
  return (row?.default_strategy ?? null) as object | null;
}

export type StrategyFields = Omit<FeatureStrategy, 'id' | 'featureName'>;

/**
 * Adds strategies to any number of features in one statement. Strategies with the same sort order keep the order of the list,
 * because each strategy is created a microsecond after the previous one. A strategy without an id gets one.
 */
export async function insertStrategies(
  tx: Tx,
  environment: string,
  strategies: (Omit<FeatureStrategy, 'id'> & { id?: string })[],
): Promise<FeatureStrategy[]> {
  const rows = strategies.map(strategy => ({ ...strategy, id: strategy.id ?? randomUUID() }));
  await sql`
    with given as materialized (
      select * from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (
        id uuid, "featureName" text, name text, title text, disabled boolean, "sortOrder" integer,
        parameters jsonb, constraints jsonb, variants jsonb, segments jsonb
      )) with ordinality as listed
    ), added as (
      insert into feature_strategies (id, feature_name, environment, strategy_name, title, disabled, sort_order,
        parameters, constraints, variants, created_at)
      select id, "featureName", ${environment}, name, title, disabled, "sortOrder", parameters, constraints, variants,
        now() + ordinality * interval '1 microsecond'
      from given
    )
    insert into feature_strategy_segments (strategy_id, segment_id)
    select id, segment::integer from given, jsonb_array_elements(segments) as segment`.execute(tx);
  return rows;
}

/** A strategy to copy, and the id, feature, environment and groupId of the copy; null keeps the strategy's groupId. */
export type StrategyCopy = {
  copyOf: string;
  id: string;
  featureName: string;
  environment: string;
  groupId: string | null;
};

/**
 * Copies any number of strategies to any number of features and environments in one statement, without reading their content into
 * the server. As in `insertStrategies`, the copies keep the order of the list.
 */
export async function copyStrategies(tx: Tx, copies: StrategyCopy[]): Promise<void> {
  await sql`
    with given as materialized (
      select * from rows from (jsonb_to_recordset(${JSON.stringify(copies)}::jsonb) as (
        "copyOf" uuid, id uuid, "featureName" text, environment text, "groupId" text
      )) with ordinality as listed
    ), added as (
      insert into feature_strategies (id, feature_name, environment, strategy_name, title, disabled, sort_order,
        parameters, constraints, variants, created_at)
      select given.id, "featureName", given.environment, strategy_name, title, disabled, sort_order,
        case when parameters ? 'groupId' and "groupId" is not null
          then parameters || jsonb_build_object('groupId', "groupId") else parameters end,
        constraints, variants, now() + ordinality * interval '1 microsecond'
      from given join feature_strategies as source on source.id = "copyOf"
    )
    insert into feature_strategy_segments (strategy_id, segment_id)
    select given.id, segment_id from given
    join feature_strategy_segments on strategy_id = "copyOf"`.execute(tx);
}

/** Replaces any number of strategies and their segments in one statement. */
export async function updateStrategies(tx: Tx, strategies: FeatureStrategy[]): Promise<void> {
  await sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(strategies)}::jsonb) as (
        id uuid, name text, title text, disabled boolean, "sortOrder" integer,
        parameters jsonb, constraints jsonb, variants jsonb, segments jsonb
      )
    ), updated as (
      update feature_strategies set strategy_name = given.name, title = given.title, disabled = given.disabled,
        sort_order = given."sortOrder", parameters = given.parameters, constraints = given.constraints,
        variants = given.variants
      from given where feature_strategies.id = given.id
    ), removed_segments as (
      delete from feature_strategy_segments using given
      where strategy_id = given.id and not segments @> to_jsonb(segment_id)
    )
    insert into feature_strategy_segments (strategy_id, segment_id)
    select given.id, segment::integer from given, jsonb_array_elements(segments) as segment
    on conflict do nothing`.execute(tx);
}

export async function deleteStrategies(tx: Tx, ids: string[]): Promise<void> {
  await sql`delete from feature_strategies where id = any(${ids})`.execute(tx);
}

export async function updateStrategyOrder(tx: Tx, order: { id: string; sortOrder: number }[]): Promise<void> {
  await sql`
    update feature_strategies set sort_order = given."sortOrder"
    from jsonb_to_recordset(${JSON.stringify(order)}::jsonb) as given (id uuid, "sortOrder" integer)
    where feature_strategies.id = given.id`.execute(tx);
}

/** Returns the name of the feature that has the strategy in this project and environment. */
export async function findFeatureOfStrategy(
  db: Reader,
  project: string,
  environment: string,
  strategyId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select features.name from feature_strategies join features on features.name = feature_name
    where feature_strategies.id = ${strategyId} and environment = ${environment}
      and project = ${project}`.execute(db);
  return rows[0]?.name;
}
