import { sql } from 'kysely';
import { isReadable } from '../../access/store.ts';
import { isVisibleToken } from '../../people/api-tokens/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx, WithNulls } from '../../platform/db/database.ts';
import {
  type DefaultStrategy,
  type Environment,
  type EnvironmentInProject,
  type EnvironmentOfProject,
  MAX_SHOWN_NAMES,
  MAX_SORT_ORDER,
} from './schema.ts';

/** An environment without its usage counts. */
export type EnvironmentFields = Pick<Environment, 'name' | 'type' | 'enabled' | 'protected' | 'sortOrder'>;

const FIELDS = sql`
  environments.name, environments.type, environments.enabled, environments.protected,
  environments.sort_order as "sortOrder"`;

/** The counts include only projects that the actor may read. */
const environmentColumns = (actor: Actor) => sql`
  ${FIELDS},
  (select count(*) from project_environments join projects on projects.id = project_id
    where environment_name = environments.name and ${isReadable(actor)}) as "projectCount",
  (select count(*) from api_tokens
    where environment = environments.name and revoked_at is null
      and ${isVisibleToken(actor)}) as "apiTokenCount",
  (select count(*) from feature_environments
      join features on features.name = feature_name
      join projects on projects.id = features.project
    where environment = environments.name and feature_environments.enabled and features.archived_at is null
      and ${isReadable(actor)}) as "enabledToggleCount"`;

export async function listEnvironments(db: Reader, actor: Actor): Promise<Environment[]> {
  const { rows } = await sql<Environment>`
    select ${environmentColumns(actor)} from environments order by sort_order, name`.execute(db);
  return rows;
}

export async function findEnvironment(
  db: Reader,
  actor: Actor,
  name: string,
): Promise<Environment | undefined> {
  const { rows } = await sql<Environment>`
    select ${environmentColumns(actor)} from environments where name = ${name}`.execute(db);
  return rows[0];
}

export async function isNameTaken(db: Reader, name: string): Promise<boolean> {
  const row = await db.selectFrom('environments').select('name').where('name', '=', name).executeTakeFirst();
  return row !== undefined;
}

/** Returns those of the given names that are names of environments. */
export async function listExistingEnvironments(db: Reader, names: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('environments')
    .select('name')
    .where('name', '=', sql<string>`any(${names})`)
    .execute();
  return rows.map(row => row.name);
}

/** Locks the given environments against updates, always in the same order, so that transactions do not deadlock. */
export async function lockEnvironments(tx: Tx, names: string[]): Promise<EnvironmentFields[]> {
  const { rows } = await sql<EnvironmentFields>`
    select ${FIELDS} from environments where name = any(${names})
    order by name for no key update`.execute(tx);
  return rows;
}

/**
 * Locks all environments, so that concurrent deletions see each other. Transactions that would add a reference to an environment
 * have to wait.
 */
export async function lockAllEnvironments(tx: Tx): Promise<EnvironmentFields[]> {
  const { rows } = await sql<EnvironmentFields>`
    select ${FIELDS} from environments order by name for update`.execute(tx);
  return rows;
}

export async function countEnvironments(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('environments')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export type NewEnvironmentRow = Pick<Environment, 'name' | 'type' | 'enabled'> & {
  /** If null, the environment is added at the end. */
  sortOrder: number | null;
};

export async function insertEnvironment(tx: Tx, environment: NewEnvironmentRow): Promise<EnvironmentFields> {
  const { name, type, enabled, sortOrder } = environment;
  const { rows } = await sql<EnvironmentFields>`
    insert into environments (name, type, enabled, sort_order)
    select ${name}, ${type}, ${enabled}::boolean,
      coalesce(${sortOrder}::integer, least(coalesce(max(sort_order), 0) + 100, ${MAX_SORT_ORDER}))
    from environments
    returning ${FIELDS}`.execute(tx);
  const [inserted] = rows;
  if (!inserted) throw new Error(`Environment "${name}" was not inserted`);
  return inserted;
}

export async function updateEnvironment(tx: Tx, environment: EnvironmentFields): Promise<void> {
  await tx
    .updateTable('environments')
    .set({ type: environment.type, enabled: environment.enabled, sort_order: environment.sortOrder })
    .where('name', '=', environment.name)
    .execute();
}

export async function updateSortOrders(tx: Tx, environments: EnvironmentFields[]): Promise<void> {
  await sql`
    update environments set sort_order = changed."sortOrder"
    from jsonb_to_recordset(${JSON.stringify(environments)}::jsonb) as changed (name text, "sortOrder" integer)
    where environments.name = changed.name`.execute(tx);
}

export async function deleteEnvironment(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('environments').where('name', '=', name).execute();
}

/** Locks the features in the environment and returns the names of the active features that are enabled in it. */
export async function lockFeaturesIn(tx: Tx, environment: string, project?: string): Promise<string[]> {
  const inProject = project === undefined ? sql`true` : sql`features.project = ${project}`;
  await sql`
    select from features
    where ${inProject} and name in (select feature_name from feature_environments where environment = ${environment})
    order by name for update`.execute(tx);
  const { rows } = await sql<{ name: string }>`
    select features.name from features join feature_environments on feature_name = features.name
    where ${inProject} and environment = ${environment} and enabled and archived_at is null
    order by features.name`.execute(tx);
  return rows.map(row => row.name);
}

export async function countTokens(db: Reader, environment: string): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`
    select count(*) as tokens from api_tokens
    where environment = ${environment} and revoked_at is null`.execute(db);
  return rows[0]?.tokens ?? 0;
}

/** Locks the projects that have the environment, so that their lists of environments cannot change. */
export async function lockProjectsWith(
  tx: Tx,
  environment: string,
  waitPolicy: 'wait' | 'nowait' = 'wait',
): Promise<void> {
  await sql`
    select from projects
    where id in (select project_id from project_environments where environment_name = ${environment})
    order by id for no key update ${waitPolicy === 'nowait' ? sql`nowait` : sql``}`.execute(tx);
}

/** Returns the projects that have the environment, and whether they have other environments. */
export async function listProjectsWith(
  db: Reader,
  environment: string,
): Promise<{ id: string; hasOthers: boolean }[]> {
  const { rows } = await sql<{ id: string; hasOthers: boolean }>`
    select project_id as id, count(*) > 1 as "hasOthers" from project_environments
    where project_id in (select project_id from project_environments where environment_name = ${environment})
    group by project_id order by project_id`.execute(db);
  return rows;
}

/** The default strategy of a project in an environment, and the number of features, strategies and variants there. */
export type EnvironmentUse = {
  project: string;
  features: number;
  strategies: number;
  variants: number;
  defaultStrategy: DefaultStrategy | null;
};

/** Returns what each project, or only the given project, has in the environment. */
export async function listUses(db: Reader, environment: string, project?: string): Promise<EnvironmentUse[]> {
  const { rows } = await sql<EnvironmentUse>`
    select project_id as project, default_strategy as "defaultStrategy", coalesce(used.features, 0) as features,
      coalesce(used.variants, 0) as variants, coalesce(used.strategies, 0) as strategies
    from project_environments left join (
      select features.project, count(*) as features, sum(jsonb_array_length(variants))::bigint as variants,
        sum((select count(*) from feature_strategies
          where feature_strategies.feature_name = features.name and feature_strategies.environment = ${environment}
        ))::bigint as strategies
      from feature_environments join features on features.name = feature_environments.feature_name
      where feature_environments.environment = ${environment}
        and ${project === undefined ? sql`true` : sql`features.project = ${project}`}
      group by features.project
    ) as used on used.project = project_id
    where environment_name = ${environment} and ${project === undefined ? sql`true` : sql`project_id = ${project}`}
    order by project_id`.execute(db);
  return rows;
}

export async function listProjectEnvironments(db: Reader, project: string): Promise<EnvironmentOfProject[]> {
  const { rows } = await sql<WithNulls<EnvironmentOfProject>>`
    select ${FIELDS}, project_environments.default_strategy as "defaultStrategy",
      (select count(*) from api_tokens
        where environment = environments.name and revoked_at is null and (all_projects or exists (
          select from api_token_projects where token_id = api_tokens.id and project_id = ${project}
        ))) as "projectApiTokenCount",
      (select count(*) from feature_environments join features on features.name = feature_name
        where environment = environments.name and feature_environments.enabled
          and features.project = ${project} and features.archived_at is null) as "projectEnabledToggleCount"
    from project_environments join environments on environments.name = environment_name
    where project_id = ${project}
    order by environments.sort_order, environments.name`.execute(db);
  return rows.map(({ defaultStrategy, ...row }) => (defaultStrategy ? { ...row, defaultStrategy } : row));
}

/** Returns what a project has in one of its environments, or undefined if the project does not have the environment. */
export async function findProjectEnvironment(
  db: Reader,
  project: string,
  environment: string,
): Promise<EnvironmentInProject | undefined> {
  const { rows } = await sql<WithNulls<EnvironmentInProject>>`
    with used as (
      select features.name, features.archived_at is null as active, feature_environments.enabled,
        jsonb_array_length(feature_environments.variants) as variants,
        (select count(*) from feature_strategies where feature_name = features.name
          and feature_strategies.environment = ${environment}) as strategies,
        exists (select from feature_strategies where feature_name = features.name
          and feature_strategies.environment = ${environment} and not disabled) as started
      from feature_environments join features on features.name = feature_name
      where features.project = ${project} and feature_environments.environment = ${environment}
    )
    select environment_name as environment, default_strategy as "defaultStrategy",
      (select count(*) from used where active) as features,
      (select count(*) from used where active and enabled) as "enabledFeatures",
      (select coalesce(sum(strategies), 0)::bigint from used) as strategies,
      (select coalesce(sum(variants), 0)::bigint from used) as variants,
      (select count(*) from used where active and not started) as "startingFeatures",
      array(select name from used where active and not started
        order by name limit ${MAX_SHOWN_NAMES}) as "startingFeatureNames"
    from project_environments
    where project_id = ${project} and environment_name = ${environment}`.execute(db);
  return rows.map(({ defaultStrategy, ...row }) => (defaultStrategy ? { ...row, defaultStrategy } : row))[0];
}

/** Locks the project and its environments, so that neither its environments nor its list of features can change. */
export async function lockProjectWithEnvironments(tx: Tx, project: string): Promise<string[] | undefined> {
  const lockedProject = await sql`select from projects where id = ${project} for update`.execute(tx);
  if (lockedProject.rows.length === 0) return undefined;
  const { rows } = await sql<{ name: string }>`
    select environment_name as name from project_environments where project_id = ${project}
    order by environment_name for update`.execute(tx);
  return rows.map(row => row.name);
}

/** Returns false if the environment does not exist. */
export async function insertProjectEnvironment(
  tx: Tx,
  project: string,
  environment: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into project_environments (project_id, environment_name)
    select ${project}, name from environments where name = ${environment}`.execute(tx);
  return numAffectedRows === 1n;
}

/** Adds the environment, disabled, to every feature of the project. Locks the features, like every change to a feature. */
export async function insertFeatureEnvironments(tx: Tx, project: string, environment: string): Promise<void> {
  await sql`select from features where project = ${project} order by name for no key update`.execute(tx);
  await sql`
    insert into feature_environments (feature_name, environment)
    select name, ${environment} from features where project = ${project}
    on conflict do nothing`.execute(tx);
}

/** Removes the environment from the project and from its features, including their strategies there. */
export async function deleteProjectEnvironment(tx: Tx, project: string, environment: string): Promise<void> {
  await sql`
    with features_removed as (
      delete from feature_environments using features
      where feature_name = features.name and features.project = ${project} and environment = ${environment}
    )
    delete from project_environments
    where project_id = ${project} and environment_name = ${environment}`.execute(tx);
}

/**
 * Locks the default strategy and returns it. The result is null if none is set, and undefined if the project does not have the
 * environment.
 */
export async function lockDefaultStrategy(
  tx: Tx,
  project: string,
  environment: string,
): Promise<DefaultStrategy | null | undefined> {
  const { rows } = await sql<{ strategy: DefaultStrategy | null }>`
    select default_strategy as strategy from project_environments
    where project_id = ${project} and environment_name = ${environment} for no key update`.execute(tx);
  return rows[0]?.strategy;
}

export async function updateDefaultStrategy(
  tx: Tx,
  project: string,
  environment: string,
  strategy: DefaultStrategy,
): Promise<void> {
  await tx
    .updateTable('project_environments')
    .set({ default_strategy: JSON.stringify(strategy) })
    .where('project_id', '=', project)
    .where('environment_name', '=', environment)
    .execute();
}
