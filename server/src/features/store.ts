import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from '../db/database.ts';
import { nameOfUser } from '../users/store.ts';
import type { Feature, FeatureStrategy } from './schema.ts';

/** jsonb writes times in its own way; the API has milliseconds and a Z everywhere. */
const iso = (column: RawBuilder<unknown>) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const STRATEGY = sql`jsonb_build_object(
  'id', strategy.id, 'name', strategy.strategy_name, 'title', strategy.title, 'disabled', strategy.disabled,
  'featureName', strategy.feature_name, 'sortOrder', strategy.sort_order,
  'parameters', strategy.parameters, 'constraints', strategy.constraints, 'variants', strategy.variants,
  'segments', array(
    select segment_id from feature_strategy_segments where strategy_id = strategy.id order by segment_id
  ))`;

const IN_ORDER = sql`strategy.sort_order, strategy.created_at, strategy.id`;

const ENVIRONMENTS = sql`coalesce((
  select jsonb_agg(jsonb_build_object(
      'name', environments.name, 'environment', environments.name, 'featureName', here.feature_name,
      'type', environments.type, 'enabled', here.enabled, 'sortOrder', environments.sort_order,
      'variants', here.variants, 'variantCount', jsonb_array_length(here.variants),
      'lastSeenAt', ${iso(sql`here.last_seen_at`)},
      'strategies', strategies.list,
      'hasStrategies', strategies.list <> '[]',
      'hasEnabledStrategies', strategies.any_enabled
    ) order by environments.sort_order, environments.name)
  from feature_environments as here
    join environments on environments.name = here.environment
    cross join lateral (
      select coalesce(jsonb_agg(${STRATEGY} order by ${IN_ORDER}), '[]') as list,
        coalesce(bool_or(not strategy.disabled), false) as any_enabled
      from feature_strategies as strategy
      where strategy.feature_name = here.feature_name and strategy.environment = here.environment
    ) as strategies
  where here.feature_name = features.name
), '[]')`;

const FEATURE = sql`
  features.name, features.type, features.description, features.project, features.stale,
  features.impression_data as "impressionData",
  features.archived_at is not null as archived, features.archived_at as "archivedAt",
  features.created_at as "createdAt",
  case when features.created_by_user_id is not null then jsonb_build_object(
    'id', features.created_by_user_id,
    'name', ${nameOfUser(sql`features.created_by_user_id`)}
  ) end as "createdBy",
  exists (select from feature_environments where feature_name = features.name and enabled) as enabled,
  ${ENVIRONMENTS} as environments`;

/** One statement, whatever the feature is made of. */
export async function findFeature(db: Reader, project: string, name: string): Promise<Feature | undefined> {
  const { rows } = await sql<Feature>`
    select ${FEATURE} from features where name = ${name} and project = ${project}`.execute(db);
  return rows[0];
}

export async function listFeatures(db: Reader, project: string): Promise<Feature[]> {
  const { rows } = await sql<Feature>`
    select ${FEATURE} from features where project = ${project} and archived_at is null order by name`.execute(
    db,
  );
  return rows;
}

/** Features of the project, kept from changing until the transaction ends; always in one order, so nobody deadlocks. */
export async function lockFeatures(tx: Tx, project: string, names: string[]): Promise<Feature[]> {
  await sql`
    select from features where name = any(${names}) and project = ${project} order by name for update`.execute(
    tx,
  );
  const { rows } = await sql<Feature>`
    select ${FEATURE} from features where name = any(${names}) and project = ${project} order by name`.execute(
    tx,
  );
  return rows;
}

export async function lockFeature(tx: Tx, project: string, name: string): Promise<Feature | undefined> {
  return (await lockFeatures(tx, project, [name]))[0];
}

export type ReceivingProject = {
  featureLimit: number | null;
  namingPattern: string | null;
  namingExample: string | null;
  namingDescription: string | null;
  defaultStickiness: string;
  archived: boolean;
  activeFeatures: number;
};

/** What a project asks of a feature that comes into it. Locked, so that two cannot both take the last place. */
export async function lockReceivingProject(tx: Tx, id: string): Promise<ReceivingProject | undefined> {
  await sql`select from projects where id = ${id} for no key update`.execute(tx);
  const { rows } = await sql<ReceivingProject>`
    select feature_limit as "featureLimit", naming_pattern as "namingPattern", naming_example as "namingExample",
      naming_description as "namingDescription", default_stickiness as "defaultStickiness",
      archived_at is not null as archived,
      case when feature_limit is null then 0 else (
        select count(*) from features where project = projects.id and features.archived_at is null
      ) end as "activeFeatures"
    from projects where id = ${id}`.execute(tx);
  return rows[0];
}

export type NewFeatureRow = {
  name: string;
  project: string;
  type: string;
  description: string | null;
  impressionData: boolean;
  createdByUserId: number;
};

/** Inserts the feature, switched off in every environment of its project. */
export async function insertFeature(tx: Tx, feature: NewFeatureRow): Promise<void> {
  await tx
    .insertInto('features')
    .values({
      name: feature.name,
      project: feature.project,
      type: feature.type,
      description: feature.description,
      impression_data: feature.impressionData,
      created_by_user_id: feature.createdByUserId,
    })
    .execute();
  await sql`
    insert into feature_environments (feature_name, environment)
    select ${feature.name}, environment_name from project_environments where project_id = ${feature.project}`.execute(
    tx,
  );
}

export async function updateFeature(
  tx: Tx,
  name: string,
  fields: Pick<Feature, 'type' | 'description' | 'impressionData' | 'stale'>,
): Promise<void> {
  await tx
    .updateTable('features')
    .set({
      type: fields.type,
      description: fields.description,
      impression_data: fields.impressionData,
      stale: fields.stale,
    })
    .where('name', '=', name)
    .execute();
}

export async function setStale(tx: Tx, names: string[], stale: boolean): Promise<void> {
  await tx.updateTable('features').set({ stale }).where('name', 'in', names).execute();
}

/** A revived feature is off everywhere: nothing comes back on by itself. */
export async function setArchived(tx: Tx, names: string[], archived: boolean): Promise<void> {
  await tx
    .updateTable('features')
    .set({ archived_at: archived ? sql<string>`now()` : null })
    .where('name', 'in', names)
    .execute();
  if (!archived) {
    await tx
      .updateTable('feature_environments')
      .set({ enabled: false })
      .where('feature_name', 'in', names)
      .execute();
  }
}

export async function deleteFeatures(tx: Tx, names: string[]): Promise<void> {
  await tx.deleteFrom('features').where('name', 'in', names).execute();
}

export async function countActiveFeatures(db: Reader, project: string): Promise<number> {
  const { count } = await db
    .selectFrom('features')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('project', '=', project)
    .where('archived_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns what was deleted, as events tell it. */
export async function deleteFeaturesOfProject(tx: Tx, project: string): Promise<{ name: string }[]> {
  return await tx
    .deleteFrom('features')
    .where('project', '=', project)
    .returning([
      'name',
      'type',
      'description',
      'project',
      'stale',
      'impression_data as impressionData',
      'created_at as createdAt',
      sql<boolean>`archived_at is not null`.as('archived'),
    ])
    .execute();
}

export async function isNameTaken(db: Reader, name: string): Promise<boolean> {
  return (
    (await db.selectFrom('features').select('name').where('name', '=', name).executeTakeFirst()) !== undefined
  );
}

export async function setEnabled(
  tx: Tx,
  names: string[],
  environment: string,
  enabled: boolean,
): Promise<void> {
  await tx
    .updateTable('feature_environments')
    .set({ enabled })
    .where('feature_name', 'in', names)
    .where('environment', '=', environment)
    .execute();
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

/** Adds strategies, to one feature or to many, in one statement. */
export async function insertStrategies(
  tx: Tx,
  environment: string,
  strategies: Omit<FeatureStrategy, 'id'>[],
): Promise<FeatureStrategy[]> {
  const rows = strategies.map(strategy => ({ id: randomUUID(), ...strategy }));
  await sql`
    with wanted as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (
        id uuid, "featureName" text, name text, title text, disabled boolean, "sortOrder" integer,
        parameters jsonb, constraints jsonb, variants jsonb, segments jsonb)
    ), added as (
      insert into feature_strategies (id, feature_name, environment, strategy_name, title, disabled, sort_order,
        parameters, constraints, variants)
      select id, "featureName", ${environment}, name, title, disabled, "sortOrder", parameters, constraints, variants
      from wanted
    )
    insert into feature_strategy_segments (strategy_id, segment_id)
    select id, segment::integer from wanted, jsonb_array_elements(segments) as segment`.execute(tx);
  return rows;
}

export async function updateStrategy(tx: Tx, id: string, strategy: StrategyFields): Promise<void> {
  await tx.updateTable('feature_strategies').set(strategyColumns(strategy)).where('id', '=', id).execute();
  await replaceSegments(tx, id, strategy.segments);
}

const strategyColumns = (strategy: StrategyFields) => ({
  strategy_name: strategy.name,
  title: strategy.title,
  disabled: strategy.disabled,
  sort_order: strategy.sortOrder,
  parameters: JSON.stringify(strategy.parameters),
  constraints: JSON.stringify(strategy.constraints),
  variants: JSON.stringify(strategy.variants),
});

async function replaceSegments(tx: Tx, strategyId: string, segments: number[]): Promise<void> {
  await sql`
    with gone as (
      delete from feature_strategy_segments
      where strategy_id = ${strategyId} and not segment_id = any(${segments})
    )
    insert into feature_strategy_segments (strategy_id, segment_id)
    select ${strategyId}::uuid, unnest(${segments}::integer[])
    on conflict do nothing`.execute(tx);
}

export async function deleteStrategy(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('feature_strategies').where('id', '=', id).execute();
}

export async function updateStrategyOrder(tx: Tx, order: { id: string; sortOrder: number }[]): Promise<void> {
  await sql`
    update feature_strategies set sort_order = wanted."sortOrder"
    from jsonb_to_recordset(${JSON.stringify(order)}::jsonb) as wanted (id uuid, "sortOrder" integer)
    where feature_strategies.id = wanted.id`.execute(tx);
}
