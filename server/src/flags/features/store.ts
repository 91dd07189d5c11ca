import { sql } from 'kysely';
import { ofReadableProject } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import { anyOf } from '../../platform/db/any-of.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { PREPARED } from '../../platform/db/prepared-statements.ts';
import { personOf } from '../../record/actor-names.ts';
import { tagsOf } from '../../record/feature-tags.ts';
import { CHILDREN } from '../dependencies/store.ts';
import type { Feature } from './schema.ts';
import { featureTexts } from './text/store.ts';

const MOST_COUNT_ROWS = 100;

/** Who created `features`. */
export const CREATED_BY = sql`case when features.created_by_user_id is not null
  then ${personOf(sql`features.created_by_user_id`)} end`;

const parsed = (rows: { feature: string }[]): Feature[] => rows.map(({ feature }) => JSON.parse(feature));

/** One statement, whatever the feature is made of. */
export async function findFeature(
  db: Reader,
  actor: Actor,
  project: string,
  name: string,
): Promise<Feature | undefined> {
  const where = sql`name = ${name} and project = ${project}`;
  const { rows } = await sql<{ feature: string }>`
    select ${PREPARED} feature from (${featureTexts(actor, where, 'few')}) as found`.execute(db);
  return parsed(rows)[0];
}

/** Those of the features that the project has, by name. */
export async function listNamedFeatures(
  db: Reader,
  actor: Actor,
  project: string,
  names: string[],
): Promise<Feature[]> {
  const where = sql`name = any(${names}) and project = ${project}`;
  const { rows } = await sql<{ feature: string }>`
    select ${PREPARED} feature from (${featureTexts(actor, where, 'few')}) as found order by name`.execute(
    db,
  );
  return parsed(rows);
}

/** Those of the features that are in a project the actor may read, whichever it is, by name. */
export async function listReadableFeatures(db: Reader, actor: Actor, names: string[]): Promise<Feature[]> {
  const where = sql`name = any(${names}) and ${ofReadableProject(actor)}`;
  const { rows } = await sql<{ feature: string }>`
    ${featureTexts(actor, where, 'few')} order by name`.execute(db);
  return parsed(rows);
}

/**
 * Keeps features and their parents as they are until the transaction ends, and lets others read and copy them too. All in
 * one order: what is to depend on the parents needs them, and others take both. Returns the project of each.
 */
export async function shareFeatures(tx: Tx, names: string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; project: string }>`
    select name, project from features
    where name = any(array(
      select unnest(${names}::text[]) union select parent from feature_dependencies where child = any(${names})
    ))
    order by name for share`.execute(tx);
  return new Map(rows.map(row => [row.name, row.project]));
}

/** Features of the project, kept from changing until the transaction ends; always in one order, so nobody deadlocks. */
export async function lockFeatures(
  tx: Tx,
  actor: Actor,
  project: string,
  names: string[],
): Promise<Feature[]> {
  await sql`
    select from features where name = any(${names}) and project = ${project} order by name for update`.execute(
    tx,
  );
  return await listNamedFeatures(tx, actor, project, names);
}

/** What depends on the features of these names, and whether they depend on others. */
export async function listTies(
  db: Reader,
  project: string,
  names: string[],
): Promise<{ name: string; children: string[]; hasParents: boolean }[]> {
  const { rows } = await sql<{ name: string; children: string[]; hasParents: boolean }>`
    select name, ${CHILDREN} as children,
      exists (select from feature_dependencies where child = features.name) as "hasParents"
    from features where name = any(${names}) and project = ${project} order by name`.execute(db);
  return rows;
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
  return await findReceivingProject(tx, id);
}

export async function findReceivingProject(db: Reader, id: string): Promise<ReceivingProject | undefined> {
  const { rows } = await sql<ReceivingProject>`
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
 * How many features are active in the instance. It takes no lock: requests that add features at the same time do not see
 * each other and may go beyond the limit of the instance together, by as many as run at once. Every change adds a row;
 * when there are many, those that no other transaction holds are folded into one.
 */
export async function countActiveInInstance(tx: Tx): Promise<number> {
  const { rows } = await sql<{ features: number; rows: number }>`
    select coalesce(sum(features), 0)::integer as features, count(*) as rows from active_feature_counts`.execute(
    tx,
  );
  const [counted = { features: 0, rows: 0 }] = rows;
  if (counted.rows > MOST_COUNT_ROWS) await foldCounts(tx);
  return counted.features;
}

async function foldCounts(tx: Tx): Promise<void> {
  await sql`
    with folded as (
      delete from active_feature_counts
      where ctid = any(array(select ctid from active_feature_counts for update skip locked))
      returning features
    )
    insert into active_feature_counts select coalesce(sum(features), 0) from folded`.execute(tx);
}

export type NewFeatureRow = Pick<Feature, 'name' | 'type' | 'impressionData'> & {
  description: string | null;
};

/** Inserts features, switched off in every environment of their project; returns when each was created, by name. */
export async function isFeatureType(db: Reader, type: string): Promise<boolean> {
  const found = await db.selectFrom('feature_types').select('id').where('id', '=', type).executeTakeFirst();
  return found !== undefined;
}

export async function insertFeatures(
  tx: Tx,
  project: string,
  features: NewFeatureRow[],
  createdByUserId: number,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; createdAt: string }>`
    insert into features (name, project, type, description, impression_data, created_by_user_id)
    select name, ${project}, type, description, "impressionData", ${createdByUserId}::integer
    from jsonb_to_recordset(${JSON.stringify(features)}::jsonb) as wanted (
      name text, type text, description text, "impressionData" boolean)
    order by name
    returning name, created_at as "createdAt"`.execute(tx);
  await sql`
    insert into feature_environments (feature_name, environment)
    select name, environment_name from unnest(${rows.map(row => row.name)}::text[]) as name, project_environments
    where project_id = ${project}`.execute(tx);
  return new Map(rows.map(row => [row.name, row.createdAt]));
}

/** The two projects of a move, always locked in one order, so that nobody deadlocks. */
export async function lockProjectsOfMove(tx: Tx, from: string, to: string): Promise<void> {
  await sql`
    select from projects where id = any(${[from, to]}) order by id for no key update`.execute(tx);
}

/**
 * The environments of a project that is held; none of them goes until the transaction ends. They are locked before
 * features, as by whoever deletes an environment.
 */
export async function lockEnvironmentsOf(tx: Tx, project: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select environments.name from project_environments join environments on environments.name = environment_name
    where project_id = ${project} order by environments.name for key share of environments`.execute(tx);
  return rows.map(row => row.name);
}

/** Gives the feature to another project, takes its places in some environments and adds others, switched off. */
export async function moveTo(
  tx: Tx,
  name: string,
  project: string,
  { leaving, joining }: { leaving: string[]; joining: string[] },
): Promise<void> {
  await sql`
    with moved as (
      update features set project = ${project} where name = ${name}
    ), left_behind as (
      delete from feature_environments where feature_name = ${name} and environment = any(${leaving})
    )
    insert into feature_environments (feature_name, environment)
    select ${name}, unnest(${joining}::text[])`.execute(tx);
}

export type FeatureFields = Pick<Feature, 'name' | 'type' | 'description' | 'impressionData' | 'stale'>;

export async function updateFeatures(tx: Tx, features: FeatureFields[]): Promise<void> {
  await sql`
    update features set type = wanted.type, description = wanted.description,
      impression_data = wanted."impressionData", stale = wanted.stale
    from jsonb_to_recordset(${JSON.stringify(features)}::jsonb) as wanted (
      name text, type text, description text, "impressionData" boolean, stale boolean)
    where features.name = wanted.name`.execute(tx);
}

export async function setStale(tx: Tx, names: string[], stale: boolean): Promise<void> {
  await tx.updateTable('features').set({ stale }).where('name', '=', anyOf(names)).execute();
}

/** A revived feature is off everywhere: nothing comes back on by itself. */
export async function setArchived(tx: Tx, names: string[], archived: boolean): Promise<void> {
  await tx
    .updateTable('features')
    .set({ archived_at: archived ? sql<string>`now()` : null })
    .where('name', '=', anyOf(names))
    .execute();
  if (!archived) {
    await tx
      .updateTable('feature_environments')
      .set({ enabled: false })
      .where('feature_name', '=', anyOf(names))
      .execute();
  }
}

export async function deleteFeatures(tx: Tx, names: string[]): Promise<void> {
  await tx.deleteFrom('features').where('name', '=', anyOf(names)).execute();
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

/** Returns what was deleted, as events tell it. Locked first: a tag that is just being attached is seen then. */
export async function deleteFeaturesOfProject(
  tx: Tx,
  project: string,
): Promise<{ name: string; tags: Feature['tags'] }[]> {
  await sql`select from features where project = ${project} order by name for update`.execute(tx);
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
      tagsOf(sql`features.name`).as('tags'),
    ])
    .execute();
}

/** Those of the names that a feature has, archived or not. */
export async function listTakenNames(db: Reader, names: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from features where name = any(${names}) order by name`.execute(db);
  return rows.map(row => row.name);
}

export async function isNameTaken(db: Reader, name: string): Promise<boolean> {
  return (
    (await db.selectFrom('features').select('name').where('name', '=', name).executeTakeFirst()) !== undefined
  );
}
