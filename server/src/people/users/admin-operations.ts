import { notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse, Optional, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import type { Reader } from '../../platform/db/database.ts';
import { rejectWeakPassword } from '../../platform/secrets/password-strength.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { createResetLink } from '../passwords/link.ts';
import { PasswordToCheck, ResetLink } from '../passwords/schema.ts';
import { endAllSessions } from '../sessions/end.ts';
import {
  AccessCandidates,
  AdminCount,
  InactiveUser,
  InactiveUserList,
  ListedUser,
  PermissionOverview,
  Person,
  PersonList,
  User,
  UserIds,
  UserKey,
  UserList,
  UserUpdate,
} from './admin-schema.ts';
import { findRootRoleViolations } from './create.ts';
import { deactivateUser, reactivateUser } from './deactivate.ts';
import { readPermissionOverview } from './permissions.ts';
import { INACTIVE_DAYS, removeInactiveUsers, removeUser } from './remove.ts';
import {
  countAdminsByPassword,
  findUser,
  listGroupCandidates,
  listInactiveUsers,
  listPeople,
  listRootRoles,
  listUsers,
  searchUsers,
} from './store.ts';
import { changeUser } from './update.ts';
import { VERSIONED_USER } from './version.ts';

const params = Type.Object({ id: PathId('User', '7') });

async function readUser(db: Reader, id: number): Promise<User> {
  const user = await findUser(db, id);
  if (!user) throw notFound(`User ${id}`);
  return user;
}

export const USERS: OperationModule = {
  tag: 'Users',
  schemas: [
    User,
    ListedUser,
    UserList,
    Person,
    PersonList,
    AccessCandidates,
    AdminCount,
    PermissionOverview,
    InactiveUser,
    InactiveUserList,
  ],
  operations: [
    query({
      id: 'getUsers',
      route: 'GET /api/admin/user-admin',
      summary: 'List users',
      description:
        'Returns all users, sorted by id, with their groups and how they log in, and the root roles that can be granted.',
      permission: ['ADMIN'],
      query: Type.Object({
        deactivated: Optional.String({
          enum: ['true', 'false'],
          description: 'true: only deactivated users; false: only active users; default: both',
          examples: ['true'],
        }),
      }),
      output: jsonResponse('The users', UserList),
      read: async ({ db }, { query: { deactivated } }) => ({
        users: await listUsers(db, deactivated === undefined ? undefined : deactivated === 'true'),
        rootRoles: await listRootRoles(db),
      }),
    }),
    query({
      id: 'searchUsers',
      route: 'GET /api/admin/user-admin/search',
      summary: 'Search users',
      description:
        'Returns at most 100 users whose name, username or email address contains the query (case-insensitive). Exact matches come first. Deactivated users are not found. Without a query the list is empty. Every authenticated caller may call it.',
      permission: 'NONE',
      query: Type.Object({
        q: Optional.String({ maxLength: 255, description: 'String to find', examples: ['alice'] }),
      }),
      output: jsonResponse('The users found', PersonList),
      read: async ({ db }, { query: { q } }) => (q ? await searchUsers(db, q) : []),
    }),
    query({
      id: 'getAccessCandidates',
      route: 'GET /api/admin/user-admin/access',
      summary: 'List access candidates',
      description:
        'Returns all users and groups that can be granted roles in a project, without deactivated users. Every authenticated caller may call it.',
      permission: 'NONE',
      output: jsonResponse('Users and groups', AccessCandidates),
      read: async ({ db }) => ({ users: await listPeople(db), groups: await listGroupCandidates(db) }),
    }),
    query({
      id: 'getAdminCount',
      route: 'GET /api/admin/user-admin/admin-count',
      summary: 'Count the admins',
      description:
        'Returns the number of admins with and without a password, and of service accounts with ADMIN.',
      permission: ['ADMIN'],
      output: jsonResponse('The counts', AdminCount),
      read: ({ db }) => countAdminsByPassword(db),
    }),
    query({
      id: 'validatePasswordOfUser',
      route: 'POST /api/admin/user-admin/validate-password',
      summary: 'Validate a password',
      description:
        'Checks the strength of a password. `details` lists the violations. Every authenticated caller may call it.',
      permission: 'NONE',
      body: PasswordToCheck,
      read: async (_, { body: { password } }) => rejectWeakPassword(password),
    }),
    command({
      id: 'createResetLink',
      route: 'POST /api/admin/user-admin/reset-password',
      summary: 'Create a password reset link',
      description:
        'Creates a link that can be used once, within a day. It replaces any earlier link. The current password works until the link is used.',
      permission: ['ADMIN'],
      body: UserKey,
      output: jsonResponse('The link', ResetLink),
      rejects: [404],
      returnsSecret: true,
      rejectUnknownFieldsExcept: [],
      events: ['user-password-link-created'],
      run: async (current, { body: { id } }, { publicUrl }) => ({
        resetPasswordUrl: await createResetLink(current, id, publicUrl),
      }),
    }),
    query({
      id: 'getInactiveUsers',
      route: 'GET /api/admin/user-admin/inactive',
      summary: 'List inactive users',
      description: `Returns users who have sent no request for ${INACTIVE_DAYS} days, longest inactive first.`,
      permission: ['ADMIN'],
      output: jsonResponse('The users', InactiveUserList),
      read: async ({ db }) => ({ version: 1, inactiveUsers: await listInactiveUsers(db, INACTIVE_DAYS) }),
    }),
    command({
      id: 'deleteInactiveUsers',
      route: 'POST /api/admin/user-admin/inactive/delete',
      summary: 'Delete inactive users',
      description:
        'Deletes all of the users, or none if one of them was active. Revokes their roles and memberships, with one event for each project and each group.',
      permission: ['ADMIN'],
      body: UserIds,
      events: ['user-deleted', 'project-access-user-roles-deleted', 'group-user-removed'],
      run: (current, { body: { ids } }) => removeInactiveUsers(current, ids),
    }),
    query({
      id: 'getUser',
      route: 'GET /api/admin/user-admin/:id',
      summary: 'Get a user',
      description: 'Returns one user with their root role.',
      permission: ['ADMIN'],
      params,
      output: jsonResponse('The user', User),
      versioned: VERSIONED_USER,
      read: ({ db }, { params: { id } }) => readUser(db, Number(id)),
    }),
    command({
      id: 'updateUser',
      route: 'PUT /api/admin/user-admin/:id',
      summary: 'Update a user',
      description:
        'Updates the given fields: name, email address or root role. The last admin cannot lose their role.',
      permission: ['ADMIN'],
      params,
      body: UserUpdate,
      output: jsonResponse('The user', User),
      rejects: [409],
      rejectUnknownFieldsExcept: ACCEPTED_FIELDS.user,
      checks: [
        ({ body }, db) => (body.rootRole === undefined ? [] : findRootRoleViolations(db, body.rootRole)),
      ],
      events: ['user-updated'],
      precondition: ({ params: { id } }) => requireUnchanged(VERSIONED_USER, Number(id)),
      run: (current, { params: { id }, body }) => changeUser(current, Number(id), body),
    }),
    command({
      id: 'deleteUser',
      route: 'DELETE /api/admin/user-admin/:id',
      summary: 'Delete a user',
      description:
        'Deletes a user with their sessions, tokens, roles and group memberships, with one event for each project and each group. Events that they created keep their name. Their username and email address can be used again. The last admin cannot be deleted.',
      permission: ['ADMIN'],
      params,
      events: ['user-deleted', 'project-access-user-roles-deleted', 'group-user-removed'],
      precondition: ({ params: { id } }) => requireUnchanged(VERSIONED_USER, Number(id)),
      run: (current, { params: { id } }) => removeUser(current, Number(id)),
    }),
    command({
      id: 'deactivateUser',
      route: 'POST /api/admin/user-admin/:id/deactivate',
      summary: 'Deactivate a user',
      description:
        'Ends all sessions of the user and deletes their personal tokens and password link. Every server rejects them immediately, and the user cannot log in, not even with single sign-on, until somebody reactivates them. The user keeps their roles and group memberships. The last active admin cannot be deactivated. Deactivating a deactivated user changes nothing.',
      permission: ['ADMIN'],
      params,
      output: jsonResponse('The user', User),
      events: ['user-deactivated'],
      precondition: ({ params: { id } }) => requireUnchanged(VERSIONED_USER, Number(id)),
      run: (current, { params: { id } }) => deactivateUser(current, Number(id)),
    }),
    command({
      id: 'reactivateUser',
      route: 'POST /api/admin/user-admin/:id/reactivate',
      summary: 'Reactivate a user',
      description:
        'Lets a deactivated user log in again, with the roles and groups that they have. Sessions and tokens that ended with the deactivation are not restored.',
      permission: ['ADMIN'],
      params,
      output: jsonResponse('The user', User),
      events: ['user-reactivated'],
      precondition: ({ params: { id } }) => requireUnchanged(VERSIONED_USER, Number(id)),
      run: (current, { params: { id } }) => reactivateUser(current, Number(id)),
    }),
    command({
      id: 'endSessionsOfUser',
      route: 'DELETE /api/admin/user-admin/:id/sessions',
      summary: 'Log a user out everywhere',
      description: 'Ends all sessions of the user. Personal tokens keep working.',
      permission: ['ADMIN'],
      params,
      events: ['user-sessions-ended'],
      run: async (current, { params }) => {
        const { id, username, email } = await readUser(current.tx, Number(params.id));
        await endAllSessions(current, { userId: id, username: username ?? email });
      },
    }),
    query({
      id: 'getUserPermissions',
      route: 'GET /api/admin/user-admin/:id/permissions',
      summary: "Get a user's permissions",
      description:
        'Returns every permission and whether the user has it: on the instance, in the given project and in the given environment.',
      permission: ['ADMIN'],
      params,
      query: Type.Object({
        project: Optional.String({ maxLength: 100, description: 'Id of a project', examples: ['payments'] }),
        environment: Optional.String({
          maxLength: 100,
          description: 'Name of an environment',
          examples: ['production'],
        }),
      }),
      output: jsonResponse('The permissions', PermissionOverview),
      read: ({ db }, { params: { id }, query: { project, environment } }) =>
        readPermissionOverview(db, Number(id), project, environment),
    }),
  ],
};
