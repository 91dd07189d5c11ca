import { Type } from 'typebox';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, Nothing, refusals } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { createApiToken, tokenViolations } from './create.ts';
import { keyOf } from './key.ts';
import { readableTypes } from './permission.ts';
import { projectTokenRoutes } from './project-routes.ts';
import { revokeApiToken } from './revoke.ts';
import { ApiToken, ApiTokenList, ApiTokenUpdate, NewApiToken } from './schema.ts';
import { isCalled, listTokens } from './store.ts';
import { updateApiToken } from './update.ts';

const tags = ['API tokens'];
const params = Type.Object({
  token: Type.String({
    title: 'ApiTokenOrId',
    maxLength: 512,
    description: 'The token itself, or its id',
    examples: ['12'],
  }),
});

export function apiTokenRoutes(app: App, db: Db, limits: Pick<Limits, 'apiTokens'>): void {
  for (const schema of [ApiToken, ApiTokenList]) app.addSchema(schema);

  app.get(
    '/api/admin/api-tokens',
    {
      config: { permission: ['READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN'] },
      schema: {
        operationId: 'getApiTokens',
        tags,
        summary: 'List API tokens',
        description: 'The tokens of the types the caller may read, without their secrets.',
        response: { 200: answer('The tokens', ApiTokenList), ...refusals(401, 403) },
      },
    },
    async request => ({ tokens: await listTokens(db, request.actor, readableTypes(request.actor)) }),
  );

  app.get(
    '/api/admin/api-tokens/:token',
    {
      config: { permission: ['READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN'] },
      schema: {
        operationId: 'getApiTokensByName',
        tags,
        summary: 'Find API tokens',
        description:
          'The tokens of this name, or the one with this id, or the one that this is: who has kept a token finds out by it what it is for. Empty if there is none the caller may read.',
        params: Type.Object({
          token: Type.String({
            maxLength: 512,
            description: 'A name, an id, or the token itself',
            examples: ['checkout service'],
          }),
        }),
        response: { 200: answer('The tokens', ApiTokenList), ...refusals(400, 401, 403) },
      },
    },
    async request => {
      const { token } = request.params;
      const matches = isCalled(token, keyOf(token));
      return { tokens: await listTokens(db, request.actor, readableTypes(request.actor), matches) };
    },
  );

  app.post(
    '/api/admin/api-tokens',
    {
      config: {
        permission: ['CREATE_CLIENT_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN'],
        answersSecret: true,
        checks: [({ body, actor }) => tokenViolations(db, actor, body)],
      },
      schema: {
        operationId: 'createApiToken',
        tags,
        summary: 'Create an API token',
        description:
          'Creates a token for SDKs. The secret is in this answer and nowhere else: only its hash is stored. Admin tokens are chosen by the operator (HALYARD_INIT_ADMIN_TOKENS). Events: api-token-created.',
        body: NewApiToken,
        response: {
          201: answer('The new token, with its secret', ApiToken),
          ...refusals(400, 401, 403, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const token = await change(db, actor, current => createApiToken(current, body, limits.apiTokens));
      return reply.code(201).send(token);
    },
  );

  app.put(
    '/api/admin/api-tokens/:token',
    {
      config: { permission: ['UPDATE_CLIENT_API_TOKEN', 'UPDATE_FRONTEND_API_TOKEN'] },
      schema: {
        operationId: 'updateApiToken',
        tags,
        summary: 'Change when an API token expires',
        description: 'Sets the time from which the token is refused; null: never. Events: api-token-updated.',
        params,
        body: ApiTokenUpdate,
        response: {
          200: answer('The token, without its secret', ApiToken),
          ...refusals(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const key = keyOf(request.params.token);
      return await change(db, request.actor, current => updateApiToken(current, key, request.body));
    },
  );

  app.delete(
    '/api/admin/api-tokens/:token',
    {
      config: { permission: ['DELETE_CLIENT_API_TOKEN', 'DELETE_FRONTEND_API_TOKEN'] },
      schema: {
        operationId: 'deleteApiToken',
        tags,
        summary: 'Revoke an API token',
        description: 'The token is refused from now on, by every server. Events: api-token-deleted.',
        params,
        response: { 200: Nothing, ...refusals(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const key = keyOf(request.params.token);
      await change(db, request.actor, current => revokeApiToken(current, key));
      return reply.code(200).send();
    },
  );

  projectTokenRoutes(app, db, limits);
}
