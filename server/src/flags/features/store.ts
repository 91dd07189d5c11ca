import { sql } from 'kysely';
import { isInReadableProject } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { matchAny } from '../../platform/db/match-any.ts';
import { selectPerson } from '../../record/actor-names.ts';
import type { FeatureRow } from '../feature-rows/schema.ts';
import { selectTags } from '../feature-rows/tags.ts';
import type { Tag } from '../tags/schema.ts';

const MAX_COUNT_ROWS = 100;

/** The creator of the feature in a `features` row. */
export const CREATED_BY = sql`case when features.created_by_user_id is not null
  then ${selectPerson(sql`features.created_by_user_id`)} end`;

export type TargetProject = {
  featureLimit: number | null;
  namingPattern: string | null;
  namingExample: string | null;
  namingDescription: string | null;
  defaultStickiness: string;
  archived: boolean;
  activeFeatures: number;
};

/** Locks the project, so that two transactions cannot both add the last feature that its limit allows. */
export async function lockTargetProject(tx: Tx, id: string): Promise<TargetProject | undefined> {
  await sql`select from projects where id = ${id} for no key update`.execute(tx);
  return await findTargetProject(tx, id);
}

export async function findTargetProject(db: Reader, id: string): Promise<TargetProject | undefined> {
  const { rows } = await sql<TargetProject>`
    select feature_limit as "featureLimit", naming_pattern as "namingPattern", naming_example as "namingExample",
      naming_description as "namingDescription", default_stickiness as "defaultStickiness",
      archived_at is not null as archived,
      case when feature_limit is null then 0 else (
        select count(*) from features where project = projects.id and features.archived_at is null
      ) end as "activeFeatures"
    from projects where id = ${id}`.execute(db);
  return rows[0];
}

/**
 * Counts the active features of the instance. This takes no lock, so concurrent requests do not see each other's features and can
 * together exceed the instance limit. Every change to the number adds a row to `active_feature_counts`. When there are many rows,
 * those that no other transaction has locked are merged into one.
 */
export async function countActiveInInstance(tx: Tx): Promise<number> {
  const { rows } = await sql<{ features: number; rows: number }>`
    select coalesce(sum(features), 0)::integer as features, count(*) as rows
    from active_feature_counts`.execute(tx);
  const [counts = { features: 0, rows: 0 }] = rows;
  if (counts.rows > MAX_COUNT_ROWS) await mergeCounts(tx);
  return counts.features;
}

async function mergeCounts(tx: Tx): Promise<void> {
  await sql`
    with merged as (
      delete from active_feature_counts
      where ctid = any(array(select ctid from active_feature_counts for update skip locked))
      returning features
    )
    insert into active_feature_counts select coalesce(sum(features), 0) from merged`.execute(tx);
}

export type NewFeatureRow = Pick<FeatureRow, 'name' | 'type' | 'impressionData'> & {
  description: string | null;
};

export async function isFeatureType(db: Reader, type: string): Promise<boolean> {
  const row = await db.selectFrom('feature_types').select('id').where('id', '=', type).executeTakeFirst();
  return row !== undefined;
}

/**
 * Inserts features, disabled in every environment of the project, and returns their creation times by name. Skips taken names: a
 * violated constraint would abort the transaction, which still has to look up the feature that has the name.
 */
export async function insertFeatures(
  tx: Tx,
  project: string,
  features: NewFeatureRow[],
  createdByUserId: number,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; createdAt: string }>`
    insert into features (name, project, type, description, impression_data, created_by_user_id)
    select name, ${project}, type, description, "impressionData", ${createdByUserId}::integer
    from jsonb_to_recordset(${JSON.stringify(features)}::jsonb) as given (
      name text, type text, description text, "impressionData" boolean)
    order by name
    on conflict (name) do nothing
    returning name, created_at as "createdAt"`.execute(tx);
  await sql`
    insert into feature_environments (feature_name, environment)
    select name, environment_name from unnest(${rows.map(row => row.name)}::text[]) as name, project_environments
    where project_id = ${project}`.execute(tx);
  return new Map(rows.map(row => [row.name, row.createdAt]));
}

export async function projectRequiresComment(db: Reader, project: string): Promise<boolean> {
  const row = await db
    .selectFrom('projects')
    .select('require_comment')
    .where('id', '=', project)
    .executeTakeFirst();
  return row?.require_comment === true;
}

/** Locks the two projects of a move in the order of their ids, so that no two moves deadlock. */
export async function lockProjectsForMove(
  tx: Tx,
  sourceProject: string,
  targetProject: string,
): Promise<void> {
  await sql`
    select from projects where id = any(${[sourceProject, targetProject]})
    order by id for no key update`.execute(tx);
}

/**
 * Locks the environments of a locked project, so that none can be deleted until the transaction ends. They are locked before
 * features because deleting an environment uses the same order.
 */
export async function lockEnvironmentsForMove(tx: Tx, project: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select environments.name from project_environments join environments on environments.name = environment_name
    where project_id = ${project} order by environments.name for key share of environments`.execute(tx);
  return rows.map(row => row.name);
}

/** Moves the feature to a different project, removes it from some environments, and adds it to others, where it is disabled. */
export async function moveToProject(
  tx: Tx,
  name: string,
  project: string,
  { removed, added }: { removed: string[]; added: string[] },
): Promise<void> {
  await sql`
    with moved as (
      update features set project = ${project} where name = ${name}
    ), removed as (
      delete from feature_environments where feature_name = ${name} and environment = any(${removed})
    )
    insert into feature_environments (feature_name, environment)
    select ${name}, unnest(${added}::text[])`.execute(tx);
}

export type FeatureFields = Pick<FeatureRow, 'name' | 'type' | 'description' | 'impressionData' | 'stale'>;

export async function updateFeatures(tx: Tx, features: FeatureFields[]): Promise<void> {
  await sql`
    update features set type = given.type, description = given.description,
      impression_data = given."impressionData", stale = given.stale
    from jsonb_to_recordset(${JSON.stringify(features)}::jsonb) as given (
      name text, type text, description text, "impressionData" boolean, stale boolean)
    where features.name = given.name`.execute(tx);
}

export async function setStale(tx: Tx, names: string[], stale: boolean): Promise<void> {
  await tx.updateTable('features').set({ stale }).where('name', '=', matchAny(names)).execute();
}

export async function setArchived(tx: Tx, names: string[], archived: boolean): Promise<void> {
  await tx
    .updateTable('features')
    .set({ archived_at: archived ? sql<string>`now()` : null })
    .where('name', '=', matchAny(names))
    .execute();
}

/** Disables the features in every environment, and returns where they were enabled, in the order of the environments. */
export async function disableEverywhere(
  tx: Tx,
  names: string[],
): Promise<{ featureName: string; environment: string }[]> {
  const { rows } = await sql<{ featureName: string; environment: string }>`
    with disabled as (
      update feature_environments set enabled = false where feature_name = any(${names}) and enabled
      returning feature_name, environment
    )
    select feature_name as "featureName", environment from disabled join environments on name = environment
    order by feature_name, sort_order, name`.execute(tx);
  return rows;
}

/** A deleted feature as its event contains it. */
export type DeletedFeature = Omit<FeatureRow, 'description'> & { description: string | null; tags: Tag[] };

const DELETED_COLUMNS = sql`
  name, type, description, project, stale, impression_data as "impressionData",
  archived_at is not null as archived, created_at as "createdAt", ${selectTags(sql`features.name`)} as tags`;

export async function deleteFeatures(tx: Tx, names: string[]): Promise<DeletedFeature[]> {
  const { rows } = await sql<DeletedFeature>`
    with deleted as (delete from features where name = any(${names}) returning ${DELETED_COLUMNS})
    select * from deleted order by name`.execute(tx);
  await deleteLastSeen(tx, names);
  return rows;
}

/** Locks the features first and deletes them in a second statement, which sees tags that a concurrent transaction attached. */
export async function deleteProjectFeatures(tx: Tx, project: string): Promise<DeletedFeature[]> {
  await sql`select from features where project = ${project} order by name for update`.execute(tx);
  const { rows } = await sql<DeletedFeature>`
    with deleted as (delete from features where project = ${project} returning ${DELETED_COLUMNS})
    select * from deleted order by name`.execute(tx);
  await deleteLastSeen(
    tx,
    rows.map(({ name }) => name),
  );
  return rows;
}

/** Deletes the last-seen times of deleted features. Locks the rows in the order in which metrics are written. */
async function deleteLastSeen(tx: Tx, names: string[]): Promise<void> {
  await sql`
    delete from feature_last_seen where (feature_name, environment) in (
      select feature_name, environment from feature_last_seen where feature_name = any(${names})
      order by feature_name, environment for update
    )`.execute(tx);
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

/** A taken name, and the project of the feature that has it, if the actor may read that project. */
export type TakenName = { name: string; project: string | null; archived: boolean };

export async function listTakenNames(db: Reader, actor: Actor, names: string[]): Promise<TakenName[]> {
  const { rows } = await sql<TakenName>`
    select name, case when ${isInReadableProject(actor)} then project end as project, archived_at is not null as archived
    from features where name = any(${names}) order by name`.execute(db);
  return rows;
}
