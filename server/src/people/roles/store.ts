import { sql } from 'kysely';
import type { Reader, Tx, WithNulls } from '../../platform/db/database.ts';
import type { HoldersOfRole, Role } from './schema.ts';

export type RolePermission = { name: string; environment?: string; project?: string };

/** A role with its permissions. */
export type FullRole = Role & { permissions: RolePermission[] };

const ROLE = sql`roles.id, roles.type, roles.name, roles.description`;

const PERMISSIONS = sql`coalesce((
  select jsonb_agg(
    jsonb_strip_nulls(jsonb_build_object('name', permission, 'environment', environment, 'project', project))
    order by (permission || ' ' || coalesce(environment, '')) collate "C"
  )
  from role_permissions where role_id = roles.id
), '[]') as permissions`;

export async function listRoles(db: Reader): Promise<Role[]> {
  const { rows } = await sql<Role>`select ${ROLE} from roles order by id`.execute(db);
  return rows;
}

export async function findRole(db: Reader, id: number): Promise<FullRole | undefined> {
  const { rows } = await sql<FullRole>`
    select ${ROLE}, ${PERMISSIONS} from roles where id = ${id}`.execute(db);
  return rows[0];
}

/** Locks the role. Until the transaction ends, nobody can change or grant the role. */
export async function lockRole(tx: Tx, id: number): Promise<FullRole | undefined> {
  await sql`select from roles where id = ${id} for update`.execute(tx);
  return await findRole(tx, id);
}

const hasPermissionIn = (environment: string) => sql<boolean>`roles.id in (
  select role_id from role_permissions where environment = ${environment}
)`;

/** Locks the roles with permissions in the environment. */
export async function lockRolesWithEnvironment(
  tx: Tx,
  environment: string,
  waiting: 'wait' | 'nowait',
): Promise<void> {
  await sql`
    select from roles where ${hasPermissionIn(environment)}
    order by id for update ${waiting === 'nowait' ? sql`nowait` : sql``}`.execute(tx);
}

/** Lists the roles with permissions in the environment. */
export async function listRolesIn(db: Reader, environment: string): Promise<FullRole[]> {
  const { rows } = await sql<FullRole>`
    select ${ROLE}, ${PERMISSIONS} from roles where ${hasPermissionIn(environment)} order by id`.execute(db);
  return rows;
}

export async function deletePermissionsIn(tx: Tx, environment: string): Promise<void> {
  await tx.deleteFrom('role_permissions').where('environment', '=', environment).execute();
}

export async function isNameTaken(db: Reader, name: string): Promise<boolean> {
  const { rows } = await sql`select from roles where lower(name) = lower(${name})`.execute(db);
  return rows.length > 0;
}

export async function insertRole(tx: Tx, role: Omit<FullRole, 'id'>): Promise<number> {
  const { id } = await tx
    .insertInto('roles')
    .values({ name: role.name, type: role.type, description: role.description })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertPermissions(tx, id, role.permissions);
  return id;
}

export async function updateRole(tx: Tx, role: FullRole): Promise<void> {
  await tx
    .updateTable('roles')
    .set({ name: role.name, description: role.description })
    .where('id', '=', role.id)
    .execute();
  await tx.deleteFrom('role_permissions').where('role_id', '=', role.id).execute();
  await insertPermissions(tx, role.id, role.permissions);
}

async function insertPermissions(tx: Tx, roleId: number, permissions: RolePermission[]): Promise<void> {
  await sql`
    insert into role_permissions (role_id, permission, environment)
    select ${roleId}::integer, name, environment
    from jsonb_to_recordset(${JSON.stringify(permissions)}::jsonb) as (name text, environment text)`.execute(
    tx,
  );
}

export async function deleteRole(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('roles').where('id', '=', id).execute();
}

/** Describes the users, service accounts and groups with the role, by name, each with the project of the grant. */
export async function describeHolders(db: Reader, id: number): Promise<string[]> {
  const { rows } = await sql<{ holder: string }>`
    select holder || coalesce(' in project ' || project, '') as holder from (
      select replace(users.kind, '-', ' ') || ' ' || coalesce(username, email) as holder, project
      from user_roles join users on users.id = user_id
      where role_id = ${id} and deleted_at is null
      union all
      select 'group ' || groups.name, project from group_roles join groups on groups.id = group_id
      where role_id = ${id}
      union all
      select 'group ' || groups.name, null from groups where root_role_id = ${id}
      union all
      select 'new users in the single sign-on settings', null from auth_settings where default_role_id = ${id}
    ) as held
    order by holder, project`.execute(db);
  return rows.map(row => row.holder);
}

const MAX_HOLDERS = 200;

/** Lists who has the role and where. Groups come first. */
export async function listRoleHolders(db: Reader, id: number): Promise<HoldersOfRole> {
  const { rows } = await sql<WithNulls<HoldersOfRole['holders'][number]> & { total: number }>`
    select held.kind, held.id, held.name, held.members, count(*) over () as total,
      case when projects.id is not null
        then jsonb_build_object('id', projects.id, 'name', projects.name) end as project
    from (
      select users.kind, users.id, coalesce(nullif(users.name, ''), username, email) as name, project,
        null::bigint as members
      from user_roles join users on users.id = user_id
      where role_id = ${id} and deleted_at is null
      union all
      select 'group', groups.id, groups.name, granted.project, (
        select count(*) from group_users join users on users.id = user_id
        where group_id = groups.id and deleted_at is null
      )
      from groups join (
        select group_id, project from group_roles where role_id = ${id}
        union all
        select groups.id, null from groups where root_role_id = ${id}
      ) as granted on granted.group_id = groups.id
      union all
      select 'single-sign-on', null, 'New users of single sign-on', null, null
      from auth_settings where default_role_id = ${id}
    ) as held left join projects on projects.id = held.project
    order by held.kind <> 'group', lower(held.name), held.id, projects.id limit ${MAX_HOLDERS}`.execute(db);
  return {
    total: rows[0]?.total ?? 0,
    holders: rows.map(({ total: _, members, ...holder }) => ({
      ...holder,
      ...(members === null ? {} : { members }),
    })),
  };
}

/** Returns the environments that exist among those of the permissions. They cannot be deleted until the transaction ends. */
export async function lockExistingEnvironments(tx: Tx, permissions: RolePermission[]): Promise<string[]> {
  const names = permissions.flatMap(({ environment }) => environment ?? []);
  if (names.length === 0) return [];
  const { rows } = await sql<{ name: string }>`
    select name from environments where name = any(${names}) order by name for key share`.execute(tx);
  return rows.map(row => row.name);
}

export async function listEnvironmentNames(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('environments')
    .select('name')
    .orderBy('sort_order')
    .orderBy('name')
    .execute();
  return rows.map(row => row.name);
}

/** Returns the roles that exist and have the scope. They cannot be deleted until the transaction ends. */
export async function lockExistingRoles(tx: Tx, ids: number[], scope: 'root' | 'project'): Promise<number[]> {
  const types = scope === 'root' ? ['root', 'root-custom'] : ['project', 'custom'];
  const { rows } = await sql<{ id: number }>`
    select id from roles where id = any(${ids}) and type = any(${types})
    order by id for key share`.execute(tx);
  return rows.map(row => row.id);
}
