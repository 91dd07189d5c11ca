import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { makeEtag } from '../../platform/http/output/etag.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { computeEtag, requireUnchanged } from '../../record/versioned.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { createApiToken, findTokenViolations } from './create.ts';
import { withEnrolment } from './enrolment.ts';
import { toApiTokenKey } from './key.ts';
import { withOwnSecrets } from './own-secrets.ts';
import { listReadableTypes } from './permission.ts';
import { revokeApiToken } from './revoke.ts';
import { ApiToken, ApiTokenList, ApiTokenUpdate, NewApiToken } from './schema.ts';
import { hasKeyOrName, listTokens } from './store.ts';
import { updateApiToken } from './update.ts';
import { VERSIONED_API_TOKEN } from './version.ts';

const READ_PERMISSIONS = ['READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN'] as const;
const PERMISSION_BY_TYPE = 'The type of the token determines which permission is required.';

const params = Type.Object({
  token: Type.String({
    title: 'ApiTokenOrId',
    maxLength: 512,
    description: 'The token itself, or its id',
    examples: ['12'],
  }),
});

export const API_TOKENS: OperationModule = {
  tag: 'API tokens',
  schemas: [ApiToken, ApiTokenList],
  operations: [
    query({
      id: 'getApiTokens',
      route: 'GET /api/admin/api-tokens',
      summary: 'List API tokens',
      description:
        'Returns the tokens without their secrets. READ_CLIENT_API_TOKEN gives access to client and backend tokens, READ_FRONTEND_API_TOKEN to frontend tokens, and ADMIN to all tokens. A service account with readsTokenSecrets gets the secrets of the tokens that it created.',
      permission: READ_PERMISSIONS,
      output: jsonResponse('The tokens', ApiTokenList),
      returnsSecret: true,
      read: async ({ db, actor, keyring }) => {
        const tokens = await listTokens(db, actor, listReadableTypes(actor));
        return { tokens: await withOwnSecrets(db, actor, keyring, tokens) };
      },
    }),
    query({
      id: 'getApiTokensByName',
      route: 'GET /api/admin/api-tokens/:token',
      summary: 'Find API tokens',
      description:
        'Returns the tokens with this name, the token with this id, or the token with this secret. The list is empty if the caller cannot read a matching token. A service account with readsTokenSecrets gets the secrets of the tokens that it created.',
      permission: READ_PERMISSIONS,
      params: Type.Object({
        token: Type.String({
          maxLength: 512,
          description: 'A name, an id, or the token itself',
          examples: ['checkout service'],
        }),
      }),
      output: jsonResponse('The tokens', ApiTokenList),
      returnsSecret: true,
      read: async ({ db, actor, keyring }, { params: { token } }) => {
        const matches = hasKeyOrName(token, toApiTokenKey(token));
        const tokens = await listTokens(db, actor, listReadableTypes(actor), matches);
        return { tokens: await withOwnSecrets(db, actor, keyring, tokens) };
      },
      // An update concerns a single token, so the ETag of a list with several tokens never matches one.
      etag: ({ tokens }) => {
        const [only, ...others] = tokens;
        return only && others.length === 0 ? computeEtag(VERSIONED_API_TOKEN, only) : makeEtag(tokens);
      },
    }),
    command({
      id: 'createApiToken',
      route: 'POST /api/admin/api-tokens',
      summary: 'Create an API token',
      description: `Creates a token for SDKs or for an edge. For an edge, the response also contains the enrolment. Only this response has the secret, because the server stores a hash; for a service account with readsTokenSecrets, it also stores the encrypted secret. Admin tokens cannot be created here: the operator configures them in HALYARD_INIT_ADMIN_TOKENS. ${PERMISSION_BY_TYPE}`,
      permission: ['CREATE_CLIENT_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN'],
      body: NewApiToken,
      output: jsonResponse('The new token, with its secret', ApiToken),
      status: 201,
      returnsSecret: true,
      rejectUnknownFieldsExcept: ACCEPTED_FIELDS.token,
      checks: [({ body, invalid, actor }, db) => findTokenViolations(db, actor, body, invalid)],
      events: ['api-token-created'],
      run: async (current, { body }, { limits, keyring, publicUrl }) =>
        withEnrolment(await createApiToken(current, body, limits.apiTokens, keyring), keyring, publicUrl),
    }),
    command({
      id: 'updateApiToken',
      route: 'PUT /api/admin/api-tokens/:token',
      summary: 'Update the expiry of an API token',
      description: `Sets the time when the token expires, or null for never. ${PERMISSION_BY_TYPE}`,
      permission: ['UPDATE_CLIENT_API_TOKEN', 'UPDATE_FRONTEND_API_TOKEN'],
      params,
      body: ApiTokenUpdate,
      output: jsonResponse('The token, without its secret', ApiToken),
      events: ['api-token-updated'],
      precondition: ({ params: { token } }) => requireUnchanged(VERSIONED_API_TOKEN, toApiTokenKey(token)),
      run: (current, { params: { token }, body }) => updateApiToken(current, toApiTokenKey(token), body),
    }),
    command({
      id: 'deleteApiToken',
      route: 'DELETE /api/admin/api-tokens/:token',
      summary: 'Revoke an API token',
      description: `Revokes the token. Every server rejects it within a second. ${PERMISSION_BY_TYPE}`,
      permission: ['DELETE_CLIENT_API_TOKEN', 'DELETE_FRONTEND_API_TOKEN'],
      params,
      events: ['api-token-deleted'],
      precondition: ({ params: { token } }) => requireUnchanged(VERSIONED_API_TOKEN, toApiTokenKey(token)),
      run: (current, { params: { token } }) => revokeApiToken(current, toApiTokenKey(token)),
    }),
  ],
};
