import { sql } from 'kysely';
import type { NewEvent } from '../../../record/change.ts';
import { parseTime, readBatches, readRows, type SourceRow, toText } from '../source/source.ts';
import { readProjectsByFeature } from './features.ts';
import type { Item, Kind } from './kind.ts';
import { readRoleNames, readUserKeys } from './people.ts';
import { rejectedProblem, toJsonRows } from './vocabulary.ts';

// Imports the project roles of users and groups, and users' favorites.

type Grant = { project: string; role: string; user: string | null; group: string | null };

const grantKey = ({ project, role, user, group }: Grant): string =>
  `${project}/${role}/${user === null ? `group ${group}` : `user ${user}`}`;

export const PROJECT_ACCESS: Kind<Grant> = {
  name: 'project roles',
  async *read({ source, isRejected }) {
    const users = await readUserKeys(source);
    const roles = await readRoleNames(source);
    const groupRows = await readRows(source, { table: 'groups', columns: ['id', 'name'], orderBy: 'id' });
    const groups = new Map(groupRows.map(row => [Number(row.id), toText(row.name)]));
    const toItems = (
      row: SourceRow,
      holder: { user: string | null; group: string | null },
    ): Item<Grant>[] => {
      const role = roles.get(Number(row.role_id));
      if (role === undefined || role.isRoot || (holder.user ?? holder.group) === null) return [];
      const state = { project: toText(row.project) || 'default', role: role.name, ...holder };
      const rejectedKeys = [
        ['projects', state.project],
        ['roles', state.role],
        ['users', state.user ?? ''],
        ['groups', state.group ?? ''],
      ].filter(([kind = '', key = '']) => isRejected(kind, key));
      return [
        {
          key: grantKey(state),
          createdAt: parseTime(row.created_at),
          state,
          problems: rejectedKeys.map(([, key]) => rejectedProblem(`"${key}" was not imported`)),
        },
      ];
    };
    const userRoleColumns = ['user_id', 'role_id', 'project', 'created_at'];
    for await (const rows of readBatches(source, {
      table: 'role_user',
      columns: userRoleColumns,
      orderBy: 'user_id, role_id',
    }))
      yield rows.flatMap(row => toItems(row, { user: users.get(Number(row.user_id)) ?? null, group: null }));
    const groupRoleColumns = ['group_id', 'role_id', 'project', 'created_at'];
    for await (const rows of readBatches(source, {
      table: 'group_role',
      columns: groupRoleColumns,
      orderBy: 'group_id, role_id',
    }))
      yield rows.flatMap(row =>
        toItems(row, { user: null, group: groups.get(Number(row.group_id)) ?? null }),
      );
  },
  async find(db, keys) {
    const { rows } = await sql<Grant>`
      select * from (
        select project, roles.name as role, lower(coalesce(email, username)) as user, null as "group"
        from user_roles join roles on roles.id = role_id join users on users.id = user_id
        where project is not null and deleted_at is null
        union all
        select project, roles.name, null, groups.name
        from group_roles join roles on roles.id = role_id join groups on groups.id = group_id
      ) as held
      where project || '/' || role || '/' || coalesce('user ' || held.user, 'group ' || held."group") = any(${keys})`.execute(
      db,
    );
    return new Map(rows.map(row => [grantKey(row), row]));
  },
  async write(tx, items) {
    const rows = toJsonRows(items);
    await sql`
      insert into user_roles (user_id, role_id, project, created_at, created_by)
      select users.id, roles.id, given.project, coalesce("createdAt", now()), 'import from Unleash'
      from jsonb_to_recordset(${rows}::jsonb) as given (project text, role text, "user" text, "createdAt" timestamptz)
      join users on deleted_at is null and lower(coalesce(users.email, users.username)) = given."user"
      join roles on roles.name = given.role
      on conflict do nothing`.execute(tx);
    await sql`
      insert into group_roles (group_id, role_id, project, created_at, created_by)
      select groups.id, roles.id, given.project, coalesce("createdAt", now()), 'import from Unleash'
      from jsonb_to_recordset(${rows}::jsonb) as given (project text, role text, "group" text, "createdAt" timestamptz)
      join groups on groups.name = given."group"
      join roles on roles.name = given.role
      on conflict do nothing`.execute(tx);
  },
  event: state => ({ type: 'project-access-added', project: state.project, data: grantData(state) }),
  remove: {
    async write(tx, keys) {
      await sql`
        delete from user_roles using users, roles
        where users.id = user_id and roles.id = role_id and project is not null
          and project || '/' || roles.name || '/user ' || lower(coalesce(users.email, users.username)) = any(${keys})`.execute(
        tx,
      );
      await sql`
        delete from group_roles using groups, roles
        where groups.id = group_id and roles.id = role_id
          and project || '/' || roles.name || '/group ' || groups.name = any(${keys})`.execute(tx);
    },
    event: (stateBefore): NewEvent => ({
      type:
        stateBefore.user === null
          ? 'project-access-group-roles-deleted'
          : 'project-access-user-roles-deleted',
      project: stateBefore.project,
      preData: grantData(stateBefore),
    }),
  },
};

const grantData = ({ role, user, group }: Grant): object => ({
  roles: [role],
  ...(user === null ? { groupName: group } : { username: user }),
});

type Favorite = { user: string; feature: string | null; project: string };

const favoriteKey = ({ user, feature, project }: Favorite): string =>
  `${user}/${feature === null ? `project ${project}` : `feature ${feature}`}`;

export const FAVORITES: Kind<Favorite> = {
  name: 'favorites',
  async *read({ source, isRejected }) {
    const users = await readUserKeys(source);
    const toItems = (row: SourceRow, feature: string | null, project: string): Item<Favorite>[] => {
      const user = users.get(Number(row.user_id));
      if (user === undefined || isRejected('users', user)) return [];
      if (feature !== null && isRejected('features', feature)) return [];
      const state = { user, feature, project };
      return [{ key: favoriteKey(state), createdAt: parseTime(row.created_at), state }];
    };
    const columns = ['user_id', 'feature', 'project', 'created_at'];
    const featureFavorites = { table: 'favorite_features', columns, orderBy: 'user_id, feature' };
    for await (const rows of readBatches(source, featureFavorites)) {
      const names = rows.map(row => toText(row.feature));
      const projectByFeature = await readProjectsByFeature(source, names);
      yield rows.flatMap(row =>
        toItems(row, toText(row.feature), projectByFeature.get(toText(row.feature)) ?? 'default'),
      );
    }
    const projectFavorites = { table: 'favorite_projects', columns, orderBy: 'user_id, project' };
    for await (const rows of readBatches(source, projectFavorites))
      yield rows.flatMap(row => toItems(row, null, toText(row.project)));
  },
  async find(db, keys) {
    const { rows } = await sql<Favorite>`
      select * from (
        select lower(coalesce(email, username)) as user, feature_name as feature, features.project
        from favorite_features join users on users.id = user_id join features on features.name = feature_name
        union all
        select lower(coalesce(email, username)), null, project
        from favorite_projects join users on users.id = user_id
      ) as favorites
      where favorites.user || '/' || coalesce('feature ' || feature, 'project ' || project) = any(${keys})`.execute(
      db,
    );
    return new Map(rows.map(row => [favoriteKey(row), row]));
  },
  async write(tx, items) {
    const rows = toJsonRows(items);
    await sql`
      insert into favorite_features (user_id, feature_name, created_at)
      select users.id, feature, coalesce("createdAt", now())
      from jsonb_to_recordset(${rows}::jsonb) as given ("user" text, feature text, "createdAt" timestamptz)
      join users on deleted_at is null and lower(coalesce(users.email, users.username)) = given."user"
      where feature is not null on conflict do nothing`.execute(tx);
    await sql`
      insert into favorite_projects (user_id, project, created_at)
      select users.id, given.project, coalesce("createdAt", now())
      from jsonb_to_recordset(${rows}::jsonb) as given ("user" text, feature text, project text, "createdAt" timestamptz)
      join users on deleted_at is null and lower(coalesce(users.email, users.username)) = given."user"
      where feature is null on conflict do nothing`.execute(tx);
  },
  event: state =>
    state.feature === null
      ? { type: 'project-favorited', project: state.project, data: { username: state.user } }
      : {
          type: 'feature-favorited',
          project: state.project,
          featureName: state.feature,
          data: { username: state.user },
        },
  remove: {
    async write(tx, keys) {
      await sql`
        delete from favorite_features using users
        where users.id = user_id
          and lower(coalesce(users.email, users.username)) || '/feature ' || feature_name = any(${keys})`.execute(
        tx,
      );
      await sql`
        delete from favorite_projects using users
        where users.id = user_id
          and lower(coalesce(users.email, users.username)) || '/project ' || project = any(${keys})`.execute(
        tx,
      );
    },
    event: stateBefore =>
      stateBefore.feature === null
        ? { type: 'project-unfavorited', project: stateBefore.project, data: { username: stateBefore.user } }
        : {
            type: 'feature-unfavorited',
            project: stateBefore.project,
            featureName: stateBefore.feature,
            data: { username: stateBefore.user },
          },
  },
};
