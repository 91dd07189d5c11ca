import { type RawBuilder, sql } from 'kysely';
import { PROJECT_ROLES } from '../../access/roles.ts';
import { IS_ACTIVE, isReadable } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Columns, Reader, Tx } from '../../platform/db/database.ts';
import { userDisplayName } from '../../record/actor-names.ts';
import { isFavoriteProject } from '../favorites/store.ts';
import type { Counts } from '../technical-debt/score.ts';
import { countsByProject } from '../technical-debt/store.ts';
import type { ListedProject, Project, ProjectOverview } from './schema.ts';

/** The fields of a project that users can edit. */
export type ProjectFields = Omit<
  Project,
  'environments' | 'members' | 'favorite' | 'createdAt' | 'updatedAt' | 'archivedAt'
>;

/** The fields of a project that users can edit, its environments, and when it was archived. */
export type ProjectState = ProjectFields & Pick<Project, 'environments' | 'archivedAt'>;

/** The number of users with a role in the project of a `projects` row, directly or through a group. */
export const MEMBERS = sql<number>`(
  select count(distinct held.user_id) from effective_roles as held join users on users.id = held.user_id
  where held.project = projects.id and users.kind = 'user' and ${IS_ACTIVE}
)`;

/** Selects the number of users who became members of `projects` since the given time. */
export const membersAddedSince = (since: RawBuilder<unknown>) => sql<number>`(
  select count(*) from (
    select held.user_id from (
      select user_id, created_at from user_roles where project = projects.id
      union all
      select user_id, greatest(group_users.created_at, group_roles.created_at)
      from group_roles join group_users using (group_id) where group_roles.project = projects.id
    ) as held join users on users.id = held.user_id
    where users.kind = 'user' and ${IS_ACTIVE}
    group by held.user_id having min(held.created_at) >= ${since}
  ) as added
)`;

/** The naming rule for the features of `projects`. */
export const FEATURE_NAMING = sql`jsonb_strip_nulls(jsonb_build_object(
  'pattern', projects.naming_pattern, 'example', projects.naming_example, 'description', projects.naming_description
))`;

const SETTINGS = sql`
  projects.name, projects.description, projects.mode,
  projects.default_stickiness as "defaultStickiness", projects.feature_limit as "featureLimit",
  projects.debt_budget as "debtBudget", projects.require_comment as "requireComment", ${FEATURE_NAMING} as "featureNaming", projects.archived_at as "archivedAt"`;

const ENVIRONMENTS = sql`array(
  select environments.name from project_environments join environments on environments.name = environment_name
  where project_id = projects.id order by environments.sort_order, environments.name
)`;

/** Selects everything except the id and the environments, as the actor sees it. */
const overviewColumns = (actor: Actor) => sql`
  ${SETTINGS}, coalesce(membership.users, 0) as members,
  projects.created_at as "createdAt", projects.updated_at as "updatedAt",
  ${isFavoriteProject(actor)} as favorite`;

const projectColumns = (actor: Actor) => sql`
  projects.id, ${overviewColumns(actor)}, ${ENVIRONMENTS} as environments`;

/** Projects with their number of members, which a single pass counts even for all projects. */
const PROJECTS = sql`
  projects left join (
    select held.project, count(distinct held.user_id) as users
    from effective_roles as held join users on users.id = held.user_id
    where users.kind = 'user' and ${IS_ACTIVE}
    group by held.project
  ) as membership on membership.project = projects.id`;

export async function findProject(db: Reader, actor: Actor, id: string): Promise<Project | undefined> {
  const { rows } = await sql<Project>`
    select ${projectColumns(actor)} from ${PROJECTS} where projects.id = ${id}`.execute(db);
  return rows[0];
}

/** Returns the project overview, as the actor sees it. */
export async function findOverview(
  db: Reader,
  actor: Actor,
  id: string,
): Promise<ProjectOverview | undefined> {
  const { rows } = await sql<ProjectOverview>`
    select 1 as version, ${overviewColumns(actor)},
      coalesce((
        select json_agg(case
          when default_strategy is null then json_build_object('environment', environment_name)
          else json_build_object('environment', environment_name, 'defaultStrategy', default_strategy)
        end order by environments.sort_order, environments.name)
        from project_environments join environments on environments.name = environment_name
        where project_id = projects.id
      ), '[]') as environments,
      coalesce((
        select json_agg(json_build_object('type', type, 'count', count) order by count desc, type) from (
          select type, count(*) as count from features
          where project = projects.id and features.archived_at is null group by type
        ) as counted
      ), '[]') as "featureTypeCounts"
    from ${PROJECTS} where projects.id = ${id}`.execute(db);
  return rows[0];
}

/**
 * Locks the project and then reads its state. A single statement that waits for the lock would read the environments as they were
 * before the wait.
 */
export async function lockProject(tx: Tx, id: string): Promise<ProjectState | undefined> {
  await sql`select from projects where id = ${id} for update`.execute(tx);
  const { rows } = await sql<ProjectState>`
    select projects.id, ${SETTINGS}, ${ENVIRONMENTS} as environments from projects
    where id = ${id}`.execute(tx);
  return rows[0];
}

/** A project with its owners and the counts of its features. */
export type CountedProject = Project & {
  owners: ListedProject['owners'];
  counts: Counts;
  lastEventAt: string | null;
};

/** The users and groups with the Owner role in each project. */
const OWNERS = sql`(
  select project, jsonb_agg(jsonb_build_object('ownerType', kind, 'name', name) order by kind desc, name) as list from (
    select user_roles.project, 'user' as kind, ${userDisplayName(sql`user_roles.user_id`)} as name
    from user_roles join users on users.id = user_id
    where role_id = ${PROJECT_ROLES.Owner} and ${IS_ACTIVE}
    union all
    select group_roles.project, 'group', groups.name
    from group_roles join groups on groups.id = group_id where role_id = ${PROJECT_ROLES.Owner}
  ) as owner group by project
)`;

/** The time of the last event in the project of a `projects` row, found through the index on project and id. */
const LAST_EVENT_AT = sql`(
  select created_at from events where events.project = projects.id order by events.id desc limit 1
)`;

/**
 * Returns the projects that the actor may read. One pass counts the features of all projects, and one lookup per project finds its
 * last event.
 */
export async function listProjects(
  db: Reader,
  actor: Actor,
  archived: boolean,
  now: Date,
): Promise<CountedProject[]> {
  const { rows } = await sql<CountedProject>`
    select ${projectColumns(actor)}, ${LAST_EVENT_AT} as "lastEventAt", jsonb_build_object(
      'features', coalesce(counts.features, 0), 'stale', coalesce(counts.stale, 0),
      'potentiallyStale', coalesce(counts."potentiallyStale", 0)
    ) as counts, coalesce(owners.list, '[{"ownerType": "system"}]') as owners
    from ${PROJECTS} left join ${countsByProject(now)} as counts on counts.project = projects.id
      left join ${OWNERS} as owners on owners.project = projects.id
    where (projects.archived_at is not null) = ${archived} and ${isReadable(actor)}
    order by projects.name, projects.id`.execute(db);
  return rows;
}

/** Counts all projects, including archived ones. */
export async function countProjects(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('projects')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns the names of the active features of a project. */
export async function listFeatureNames(db: Reader, id: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from features where project = ${id} and archived_at is null order by name`.execute(db);
  return rows.map(row => row.name);
}

/** Returns whether the event log contains events of a project with this id, even if the project has been deleted. */
export async function hasEvents(db: Reader, id: string): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select exists (select from events where project = ${id})`.execute(db);
  return rows[0]?.exists ?? false;
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
    .set({
      ...columns(project),
      updated_at: sql<string>`now()`,
      private_since: sql<string>`case when mode <> 'private' and ${project.mode} = 'private' then now() else private_since end`,
    })
    .where('id', '=', project.id)
    .execute();
}

const columns = (project: ProjectFields) =>
  ({
    name: project.name,
    description: project.description,
    mode: project.mode,
    default_stickiness: project.defaultStickiness,
    feature_limit: project.featureLimit,
    debt_budget: project.debtBudget,
    require_comment: project.requireComment,
    naming_pattern: project.featureNaming.pattern ?? null,
    naming_example: project.featureNaming.example ?? null,
    naming_description: project.featureNaming.description ?? null,
  }) satisfies Columns<'projects'>;

/** Returns those of the given names that are names of environments. */
export async function listEnvironmentNames(db: Reader, names: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from environments where name = any(${names})`.execute(db);
  return rows.map(row => row.name);
}

/** Adds the named environments, or all enabled ones. Returns the added environments in order. */
export async function addEnvironments(tx: Tx, id: string, names: string[] | undefined): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with added as (
      insert into project_environments (project_id, environment_name)
      select ${id}, name from environments
      where ${names === undefined ? sql`enabled` : sql`name = any(${names})`}
      returning environment_name as name
    )
    select name from environments join added using (name) order by environments.sort_order, name`.execute(tx);
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
