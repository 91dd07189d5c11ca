import { sql } from 'kysely';
import {
  ENVIRONMENT_PERMISSIONS,
  PROJECT_PERMISSIONS,
  ROOT_PERMISSIONS,
} from '../../../access/permissions.ts';
import { isReserved } from '../../../people/users/reserved.ts';
import {
  optionalText,
  parseList,
  parseTime,
  readBatches,
  readRows,
  type Source,
  type SourceRow,
  toText,
} from '../source/source.ts';
import { type Item, type Kind, toPreservedId } from './kind.ts';
import { rejectedProblem, toJsonRows } from './vocabulary.ts';

// Imports roles, users, service accounts and groups. They are identified by name, because their ids may already be taken in Halyard.

type Permission = { name: string; environment: string | null };
type Role = { name: string; type: string; description: string; permissions: Permission[] };

const CUSTOM_TYPES = ['custom', 'root-custom'];
const BUILT_IN_ROLES = ['Admin', 'Editor', 'Viewer', 'Owner', 'Member', 'Reader'];
/** Returns whether this is a custom role with the name of a built-in one. */
const hasBuiltInName = (row: SourceRow): boolean =>
  CUSTOM_TYPES.includes(toText(row.type)) && BUILT_IN_ROLES.includes(toText(row.name));
const KNOWN_PERMISSIONS: readonly string[] = [
  ...ROOT_PERMISSIONS,
  ...PROJECT_PERMISSIONS,
  ...ENVIRONMENT_PERMISSIONS,
];
/** In version 4, the same permission covers client and frontend tokens. */
const RENAMED_PERMISSIONS: Record<string, string[]> = Object.fromEntries(
  ['READ', 'CREATE', 'UPDATE', 'DELETE'].map(action => [
    `${action}_API_TOKEN`,
    [`${action}_CLIENT_API_TOKEN`, `${action}_FRONTEND_API_TOKEN`],
  ]),
);

/** Imports only custom roles, because both products have the same built-in roles. */
export const ROLES: Kind<Role> = {
  name: 'roles',
  async *read({ source, isRejected }) {
    const permissionsByRole = await readPermissions(source);
    const columns = ['id', 'name', 'type', 'description'];
    const where = { sql: 'type = any($1)', values: [CUSTOM_TYPES] };
    for await (const rows of readBatches(source, { table: 'roles', columns, orderBy: 'id', where }))
      yield rows.map(row => {
        const sourcePermissions = permissionsByRole.get(Number(row.id)) ?? [];
        const heldPermissions = sourcePermissions.flatMap(({ name, environment }) =>
          (RENAMED_PERMISSIONS[name] ?? [name]).map(newName => ({ name: newName, environment })),
        );
        const isKnown = ({ name, environment }: Permission) =>
          KNOWN_PERMISSIONS.includes(name) &&
          (environment === null || !isRejected('environments', environment));
        const unknownPermissions = [
          ...new Set(heldPermissions.filter(permission => !isKnown(permission)).map(({ name }) => name)),
        ];
        const isTaken = hasBuiltInName(row);
        return {
          // The key differs, because rejecting this role must not also reject the built-in role, which users keep.
          key: isTaken ? `custom role ${toText(row.name)}` : toText(row.name),
          problems: isTaken ? [rejectedProblem('a built-in role has this name')] : [],
          id: toPreservedId(row.id),
          state: {
            name: toText(row.name),
            type: toText(row.type),
            description: toText(row.description),
            permissions: heldPermissions.filter(isKnown).toSorted(comparePermissions),
          },
          omitted: unknownPermissions.map(name => `its permission ${name}, which does not exist in Halyard`),
        };
      });
  },
  rowsToLock: keys => sql`roles where name = any(${keys}) order by id`,
  async find(db, keys) {
    const { rows } = await sql<Role>`
      select name, type, description, coalesce((
        select jsonb_agg(jsonb_build_object('name', permission, 'environment', environment)
          order by permission collate "C", environment collate "C" nulls first)
        from role_permissions where role_id = roles.id and project is null
      ), '[]') as permissions
      from roles where name = any(${keys}) order by id`.execute(db);
    return new Map(rows.map(row => [row.name, row]));
  },
  async write(tx, items) {
    const rows = toJsonRows(items);
    await sql`
      update roles set type = given.type, description = given.description
      from jsonb_to_recordset(${rows}::jsonb) as given (name text, type text, description text)
      where roles.name = given.name`.execute(tx);
    await sql`
      insert into roles (id, name, type, description)
      select case when given.id is null or exists (select from roles where roles.id = given.id)
          then nextval(pg_get_serial_sequence('roles', 'id')) else given.id end,
        name, type, description
      from jsonb_to_recordset(${rows}::jsonb) as given (id integer, name text, type text, description text)
      where not exists (select from roles where roles.name = given.name) order by given.id`.execute(tx);
    await sql`select setval(pg_get_serial_sequence('roles', 'id'), max(id)) from roles`.execute(tx);
    await sql`
      delete from role_permissions using roles, jsonb_to_recordset(${rows}::jsonb) as given (name text)
      where role_id = roles.id and roles.name = given.name`.execute(tx);
    await sql`
      insert into role_permissions (role_id, permission, environment)
      select roles.id, held.name, held.environment
      from jsonb_to_recordset(${rows}::jsonb) as given (name text, permissions jsonb)
      join roles on roles.name = given.name,
        jsonb_to_recordset(given.permissions) as held (name text, environment text)
      on conflict do nothing`.execute(tx);
  },
  event: (state, stateBefore) => ({
    type: stateBefore === undefined ? 'role-created' : 'role-updated',
    data: state,
    preData: stateBefore ?? null,
  }),
};

const comparePermissions = (a: Permission, b: Permission): number =>
  a.name === b.name ? compare(a.environment ?? '', b.environment ?? '') : compare(a.name, b.name);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the permissions of each role. In older versions, a role refers to a permission by its id. */
async function readPermissions(source: Source): Promise<Map<number, Permission[]>> {
  const names = new Map(
    (
      await readRows(source, { table: 'permissions', columns: ['id', 'permission'], orderBy: 'permission' })
    ).map(row => [Number(row.id), toText(row.permission)]),
  );
  const permissionsByRole = new Map<number, Permission[]>();
  const columns = ['role_id', 'permission', 'permission_id', 'environment'];
  for await (const rows of readBatches(source, { table: 'role_permission', columns, orderBy: 'role_id' }))
    for (const row of rows) {
      const name = toText(row.permission) || names.get(Number(row.permission_id)) || '';
      const permission = { name, environment: toText(row.environment) || null };
      const list = permissionsByRole.get(Number(row.role_id)) ?? [];
      if (!list.some(other => other.name === permission.name && other.environment === permission.environment))
        permissionsByRole.set(Number(row.role_id), [...list, permission]);
    }
  return permissionsByRole;
}

type User = {
  kind: 'user' | 'service-account';
  name: string | null;
  username: string | null;
  email: string | null;
  rootRole: string | null;
};

/** Returns the key of a user, which is the email address or, if there is none, the username. */
const userKey = (row: SourceRow): string => (toText(row.email) || toText(row.username)).toLowerCase();

const USER_COLUMNS = [
  'id',
  'name',
  'username',
  'email',
  'is_service',
  'is_system',
  'deleted_at',
  'created_at',
];

/** Returns the keys of imported users, by their ids in Unleash. */
export async function readUserKeys(source: Source): Promise<Map<number, string>> {
  const keys = new Map<number, string>();
  for await (const rows of readBatches(source, { table: 'users', columns: USER_COLUMNS, orderBy: 'id' }))
    for (const row of rows.filter(isImportable)) keys.set(Number(row.id), userKey(row));
  return keys;
}

const isImportable = (row: SourceRow): boolean =>
  row.deleted_at === null && row.is_system !== true && Number(row.id) > 0 && userKey(row) !== '';

/** Passwords are not imported, because Halyard cannot verify Unleash's bcrypt hashes. Every user needs a link or single sign-on. */
export const USERS: Kind<User> = {
  name: 'users',
  followUp: {
    isNeeded: ({ kind }) => kind === 'user',
    describe: count =>
      `${count} without a password; create a link for each, or set up single sign-on (docs/how-to/move-from-unleash.md)`,
  },
  canRevokeAdmin: true,
  async *read({ source, isRejected }) {
    const rootRoles = await readRootRoles(source);
    for await (const rows of readBatches(source, { table: 'users', columns: USER_COLUMNS, orderBy: 'id' }))
      yield rows.filter(isImportable).map((row): Item<User> => {
        const names = [row.username, row.name].map(toText).filter(Boolean);
        const role = rootRoles.get(Number(row.id)) ?? null;
        return {
          key: userKey(row),
          id: toPreservedId(row.id),
          createdAt: parseTime(row.created_at),
          state: {
            kind: row.is_service === true ? 'service-account' : 'user',
            name: optionalText(row.name),
            username: optionalText(row.username),
            email: optionalText(row.email),
            rootRole: role !== null && isRejected('roles', role) ? null : role,
          },
          problems: names
            .filter(name => isReserved(name))
            .map(name => rejectedProblem(`the name "${name}" is reserved`)),
        };
      });
  },
  rowsToLock: keys =>
    sql`users where deleted_at is null and lower(coalesce(email, username)) = any(${keys}) order by id`,
  async find(db, keys) {
    const { rows } = await sql<User & { key: string }>`
      select lower(coalesce(email, username)) as key, kind, name, username, email, (
          select roles.name from user_roles join roles on roles.id = role_id
          where user_id = users.id and project is null) as "rootRole"
      from users where deleted_at is null and lower(coalesce(email, username)) = any(${keys})
      order by id`.execute(db);
    return new Map(rows.map(({ key, ...state }) => [key, state]));
  },
  async write(tx, items) {
    const rows = JSON.stringify(
      items.map(({ key, id, createdAt = null, state }) => ({ ...state, key, id, createdAt })),
    );
    await sql`
      update users set name = given.name, username = given.username, email = given.email
      from jsonb_to_recordset(${rows}::jsonb) as given (key text, name text, username text, email text)
      where deleted_at is null and lower(coalesce(users.email, users.username)) = given.key`.execute(tx);
    await sql`
      insert into users (id, kind, name, username, email, created_at)
      overriding system value
      select case when given.id is null or exists (select from users where users.id = given.id)
          then nextval(pg_get_serial_sequence('users', 'id')) else given.id end,
        kind, name, username, email, coalesce("createdAt", now())
      from jsonb_to_recordset(${rows}::jsonb) as given (
        key text, id integer, kind text, name text, username text, email text, "createdAt" timestamptz)
      where not exists (
        select from users where deleted_at is null and lower(coalesce(users.email, users.username)) = given.key)
      order by given.id`.execute(tx);
    await sql`select setval(pg_get_serial_sequence('users', 'id'), max(id)) from users`.execute(tx);
    await sql`
      delete from user_roles using users, jsonb_to_recordset(${rows}::jsonb) as given (key text)
      where user_id = users.id and project is null and deleted_at is null
        and lower(coalesce(users.email, users.username)) = given.key`.execute(tx);
    await sql`
      insert into user_roles (user_id, role_id, created_by)
      select users.id, roles.id, 'import from Unleash'
      from jsonb_to_recordset(${rows}::jsonb) as given (key text, "rootRole" text)
      join users on deleted_at is null and lower(coalesce(users.email, users.username)) = given.key
      join roles on roles.name = given."rootRole" and roles.type in ('root', 'root-custom')`.execute(tx);
  },
  event: (state, stateBefore) => ({
    type: getEventType(state, stateBefore),
    data: state,
    preData: stateBefore ?? null,
  }),
};

function getEventType({ kind }: User, stateBefore: User | undefined) {
  if (kind === 'service-account')
    return stateBefore === undefined ? 'service-account-created' : 'service-account-updated';
  return stateBefore === undefined ? 'user-created' : 'user-updated';
}

const ROOT_TYPES = ['root', 'root-custom'];

/** Returns the name of each role, and whether it is a root role. */
export async function readRoleNames(source: Source): Promise<Map<number, { name: string; isRoot: boolean }>> {
  const rows = await readRows(source, { table: 'roles', columns: ['id', 'name', 'type'], orderBy: 'id' });
  return new Map(
    rows
      .filter(row => !hasBuiltInName(row))
      .map(row => [
        Number(row.id),
        { name: toText(row.name), isRoot: ROOT_TYPES.includes(toText(row.type)) },
      ]),
  );
}

async function readRootRoles(source: Source): Promise<Map<number, string>> {
  const roles = await readRoleNames(source);
  const rootRoleByUser = new Map<number, string>();
  const columns = ['user_id', 'role_id'];
  for await (const rows of readBatches(source, {
    table: 'role_user',
    columns,
    orderBy: 'user_id, role_id desc',
  }))
    for (const row of rows) {
      const role = roles.get(Number(row.role_id));
      if (role?.isRoot) rootRoleByUser.set(Number(row.user_id), role.name);
    }
  return rootRoleByUser;
}

type Group = {
  name: string;
  description: string | null;
  mappingsSSO: string[];
  rootRole: string | null;
  members: string[];
};

export const GROUPS: Kind<Group> = {
  name: 'groups',
  canRevokeAdmin: true,
  async *read({ source, isRejected }) {
    const userKeys = await readUserKeys(source);
    const roles = await readRoleNames(source);
    const columns = ['id', 'name', 'description', 'mappings_sso', 'root_role_id', 'created_at'];
    for await (const rows of readBatches(source, { table: 'groups', columns, orderBy: 'id' })) {
      const members = await readRows(source, {
        table: 'group_user',
        columns: ['group_id', 'user_id'],
        orderBy: 'user_id',
        where: { sql: 'group_id = any($1)', values: [rows.map(row => Number(row.id))] },
      });
      const membersByGroup = Map.groupBy(members, row => Number(row.group_id));
      yield rows.map(row => ({
        key: toText(row.name),
        id: toPreservedId(row.id),
        createdAt: parseTime(row.created_at),
        state: {
          name: toText(row.name),
          description: optionalText(row.description),
          mappingsSSO: parseList(row.mappings_sso).map(toText),
          rootRole: roles.get(Number(row.root_role_id))?.name ?? null,
          members: (membersByGroup.get(Number(row.id)) ?? [])
            .flatMap(member => userKeys.get(Number(member.user_id)) ?? [])
            .filter(user => !isRejected('users', user))
            .toSorted(),
        },
      }));
    }
  },
  rowsToLock: keys => sql`groups where name = any(${keys}) order by id`,
  async find(db, keys) {
    const { rows } = await sql<Group>`
      select name, description, mappings_sso as "mappingsSSO",
        (select roles.name from roles where roles.id = root_role_id) as "rootRole",
        array(select lower(coalesce(email, username)) from group_users join users on users.id = user_id
          where group_id = groups.id and deleted_at is null
          order by lower(coalesce(email, username)) collate "C") as members
      from groups where name = any(${keys}) order by id`.execute(db);
    return new Map(rows.map(row => [row.name, row]));
  },
  async write(tx, items) {
    const rows = toJsonRows(items);
    await sql`
      update groups set description = given.description, mappings_sso = given."mappingsSSO",
        root_role_id = (select id from roles where roles.name = given."rootRole")
      from jsonb_to_recordset(${rows}::jsonb) as given (
        name text, description text, "mappingsSSO" text[], "rootRole" text)
      where groups.name = given.name`.execute(tx);
    await sql`
      insert into groups (id, name, description, mappings_sso, root_role_id, created_at, created_by)
      overriding system value
      select case when given.id is null or exists (select from groups where groups.id = given.id)
          then nextval(pg_get_serial_sequence('groups', 'id')) else given.id end,
        name, description, "mappingsSSO", (select id from roles where roles.name = given."rootRole"),
        coalesce("createdAt", now()), 'import from Unleash'
      from jsonb_to_recordset(${rows}::jsonb) as given (
        id integer, name text, description text, "mappingsSSO" text[], "rootRole" text, "createdAt" timestamptz)
      where not exists (select from groups where groups.name = given.name) order by given.id`.execute(tx);
    await sql`select setval(pg_get_serial_sequence('groups', 'id'), max(id)) from groups`.execute(tx);
    await sql`
      delete from group_users using groups, users, jsonb_to_recordset(${rows}::jsonb) as given (name text, members text[])
      where group_id = groups.id and groups.name = given.name and user_id = users.id
        and lower(coalesce(users.email, users.username)) <> all(given.members)`.execute(tx);
    await sql`
      insert into group_users (group_id, user_id, created_by)
      select groups.id, users.id, 'import from Unleash'
      from jsonb_to_recordset(${rows}::jsonb) as given (name text, members text[])
      join groups on groups.name = given.name, unnest(given.members) as member
      join users on deleted_at is null and lower(coalesce(users.email, users.username)) = member
      on conflict do nothing`.execute(tx);
  },
  event: (state, stateBefore) => ({
    type: stateBefore === undefined ? 'group-created' : 'group-updated',
    data: state,
    preData: stateBefore ?? null,
  }),
};
