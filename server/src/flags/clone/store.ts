import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { PlannedCopy } from './schema.ts';

/** Keeps the tags of the features from being deleted until the transaction ends. Before features: who deletes a tag locks it first. */
export async function lockTagsOf(tx: Tx, features: string[]): Promise<void> {
  await sql`
    select from tags
    where (type, value) in (select type, value from feature_tags where feature_name = any(${features}))
    order by type, value for key share`.execute(tx);
}

/** Names of the project's environments, none of which can be deleted before the transaction ends. */
export async function lockEnvironments(tx: Tx, project: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from environments
    where name in (select environment_name from project_environments where project_id = ${project})
    order by name for key share`.execute(tx);
  return rows.map(row => row.name);
}

/** Inserts the features themselves, in the order of their names, so that two that want the same names do not deadlock. */
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

/** Puts the features into every environment of their project, switched off, with the variants they have there. */
export async function insertEnvironments(tx: Tx, names: string[], variants: VariantsRow[]): Promise<void> {
  await sql`
    insert into feature_environments (feature_name, environment, variants)
    select features.name, environment_name, coalesce(given.variants, '[]')
    from features join project_environments on project_id = features.project
      left join jsonb_to_recordset(${JSON.stringify(variants)}::jsonb) as given (
        "featureName" text, environment text, variants jsonb
      ) on "featureName" = features.name and given.environment = environment_name
    where features.name = any(${names})`.execute(tx);
}

/** What each of the features is a copy of; those that are none are not among them. */
export async function listOrigins(db: Reader, names: string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; origin: string }>`
    select name, cloned_from as origin from features where name = any(${names}) and cloned_from is not null`.execute(
    db,
  );
  return new Map(rows.map(row => [row.name, row.origin]));
}
