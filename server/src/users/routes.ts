import { Type } from 'typebox';
import { permissionsOf } from '../access/grant.ts';
import { type Actor, isAccount } from '../actor.ts';
import type { Db } from '../db/database.ts';
import type { App } from '../http/app.ts';
import { answer, Nothing, refusals } from '../http/schema.ts';
import { createPersonalToken, ownerId, removePersonalToken } from './personal-tokens.ts';
import { HeldPermission, Me, NewPersonalToken, PersonalToken, PersonalTokenList } from './schema.ts';
import { findUser, listPersonalTokens } from './store.ts';

export function userRoutes(app: App, db: Db): void {
  for (const schema of [HeldPermission, Me, PersonalToken, PersonalTokenList]) app.addSchema(schema);

  app.get(
    '/api/admin/user',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getMe',
        tags: ['Users'],
        summary: 'Who am I',
        description: 'The user or token that makes this request, and everything it may do.',
        response: { 200: answer('The caller', Me), ...refusals(401, 403) },
      },
    },
    async request => ({
      user: await describeCaller(db, request.actor),
      permissions: await permissionsOf(db, request.actor),
    }),
  );

  app.get(
    '/api/admin/user/tokens',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getPersonalTokens',
        tags: ['Users'],
        summary: 'List my personal tokens',
        description: 'The personal access tokens of the caller, without their secrets.',
        response: { 200: answer('The tokens', PersonalTokenList), ...refusals(401, 403) },
      },
    },
    async request => ({ pats: await listPersonalTokens(db, ownerId(request.actor)) }),
  );

  app.post(
    '/api/admin/user/tokens',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'createPersonalToken',
        tags: ['Users'],
        summary: 'Create a personal token',
        description:
          'Creates a token that acts as the caller. The secret is in this answer and nowhere else. At most ten per user. Events: pat-created.',
        body: NewPersonalToken,
        response: {
          201: answer('The new token, with its secret', PersonalToken),
          ...refusals(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createPersonalToken(db, request.actor, request.body)),
  );

  app.delete(
    '/api/admin/user/tokens/:id',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'deletePersonalToken',
        tags: ['Users'],
        summary: 'Delete a personal token',
        description: 'The token is refused from now on, by every server. Events: pat-deleted.',
        params: Type.Object({
          id: Type.String({
            pattern: '^[0-9]{1,9}$',
            'x-rule': 'must be a whole number',
            description: 'Id of the token',
            examples: ['3'],
          }),
        }),
        response: { 200: Nothing, ...refusals(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      await removePersonalToken(db, request.actor, Number(request.params.id));
      return reply.code(200).send();
    },
  );
}

async function describeCaller(db: Db, actor: Actor): Promise<Me['user']> {
  const user = isAccount(actor) ? await findUser(db, actor.userId) : undefined;
  return user
    ? { ...user, isAPI: actor.kind !== 'user' }
    : { id: actor.userId, name: actor.name, username: null, email: null, isAPI: true };
}
