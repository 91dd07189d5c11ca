import { sql } from 'kysely';
import { isInReadableProject, isReadable } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { PlannedCopy } from './schema.ts';

/**
 * Locks the tags of the features against deletion. Called before features are locked, because deleting a tag locks the tag first.
 */
export async function lockTagsShared(tx: Tx, features: string[]): Promise<void> {
  await sql`
    select from tags
    where (type, value) in (select type, value from feature_tags where feature_name = any(${features}))
    order by type, value for key share`.execute(tx);
}

/** Locks the environments of the project against deletion and returns their names. */
export async function lockEnvironmentsShared(tx: Tx, project: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from environments
    where name in (select environment_name from project_environments where project_id = ${project})
    order by name for key share`.execute(tx);
  return rows.map(row => row.name);
}

/**
 * Locks features and their parents until the transaction ends, and returns the project of each. Other transactions may still read
 * and copy these features. A single statement locks all of them in the order of their names, so that transactions that lock several
 * features do not deadlock.
 */
export async function lockFeaturesShared(tx: Tx, names: string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; project: string }>`
    select name, project from features
    where name = any(array(
      select unnest(${names}::text[]) union select parent from feature_dependencies where child = any(${names})
    ))
    order by name for share`.execute(tx);
  return new Map(rows.map(row => [row.name, row.project]));
}

/**
 * Inserts the features in the order of their names, so that two clones with the same names do not deadlock. Returns the creation
 * time of each.
 */
export async function insertCopies(
  tx: Tx,
  copies: PlannedCopy[],
  createdByUserId: number,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; createdAt: string }>`
    insert into features (name, project, type, description, impression_data, created_by_user_id, cloned_from,
      cloned_from_project)
    select name, project, type, description, "impressionData", ${createdByUserId}, source ->> 'feature', source ->> 'project'
    from jsonb_to_recordset(${JSON.stringify(copies)}::jsonb) as copy (
      name text, project text, type text, description text, "impressionData" boolean, source jsonb)
    order by name
    returning name, created_at as "createdAt"`.execute(tx);
  return new Map(rows.map(row => [row.name, row.createdAt]));
}

export type VariantsRow = { featureName: string; environment: string; variants: object[] };

/** Adds the features to every environment of their project, disabled, with their variants. */
export async function insertEnvironments(tx: Tx, names: string[], variants: VariantsRow[]): Promise<void> {
  await sql`
    insert into feature_environments (feature_name, environment, variants)
    select features.name, environment_name, coalesce(planned.variants, '[]')
    from features join project_environments on project_id = features.project
      left join jsonb_to_recordset(${JSON.stringify(variants)}::jsonb) as planned (
        "featureName" text, environment text, variants jsonb
      ) on "featureName" = features.name and planned.environment = environment_name
    where features.name = any(${names})`.execute(tx);
}

/** Returns the source of each feature that is a copy. */
export async function listOrigins(db: Reader, names: string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; origin: string }>`
    select name, cloned_from as origin from features
    where name = any(${names}) and cloned_from is not null`.execute(db);
  return new Map(rows.map(row => [row.name, row.origin]));
}

/**
 * Returns the names of a feature's newest copies and the number of all its copies, in projects that the actor may read. A copy that
 * is older than the feature was cloned from a deleted feature with the same name.
 */
export async function listCopies(
  db: Reader,
  actor: Actor,
  source: string,
  limit: number,
): Promise<{ names: string[]; total: number }> {
  const { rows } = await sql<{ name: string; total: number }>`
    select name, count(*) over ()::int as total from features
    where cloned_from = ${source} and ${isInReadableProject(actor)}
      and created_at > (select created_at from features as source where source.name = ${source})
      and not exists (select from projects where projects.id = cloned_from_project and not ${isReadable(actor)})
    order by created_at desc, name limit ${limit}`.execute(db);
  return { names: rows.map(row => row.name), total: rows[0]?.total ?? 0 };
}
