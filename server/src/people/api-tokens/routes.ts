import { Type } from 'typebox';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { makeEtag, unlessKnown } from '../../platform/http/etag.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { createApiToken, tokenViolations } from './create.ts';
import { apiTokenKey } from './key.ts';
import { readableTypes } from './permission.ts';
import { projectTokenRoutes } from './project-routes.ts';
import { revokeApiToken } from './revoke.ts';
import { ApiToken, ApiTokenList, ApiTokenUpdate, NewApiToken } from './schema.ts';
import { hasKeyOrName, listTokens } from './store.ts';
import { updateApiToken } from './update.ts';
import { VERSIONED_API_TOKEN } from './version.ts';

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
        description:
          'Returns the tokens without their secrets. READ_CLIENT_API_TOKEN shows client and backend tokens, READ_FRONTEND_API_TOKEN frontend tokens, ADMIN all.',
        response: { 200: jsonResponse('The tokens', ApiTokenList), ...errorResponses(401, 403) },
      },
    },
    async request => ({ tokens: await listTokens(db, request.actor, readableTypes(request.actor)) }),
  );

  app.get(
    '/api/admin/api-tokens/:token',
    {
      config: { etag: true, permission: ['READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN'] },
      schema: {
        operationId: 'getApiTokensByName',
        tags,
        summary: 'Find API tokens',
        description:
          'Returns the tokens with this name, the token with this id, or the token with this secret. The list is empty if the caller cannot read a matching token. Requires READ_CLIENT_API_TOKEN or READ_FRONTEND_API_TOKEN.',
        params: Type.Object({
          token: Type.String({
            maxLength: 512,
            description: 'A name, an id, or the token itself',
            examples: ['checkout service'],
          }),
        }),
        response: { 200: jsonResponse('The tokens', ApiTokenList), ...errorResponses(400, 401, 403) },
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      const matches = hasKeyOrName(token, apiTokenKey(token));
      const tokens = await listTokens(db, request.actor, readableTypes(request.actor), matches);
      const [only, ...others] = tokens;
      // An update is of one token, so the ETag of several matches no update.
      return only && others.length === 0
        ? sendVersion(request, reply, VERSIONED_API_TOKEN, only, { tokens })
        : unlessKnown(request, reply, makeEtag(tokens), { tokens });
    },
  );

  app.post(
    '/api/admin/api-tokens',
    {
      config: {
        permission: ['CREATE_CLIENT_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN'],
        returnsSecret: true,
        rejectUnknownFields: ACCEPTED_FIELDS.token,
        checks: [({ body, actor }) => tokenViolations(db, actor, body)],
      },
      schema: {
        operationId: 'createApiToken',
        tags,
        summary: 'Create an API token',
        description:
          'Creates a token for SDKs. Only this response has the secret: the server stores its hash. The operator configures admin tokens (HALYARD_INIT_ADMIN_TOKENS). Requires CREATE_CLIENT_API_TOKEN, or CREATE_FRONTEND_API_TOKEN for a frontend token. Events: api-token-created.',
        body: NewApiToken,
        response: {
          201: jsonResponse('The new token, with its secret', ApiToken),
          ...errorResponses(400, 401, 403, 413, 415),
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
      config: { ifMatch: true, permission: ['UPDATE_CLIENT_API_TOKEN', 'UPDATE_FRONTEND_API_TOKEN'] },
      schema: {
        operationId: 'updateApiToken',
        tags,
        summary: 'Update the expiry of an API token',
        description:
          'Sets the time when the token expires, or null for never. Requires UPDATE_CLIENT_API_TOKEN, or UPDATE_FRONTEND_API_TOKEN for a frontend token. Events: api-token-updated.',
        params,
        body: ApiTokenUpdate,
        response: {
          200: jsonResponse('The token, without its secret', ApiToken),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const key = apiTokenKey(request.params.token);
      return await changeVersion(db, request, VERSIONED_API_TOKEN, key, current =>
        updateApiToken(current, key, request.body),
      );
    },
  );

  app.delete(
    '/api/admin/api-tokens/:token',
    {
      config: { ifMatch: true, permission: ['DELETE_CLIENT_API_TOKEN', 'DELETE_FRONTEND_API_TOKEN'] },
      schema: {
        operationId: 'deleteApiToken',
        tags,
        summary: 'Revoke an API token',
        description:
          'Revokes the token. Every server rejects it immediately. Requires DELETE_CLIENT_API_TOKEN, or DELETE_FRONTEND_API_TOKEN for a frontend token. Events: api-token-deleted.',
        params,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const key = apiTokenKey(request.params.token);
      await changeVersion(db, request, VERSIONED_API_TOKEN, key, current => revokeApiToken(current, key));
      return reply.code(200).send();
    },
  );

  projectTokenRoutes(app, db, limits);
}
