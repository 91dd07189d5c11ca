import { Type } from 'typebox';
import { asCaller, Caller, requireUser } from '../../access/caller.ts';
import { setSessionCookie } from '../../access/cookie.ts';
import { requireFutureExpiry } from '../../access/expiry.ts';
import { permissionsOf } from '../../access/held-permissions.ts';
import { type Actor, isAccount } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing, PathId } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { changeOwnPassword, verifyOwnPassword } from '../passwords/change.ts';
import { OwnNewPassword } from '../passwords/schema.ts';
import { createPersonalToken, removePersonalToken } from './personal-tokens.ts';
import {
  HeldPermission,
  HeldRole,
  HeldRoleList,
  Me,
  NewPersonalToken,
  PersonalToken,
  PersonalTokenList,
  Profile,
} from './schema.ts';
import { findAccount, findMembership, listPersonalTokens, listRolesOf } from './store.ts';

export function userRoutes(app: App, db: Db, publicUrl: string): void {
  const named = [
    Caller,
    HeldPermission,
    Me,
    HeldRole,
    HeldRoleList,
    Profile,
    PersonalToken,
    PersonalTokenList,
  ];
  for (const schema of named) app.addSchema(schema);

  app.get(
    '/api/admin/user',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getMe',
        tags: ['Users'],
        summary: 'Get the caller',
        description:
          'Returns the user, service account or admin token of this request, and all of its permissions.',
        response: { 200: jsonResponse('The caller', Me), ...errorResponses(401, 403) },
      },
    },
    async request => ({
      user: await describeCaller(db, request.actor),
      permissions: await permissionsOf(db, request.actor),
      feedback: [],
      splash: {},
    }),
  );

  app.get(
    '/api/admin/user/profile',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProfile',
        tags: ['Users'],
        summary: 'Get my profile',
        description:
          'Returns the root role of the authenticated user, their groups and the projects in which they have a role.',
        response: { 200: jsonResponse('The profile', Profile), ...errorResponses(401, 403) },
      },
    },
    async request => {
      const user = requireUser(request.actor);
      const roles = await listRolesOf(db, user);
      return {
        ...(await findMembership(db, user)),
        rootRole: roles.find(role => role.project === undefined) ?? null,
        projects: [...new Set(roles.flatMap(role => role.project ?? []))],
        features: [],
        subscriptions: [],
      };
    },
  );

  app.get(
    '/api/admin/user/roles',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getMyRoles',
        tags: ['Users'],
        summary: 'List my roles',
        description:
          'Returns the root role of the authenticated user and their roles in all projects, or in the given one.',
        querystring: Type.Object({
          projectId: Type.Optional(
            Type.String({ maxLength: 100, description: 'Id of a project', examples: ['payments'] }),
          ),
        }),
        response: { 200: jsonResponse('The roles', HeldRoleList), ...errorResponses(400, 401, 403) },
      },
    },
    async request => ({
      version: 1,
      roles: await listRolesOf(db, requireUser(request.actor), request.query.projectId),
    }),
  );

  app.post(
    '/api/admin/user/change-password',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'changeMyPassword',
        tags: ['Users'],
        summary: 'Change my password',
        description:
          'Sets a new password for the authenticated user. Requires the current password. A wrong one counts as a failed login. Ends all sessions of the user. A request with a session gets a new one. Events: user-password-changed.',
        body: OwnNewPassword,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 413, 415) },
      },
    },
    async (request, reply) => {
      requireUser(request.actor);
      const origin = { ip: request.ip, userAgent: request.headers['user-agent'] };
      const session = request.sessionId === null ? undefined : origin;
      const verified = await verifyOwnPassword(db, request.actor, request.body);
      const secret = await change(db, request.actor, current =>
        changeOwnPassword(current, verified, session),
      );
      if (secret !== undefined) setSessionCookie(reply, publicUrl, secret);
      return reply.code(200).send();
    },
  );

  app.get(
    '/api/admin/user/tokens',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getPersonalTokens',
        tags: ['Users'],
        summary: 'List my personal tokens',
        description: 'Returns the personal access tokens of the authenticated user, without their secrets.',
        response: { 200: jsonResponse('The tokens', PersonalTokenList), ...errorResponses(401, 403) },
      },
    },
    async request => ({ pats: await listPersonalTokens(db, requireUser(request.actor)) }),
  );

  app.post(
    '/api/admin/user/tokens',
    {
      config: {
        permission: 'NONE',
        returnsSecret: true,
        rejectUnknownFields: ACCEPTED_FIELDS.token,
        checks: [({ body }) => requireFutureExpiry(body.expiresAt)],
      },
      schema: {
        operationId: 'createPersonalToken',
        tags: ['Users'],
        summary: 'Create a personal token',
        description:
          'Creates a token that acts as the authenticated user. Only this response has the secret. A user can have ten tokens. Events: pat-created.',
        body: NewPersonalToken,
        response: {
          201: jsonResponse('The new token, with its secret', PersonalToken),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const token = await change(db, actor, current => createPersonalToken(current, body));
      return reply.code(201).send(token);
    },
  );

  app.delete(
    '/api/admin/user/tokens/:id',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'deletePersonalToken',
        tags: ['Users'],
        summary: 'Delete a personal token',
        description:
          'Deletes a token of the authenticated user. Every server rejects it immediately. Events: pat-deleted.',
        params: Type.Object({
          id: PathId('Token', '3'),
        }),
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.id);
      await change(db, request.actor, current => removePersonalToken(current, id));
      return reply.code(200).send();
    },
  );
}

async function describeCaller(db: Db, actor: Actor): Promise<Caller> {
  const account = isAccount(actor) ? await findAccount(db, actor.userId) : undefined;
  return account
    ? asCaller(account, actor.kind !== 'user')
    : { id: actor.userId, name: actor.name, username: null, email: null, isAPI: true };
}
