import { jsonResponse, Optional, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { Caller, requireUser, toCaller } from '../../access/caller.ts';
import { requireFutureExpiry } from '../../access/expiry.ts';
import { listActorPermissions } from '../../access/held-permissions.ts';
import { type Actor, isAccount } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
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
import { findAccount, findProfileFields, listPersonalTokens, listUserRoles } from './store.ts';
import { TokenScopeSchema } from './token-scope-schema.ts';

async function describeCaller(db: Reader, actor: Actor): Promise<Caller> {
  const account = isAccount(actor) ? await findAccount(db, actor.userId) : undefined;
  return account
    ? toCaller(account, actor.kind !== 'user')
    : { id: actor.userId, name: actor.name, username: null, email: null, isAPI: true };
}

async function describeToken(db: Reader, { token, userId }: Actor): Promise<Pick<Me, 'token'>> {
  if (token === undefined) return {};
  const ownToken = (await listPersonalTokens(db, userId)).find(({ id }) => id === token.id);
  if (!ownToken) return {};
  const { id, description, kind, expiresAt, scope, changesLeft } = ownToken;
  return { token: { id, description, kind, expiresAt, scope, changesLeft } };
}

/** The authenticated user and their personal tokens. */
export const ME: OperationModule = {
  tag: 'Users',
  schemas: [
    TokenScopeSchema,
    Caller,
    HeldPermission,
    Me,
    HeldRole,
    HeldRoleList,
    Profile,
    PersonalToken,
    PersonalTokenList,
  ],
  operations: [
    query({
      id: 'getMe',
      route: 'GET /api/admin/user',
      summary: 'Get the caller',
      description:
        'Returns the user, service account or admin token that makes the request, with all permissions.',
      permission: 'NONE',
      output: jsonResponse('The caller', Me),
      read: async ({ db, actor }) => ({
        user: await describeCaller(db, actor),
        permissions: await listActorPermissions(db, actor),
        ...(await describeToken(db, actor)),
        feedback: [],
        splash: {},
      }),
    }),
    query({
      id: 'getProfile',
      route: 'GET /api/admin/user/profile',
      summary: 'Get my profile',
      description:
        'Returns the root role of the authenticated user, their groups and the projects where they have a role.',
      permission: 'NONE',
      output: jsonResponse('The profile', Profile),
      read: async ({ db, actor }) => {
        const user = requireUser(actor);
        const roles = await listUserRoles(db, user);
        return {
          ...(await findProfileFields(db, user)),
          rootRole: roles.find(role => role.project === undefined) ?? null,
          projects: [...new Set(roles.flatMap(role => role.project ?? []))],
          features: [],
          subscriptions: [],
        };
      },
    }),
    query({
      id: 'getMyRoles',
      route: 'GET /api/admin/user/roles',
      summary: 'List my roles',
      description:
        'Returns the root role of the authenticated user and their roles in all projects, or in the given one.',
      permission: 'NONE',
      query: Type.Object({
        projectId: Optional.String({
          maxLength: 100,
          description: 'Id of a project',
          examples: ['payments'],
        }),
      }),
      output: jsonResponse('The roles', HeldRoleList),
      read: async ({ db, actor }, { query: { projectId } }) => ({
        version: 1,
        roles: await listUserRoles(db, requireUser(actor), projectId),
      }),
    }),
    query({
      id: 'getPersonalTokens',
      route: 'GET /api/admin/user/tokens',
      summary: 'List my personal tokens',
      description: 'Returns the personal access tokens of the authenticated user, without their secrets.',
      permission: 'NONE',
      output: jsonResponse('The tokens', PersonalTokenList),
      read: async ({ db, actor }) => ({ pats: await listPersonalTokens(db, requireUser(actor)) }),
    }),
    command({
      id: 'createPersonalToken',
      route: 'POST /api/admin/user/tokens',
      summary: 'Create a personal token',
      description:
        "Creates a token for the authenticated user, or for an agent that acts on their behalf. The token has the user's current permissions, unless a scope limits them. Only this response has the secret. A user can have at most ten tokens. A token with a scope cannot create tokens.",
      permission: 'NONE',
      body: NewPersonalToken,
      output: jsonResponse('The new token, with its secret', PersonalToken),
      status: 201,
      rejects: [409],
      returnsSecret: true,
      rejectUnknownFieldsExcept: ACCEPTED_FIELDS.token,
      checks: [({ body }) => requireFutureExpiry(body.expiresAt)],
      events: ['pat-created'],
      run: (current, { body }) => createPersonalToken(current, body),
    }),
    command({
      id: 'deletePersonalToken',
      route: 'DELETE /api/admin/user/tokens/:id',
      summary: 'Delete a personal token',
      description:
        "Deletes one of the authenticated user's tokens. Every server rejects the token immediately.",
      permission: 'NONE',
      params: Type.Object({ id: PathId('Token', '3') }),
      events: ['pat-deleted'],
      run: (current, { params: { id } }) => removePersonalToken(current, Number(id)),
    }),
  ],
};
