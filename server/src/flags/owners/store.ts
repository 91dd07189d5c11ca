import { sql } from 'kysely';
import { PROJECT_ROLES } from '../../access/roles.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { MAX_OWNED_RESOURCES, type OwnedResources, type Owner } from './schema.ts';

export type OwnerKey = Pick<Owner, 'type' | 'id'>;

const OWNERS = sql`
  select case when owner.user_id is null then 'group' else 'user' end as type,
    coalesce(owner.user_id, owner.group_id) as id,
    coalesce(nullif(users.name, ''), users.username, users.email, groups.name) as name,
    coalesce(users.username, users.email) as login,
    users.deactivated_at is not null as deactivated
  from feature_owners as owner
    left join users on users.id = owner.user_id
    left join groups on groups.id = owner.group_id
  where users.deleted_at is null`;

export async function hasFeature(db: Reader, project: string, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from features where name = ${name} and project = ${project}`.execute(db);
  return rows.length > 0;
}

export async function listOwners(db: Reader, featureName: string): Promise<Owner[]> {
  const { rows } = await sql<Owner>`
    ${OWNERS} and owner.feature_name = ${featureName} order by type desc, id`.execute(db);
  return rows;
}

const listIds = (keys: OwnerKey[], type: Owner['type']): number[] =>
  keys.filter(key => key.type === type).map(({ id }) => id);

/**
 * Locks the given users and groups and the current owners, so that none of them is deleted until the transaction ends. Returns
 * those that exist. Users and groups are locked before the feature.
 */
export async function lockOwners(tx: Tx, featureName: string, keys: OwnerKey[]): Promise<OwnerKey[]> {
  const selectCurrentIds = (column: 'user_id' | 'group_id') =>
    sql`select ${sql.ref(column)} from feature_owners where feature_name = ${featureName}`;
  const { rows: users } = await sql<{ id: number }>`
    select id from users
    where (id = any(${listIds(keys, 'user')}) or id in (${selectCurrentIds('user_id')})) and kind = 'user' and deleted_at is null
    order by id for share`.execute(tx);
  const { rows: groups } = await sql<{ id: number }>`
    select id from groups where id = any(${listIds(keys, 'group')}) or id in (${selectCurrentIds('group_id')})
    order by id for key share`.execute(tx);
  return [
    ...users.map(({ id }) => ({ type: 'user' as const, id })),
    ...groups.map(({ id }) => ({ type: 'group' as const, id })),
  ];
}

/** Replaces all owners of a feature. */
export async function replaceOwners(tx: Tx, featureName: string, keys: OwnerKey[]): Promise<void> {
  const [users, groups] = [listIds(keys, 'user'), listIds(keys, 'group')];
  await sql`
    delete from feature_owners where feature_name = ${featureName}
      and not (coalesce(user_id = any(${users}), false) or coalesce(group_id = any(${groups}), false))`.execute(
    tx,
  );
  await sql`
    insert into feature_owners (feature_name, user_id, group_id)
    select ${featureName}, id, null from unnest(${users}::integer[]) as id
    union all select ${featureName}, null, id from unnest(${groups}::integer[]) as id
    on conflict do nothing`.execute(tx);
}

/** Returns the active features that a user owns, and the projects where the user holds the Owner role directly. */
export async function findOwnedResources(db: Reader, userId: number): Promise<OwnedResources | undefined> {
  const { rows } = await sql<OwnedResources>`
    with owned as (
      select features.name, features.project from feature_owners join features on features.name = feature_name
      where user_id = ${userId} and archived_at is null
    ), owned_projects as (
      select projects.id, projects.name from user_roles join projects on projects.id = project
      where user_id = ${userId} and role_id = ${PROJECT_ROLES.Owner}
    )
    select (select count(*) from owned) as "featureCount", (select count(*) from owned_projects) as "projectCount",
      coalesce((select jsonb_agg(jsonb_build_object('name', name, 'project', project, 'owners', (
          select count(*) from feature_owners where feature_name = name)) order by name)
        from (select * from owned order by name limit ${MAX_OWNED_RESOURCES}) as listed), '[]') as features,
      coalesce((select jsonb_agg(jsonb_build_object('id', id, 'name', name) order by id)
        from (select * from owned_projects order by id limit ${MAX_OWNED_RESOURCES}) as listed), '[]') as projects
    from users where id = ${userId} and kind = 'user' and deleted_at is null`.execute(db);
  return rows[0];
}
