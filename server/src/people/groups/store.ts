import { sql } from 'kysely';
import type { Columns, Reader, Tx } from '../../platform/db/database.ts';
import type { Group, GroupProjects } from './schema.ts';

/** The fields of a group that an admin edits, without its members. */
export type GroupFields = Pick<Group, 'id' | 'name' | 'description' | 'mappingsSSO' | 'rootRole'>;

/** A group as events show it. */
export type GroupRow = GroupFields & { users: number[] };

const FIELDS = sql`
  groups.id, groups.name, groups.description, groups.mappings_sso as "mappingsSSO",
  groups.root_role_id as "rootRole"`;

/** In a query on `users`: a user or service account as a `Member`. */
export const MEMBER = sql`jsonb_build_object(
  'id', users.id, 'name', users.name, 'username', users.username, 'email', users.email,
  'isAPI', users.kind <> 'user')`;

/** In a query on `groups`: the members, by id. */
export const GROUP_MEMBERS = sql`coalesce((
  select jsonb_agg(jsonb_build_object(
    'joinedAt', to_char(group_users.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'createdBy', group_users.created_by, 'user', ${MEMBER}
  ) order by users.id)
  from group_users join users on users.id = group_users.user_id
  where group_users.group_id = groups.id and users.deleted_at is null
), '[]')`;

const GROUPS = sql`
  select ${FIELDS}, groups.created_at as "createdAt", groups.created_by as "createdBy",
    members.list as users, jsonb_array_length(members.list) as "userCount",
    array(
      select distinct project from group_roles where group_roles.group_id = groups.id order by project
    ) as projects
  from groups cross join lateral (select ${GROUP_MEMBERS} as list) as members`;

export async function listGroups(db: Reader): Promise<Group[]> {
  const { rows } = await sql<Group>`${GROUPS} order by lower(groups.name)`.execute(db);
  return rows;
}

export async function findGroup(db: Reader, id: number): Promise<Group | undefined> {
  const { rows } = await sql<Group>`${GROUPS} where groups.id = ${id}`.execute(db);
  return rows[0];
}

export async function listGroupProjects(db: Reader, id: number): Promise<GroupProjects['projects']> {
  const { rows } = await sql<GroupProjects['projects'][number]>`
    select projects.id, projects.name, min(group_roles.created_at) as "grantedAt",
      jsonb_agg(jsonb_build_object('id', roles.id, 'name', roles.name) order by roles.id) as roles
    from group_roles join projects on projects.id = project join roles on roles.id = role_id
    where group_id = ${id}
    group by projects.id order by lower(projects.name), projects.id`.execute(db);
  return rows;
}

/** Locks the group. Until the transaction ends, nobody can change it or grant it a role. */
export async function lockGroup(tx: Tx, id: number): Promise<GroupRow | undefined> {
  await sql`select from groups where id = ${id} for update`.execute(tx);
  const { rows } = await sql<GroupRow>`
    select ${FIELDS}, array(
      select user_id from group_users join users on users.id = user_id
      where group_id = groups.id and deleted_at is null order by user_id
    ) as users
    from groups where id = ${id}`.execute(tx);
  return rows[0];
}

export async function insertGroup(
  tx: Tx,
  group: Omit<GroupFields, 'id'>,
  createdBy: string,
): Promise<number> {
  const { id } = await tx
    .insertInto('groups')
    .values({ ...columns(group), created_by: createdBy })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateGroup(tx: Tx, group: GroupFields): Promise<void> {
  await tx.updateTable('groups').set(columns(group)).where('id', '=', group.id).execute();
}

const columns = (group: Omit<GroupFields, 'id'>) =>
  ({
    name: group.name,
    description: group.description,
    mappings_sso: group.mappingsSSO,
    root_role_id: group.rootRole,
  }) satisfies Columns<'groups'>;

export async function insertMembers(tx: Tx, id: number, users: number[], createdBy: string): Promise<void> {
  await sql`
    insert into group_users (group_id, user_id, created_by)
    select ${id}::integer, unnest(${users}::integer[]), ${createdBy}
    on conflict do nothing`.execute(tx);
}

export async function deleteMembers(tx: Tx, id: number, users: number[]): Promise<void> {
  await sql`delete from group_users where group_id = ${id} and user_id = any(${users})`.execute(tx);
}

export async function deleteGroup(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('groups').where('id', '=', id).execute();
}

/** Returns the ids of the users and service accounts that exist. They cannot be deleted until the transaction ends. */
export async function lockExistingUsers(tx: Tx, ids: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from users where id = any(${ids}) and deleted_at is null order by id for share`.execute(tx);
  return rows.map(row => row.id);
}

export type Membership = { groupId: number; groupName: string };

/** Deletes all memberships of the users and returns them. */
export async function deleteUserMemberships(
  tx: Tx,
  userIds: number[],
): Promise<(Membership & { userId: number })[]> {
  const { rows } = await sql<Membership & { userId: number }>`
    with deleted as (delete from group_users where user_id = any(${userIds}) returning group_id, user_id)
    select groups.id as "groupId", groups.name as "groupName", deleted.user_id as "userId"
    from deleted join groups on groups.id = deleted.group_id
    order by deleted.user_id, groups.id`.execute(tx);
  return rows;
}

export type GroupChanges = { added: Membership[]; removed: Membership[] };

/**
 * Compares a user's memberships with the groups from the identity provider. Only memberships that a login added can be removed.
 */
export async function findGroupChanges(
  db: Reader,
  userId: number,
  ssoGroups: string[],
): Promise<GroupChanges> {
  const { rows } = await sql<Membership & { mapped: boolean }>`
    select groups.id as "groupId", groups.name as "groupName", mapped
    from groups
      left join group_users on group_id = groups.id and user_id = ${userId}
      cross join lateral (select mappings_sso && ${ssoGroups}::text[] as mapped) as claim
    where (mapped and group_users.user_id is null) or (not mapped and from_sso)
    order by groups.id`.execute(db);
  const pick = (mapped: boolean) =>
    rows
      .filter(row => row.mapped === mapped)
      .map(({ groupId, groupName }): Membership => ({ groupId, groupName }));
  return { added: pick(true), removed: pick(false) };
}

export async function lockGroups(tx: Tx, ids: number[]): Promise<void> {
  await sql`select from groups where id = any(${ids}) order by id for update`.execute(tx);
}

/** Adds the user to groups and marks the memberships as added by single sign-on. */
export async function insertSyncedMemberships(
  tx: Tx,
  userId: number,
  groupIds: number[],
  createdBy: string,
): Promise<void> {
  await sql`
    insert into group_users (group_id, user_id, created_by, from_sso)
    select unnest(${groupIds}::integer[]), ${userId}::integer, ${createdBy}, true
    on conflict do nothing`.execute(tx);
}

export async function deleteSyncedMemberships(tx: Tx, userId: number, groupIds: number[]): Promise<void> {
  await sql`
    delete from group_users
    where user_id = ${userId} and group_id = any(${groupIds}) and from_sso`.execute(tx);
}
