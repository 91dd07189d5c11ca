import { sql } from 'kysely';
import { isReadable } from '../access/store.ts';
import type { Actor } from '../actor.ts';
import type { Reader, Tx } from '../db/database.ts';
import type { Project } from './schema.ts';

/** The part of a project that its owner writes. */
export type ProjectFields = Omit<
  Project,
  'environments' | 'members' | 'createdAt' | 'updatedAt' | 'archivedAt'
>;

/** How many users have a role in `projects`. */
export const MEMBERS = sql<number>`(
  select count(distinct user_id) from user_roles where user_roles.project = projects.id
)`;

const PROJECT = sql`
  projects.id, projects.name, projects.description, projects.mode,
  projects.default_stickiness as "defaultStickiness", projects.feature_limit as "featureLimit",
  projects.debt_budget as "debtBudget",
  jsonb_build_object(
    'pattern', projects.naming_pattern,
    'example', projects.naming_example,
    'description', projects.naming_description
  ) as "featureNaming",
  array(
    select environments.name from project_environments join environments on environments.name = environment_name
    where project_id = projects.id order by environments.sort_order, environments.name
  ) as environments,
  ${MEMBERS} as members,
  projects.created_at as "createdAt", projects.updated_at as "updatedAt", projects.archived_at as "archivedAt"`;

export async function findProject(db: Reader, id: string): Promise<Project | undefined> {
  const { rows } = await sql<Project>`select ${PROJECT} from projects where id = ${id}`.execute(db);
  return rows[0];
}

/** The project, kept from changing until the transaction ends. */
export async function lockProject(tx: Tx, id: string): Promise<Project | undefined> {
  await sql`select from projects where id = ${id} for update`.execute(tx);
  return await findProject(tx, id);
}

export async function listProjects(db: Reader, actor: Actor, archived: boolean): Promise<Project[]> {
  const { rows } = await sql<Project>`
    select ${PROJECT} from projects
    where (archived_at is not null) = ${archived} and ${isReadable(actor)}
    order by name, id`.execute(db);
  return rows;
}

/** Returns false if the id is taken. */
export async function insertProject(tx: Tx, project: ProjectFields): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('projects')
    .values({ id: project.id, ...columns(project) })
    .onConflict(conflict => conflict.constraint('projects_pkey').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function updateProject(tx: Tx, project: ProjectFields): Promise<void> {
  await tx
    .updateTable('projects')
    .set({ ...columns(project), updated_at: sql<string>`now()` })
    .where('id', '=', project.id)
    .execute();
}

const columns = (project: ProjectFields) => ({
  name: project.name,
  description: project.description,
  mode: project.mode,
  default_stickiness: project.defaultStickiness,
  feature_limit: project.featureLimit,
  debt_budget: project.debtBudget,
  naming_pattern: project.featureNaming.pattern,
  naming_example: project.featureNaming.example,
  naming_description: project.featureNaming.description,
});

/** Adds the named environments, or all enabled ones; returns those that exist. */
export async function addEnvironments(tx: Tx, id: string, names: string[] | undefined): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    insert into project_environments (project_id, environment_name)
    select ${id}, name from environments
    where ${names === undefined ? sql`enabled` : sql`name = any(${names})`}
    returning environment_name as name`.execute(tx);
  return rows.map(row => row.name);
}

export async function setArchived(tx: Tx, id: string, archived: boolean): Promise<void> {
  await tx
    .updateTable('projects')
    .set({ archived_at: archived ? sql<string>`now()` : null, updated_at: sql<string>`now()` })
    .where('id', '=', id)
    .execute();
}

export async function deleteProject(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('projects').where('id', '=', id).execute();
}
