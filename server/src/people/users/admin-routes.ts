import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing, PathId } from '../../platform/http/schema.ts';
import { rejectWeakPassword } from '../../platform/secrets/password-strength.ts';
import { change } from '../../record/change.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { hashNewPassword, setPassword } from '../passwords/change.ts';
import { createResetLink } from '../passwords/link.ts';
import { NewPassword, PasswordToCheck, ResetLink } from '../passwords/schema.ts';
import { endAllSessions } from '../sessions/end.ts';
import {
  AccessCandidates,
  AdminCount,
  InactiveUser,
  InactiveUserList,
  NewUser,
  PermissionOverview,
  Person,
  PersonList,
  User,
  UserIds,
  UserKey,
  UserList,
  UserUpdate,
} from './admin-schema.ts';
import { checkNewUser, createUserWithLink, newUserViolations, rootRoleViolations } from './create.ts';
import { permissionOverview } from './permissions.ts';
import { INACTIVE_DAYS, removeInactiveUsers, removeUser } from './remove.ts';
import {
  countAdminsByPassword,
  findUser,
  listGroupNames,
  listInactiveUsers,
  listPeople,
  listRootRoles,
  listUsers,
  searchUsers,
} from './store.ts';
import { changeUser } from './update.ts';
import { VERSIONED_USER } from './version.ts';

const tags = ['Users'];
const config = { permission: ['ADMIN'] } as const;
const params = Type.Object({
  id: PathId('User', '7'),
});

export function userAdminRoutes(app: App, db: Db, publicUrl: string): void {
  const named = [
    User,
    UserList,
    Person,
    PersonList,
    AccessCandidates,
    AdminCount,
    PermissionOverview,
    InactiveUser,
    InactiveUserList,
  ];
  for (const schema of named) app.addSchema(schema);

  app.get(
    '/api/admin/user-admin',
    {
      config,
      schema: {
        operationId: 'getUsers',
        tags,
        summary: 'List users',
        description: 'Returns all users, by id, and the root roles that can be granted. Requires ADMIN.',
        response: { 200: jsonResponse('The users', UserList), ...errorResponses(401, 403) },
      },
    },
    async () => ({ users: await listUsers(db), rootRoles: await listRootRoles(db) }),
  );

  app.post(
    '/api/admin/user-admin',
    {
      config: {
        ...config,
        returnsSecret: true,
        rejectUnknownFields: ACCEPTED_FIELDS.user,
        checks: [
          ({ body, invalid }) => newUserViolations(db, body, invalid.has('email') || invalid.has('username')),
        ],
      },
      schema: {
        operationId: 'createUser',
        tags,
        summary: 'Create a user',
        description:
          'Creates a user with a username, an e-mail address or both. Without a password, the response has a link with which the user sets one. This server sends no mail, so pass the link on yourself. Requires ADMIN. Events: user-created.',
        body: NewUser,
        response: {
          201: jsonResponse('The new user', User),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      // Unleash clients send an empty string for a missing password.
      const newUser = await checkNewUser({ ...request.body, password: request.body.password || null });
      const user = await change(db, request.actor, current =>
        createUserWithLink(current, newUser, publicUrl),
      );
      return reply.code(201).send(user);
    },
  );

  app.get(
    '/api/admin/user-admin/search',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'searchUsers',
        tags,
        summary: 'Search users',
        description:
          'Returns at most 100 users whose name, username or e-mail address contains the text (case-insensitive). Exact matches come first. Without a text the list is empty. Every authenticated caller can do this.',
        querystring: Type.Object({
          q: Type.Optional(Type.String({ maxLength: 255, description: 'Text to find', examples: ['alice'] })),
        }),
        response: { 200: jsonResponse('The users found', PersonList), ...errorResponses(400, 401, 403) },
      },
    },
    async request => (request.query.q ? await searchUsers(db, request.query.q) : []),
  );

  app.get(
    '/api/admin/user-admin/access',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getAccessCandidates',
        tags,
        summary: 'List access candidates',
        description:
          'Returns all users and groups that can be granted roles in a project. Every authenticated caller can do this.',
        response: { 200: jsonResponse('Users and groups', AccessCandidates), ...errorResponses(401, 403) },
      },
    },
    async () => ({ users: await listPeople(db), groups: await listGroupNames(db) }),
  );

  app.get(
    '/api/admin/user-admin/admin-count',
    {
      config,
      schema: {
        operationId: 'getAdminCount',
        tags,
        summary: 'Count the admins',
        description:
          'Returns the number of admins with and without a password, and of service accounts with ADMIN. Requires ADMIN.',
        response: { 200: jsonResponse('The counts', AdminCount), ...errorResponses(401, 403) },
      },
    },
    async () => await countAdminsByPassword(db),
  );

  app.post(
    '/api/admin/user-admin/validate-password',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'validatePasswordOfUser',
        tags,
        summary: 'Validate a password',
        description:
          'Checks the strength of a password. `details` lists the violations. Every authenticated caller can do this.',
        body: PasswordToCheck,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 413, 415) },
      },
    },
    async (request, reply) => {
      rejectWeakPassword(request.body.password);
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/user-admin/reset-password',
    {
      config: { ...config, returnsSecret: true, rejectUnknownFields: [] },
      schema: {
        operationId: 'createResetLink',
        tags,
        summary: 'Create a password reset link',
        description:
          'Creates a link that works once, for a day. It replaces an earlier link. The current password works until the link is used. Requires ADMIN. Events: user-password-link-created.',
        body: UserKey,
        response: {
          200: jsonResponse('The link', ResetLink),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { id } = request.body;
      const resetPasswordUrl = await change(db, request.actor, current =>
        createResetLink(current, id, publicUrl),
      );
      return { resetPasswordUrl };
    },
  );

  app.get(
    '/api/admin/user-admin/inactive',
    {
      config,
      schema: {
        operationId: 'getInactiveUsers',
        tags,
        summary: 'List inactive users',
        description: `Returns users without a request for ${INACTIVE_DAYS} days, the longest inactive first. Requires ADMIN.`,
        response: { 200: jsonResponse('The users', InactiveUserList), ...errorResponses(401, 403) },
      },
    },
    async () => ({ version: 1, inactiveUsers: await listInactiveUsers(db, INACTIVE_DAYS) }),
  );

  app.post(
    '/api/admin/user-admin/inactive/delete',
    {
      config,
      schema: {
        operationId: 'deleteInactiveUsers',
        tags,
        summary: 'Delete inactive users',
        description:
          'Deletes all of the users, or none if one of them is not inactive. Requires ADMIN. Events: user-deleted, project-access-user-roles-deleted for each project, group-user-removed for each group.',
        body: UserIds,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 413, 415) },
      },
    },
    async (request, reply) => {
      await change(db, request.actor, current => removeInactiveUsers(current, request.body.ids));
      return reply.code(200).send();
    },
  );

  app.get(
    '/api/admin/user-admin/:id',
    {
      config: { ...config, etag: true },
      schema: {
        operationId: 'getUser',
        tags,
        summary: 'Get a user',
        description: 'Returns one user with their root role. Requires ADMIN.',
        params,
        response: { 200: jsonResponse('The user', User), ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const user = await findUser(db, Number(request.params.id));
      if (!user) throw notFound(`User ${request.params.id}`);
      return sendVersion(request, reply, VERSIONED_USER, user);
    },
  );

  app.put(
    '/api/admin/user-admin/:id',
    {
      config: {
        ...config,
        ifMatch: true,
        rejectUnknownFields: ACCEPTED_FIELDS.user,
        checks: [({ body }) => (body.rootRole === undefined ? [] : rootRoleViolations(db, body.rootRole))],
      },
      schema: {
        operationId: 'updateUser',
        tags,
        summary: 'Update a user',
        description:
          'Updates the given fields: name, e-mail address or root role. The last admin cannot lose their role. Requires ADMIN. Events: user-updated.',
        params,
        body: UserUpdate,
        response: {
          200: jsonResponse('The user', User),
          ...errorResponses(400, 401, 403, 404, 409, 413, 415),
        },
      },
    },
    async request => {
      const id = Number(request.params.id);
      return await changeVersion(db, request, VERSIONED_USER, id, current =>
        changeUser(current, id, request.body),
      );
    },
  );

  app.delete(
    '/api/admin/user-admin/:id',
    {
      config: { ...config, ifMatch: true },
      schema: {
        operationId: 'deleteUser',
        tags,
        summary: 'Delete a user',
        description:
          'Deletes a user with their sessions, tokens, roles and group memberships. Their events keep their name. Their username and e-mail address can be used again. The last admin cannot be deleted. Requires ADMIN. Events: user-deleted, project-access-user-roles-deleted for each project, group-user-removed for each group.',
        params,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.id);
      await changeVersion(db, request, VERSIONED_USER, id, current => removeUser(current, id));
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/user-admin/:id/change-password',
    {
      config,
      schema: {
        operationId: 'changeUserPassword',
        tags,
        summary: 'Set the password of a user',
        description:
          'Sets a new password and ends all sessions of the user. Requires ADMIN. Events: user-password-changed.',
        params,
        body: NewPassword,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.id);
      const hash = await hashNewPassword(db, id, request.body);
      await change(db, request.actor, current => setPassword(current, id, hash));
      return reply.code(200).send();
    },
  );

  app.delete(
    '/api/admin/user-admin/:id/sessions',
    {
      config,
      schema: {
        operationId: 'endSessionsOfUser',
        tags,
        summary: 'Log a user out everywhere',
        description:
          'Ends all sessions of the user. Personal tokens keep working. Requires ADMIN. Events: user-sessions-ended.',
        params,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const user = await findUser(db, Number(request.params.id));
      if (!user) throw notFound(`User ${request.params.id}`);
      const owner = { userId: user.id, username: user.username ?? user.email };
      await change(db, request.actor, current => endAllSessions(current, owner));
      return reply.code(200).send();
    },
  );

  app.get(
    '/api/admin/user-admin/:id/permissions',
    {
      config,
      schema: {
        operationId: 'getUserPermissions',
        tags,
        summary: 'Get the permissions of a user',
        description:
          'Returns every permission and whether the user has it: on the instance, in the given project and in the given environment. Requires ADMIN.',
        params,
        querystring: Type.Object({
          project: Type.Optional(
            Type.String({ maxLength: 100, description: 'Id of a project', examples: ['payments'] }),
          ),
          environment: Type.Optional(
            Type.String({ maxLength: 100, description: 'Name of an environment', examples: ['production'] }),
          ),
        }),
        response: {
          200: jsonResponse('The permissions', PermissionOverview),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async request =>
      await permissionOverview(
        db,
        Number(request.params.id),
        request.query.project,
        request.query.environment,
      ),
  );
}
