import { notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { requireFutureExpiry } from '../../access/expiry.ts';
import type { Reader } from '../../platform/db/database.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { NewServiceToken, PersonalToken, PersonalTokenList } from '../users/schema.ts';
import { checkRootRole, createServiceAccount } from './create.ts';
import { removeServiceAccount } from './remove.ts';
import {
  NewServiceAccount,
  ServiceAccount,
  ServiceAccountList,
  ServiceAccountToken,
  ServiceAccountTokenUpdate,
  ServiceAccountUpdate,
} from './schema.ts';
import { findServiceAccount, listRootRoles, listServiceAccounts } from './store.ts';
import { createServiceToken, removeServiceToken, updateServiceToken } from './tokens.ts';
import { changeServiceAccount } from './update.ts';
import { VERSIONED_SERVICE_ACCOUNT } from './version.ts';

const id = PathId('Service account');
const params = Type.Object({ id });
const tokenParams = Type.Object({ id, tokenId: PathId('Token') });

async function readServiceAccount(db: Reader, id: number): Promise<ServiceAccount> {
  const account = await findServiceAccount(db, id);
  if (!account) throw notFound(`Service account ${id}`);
  return account;
}

export const SERVICE_ACCOUNTS: OperationModule = {
  tag: 'Service accounts',
  schemas: [ServiceAccountToken, ServiceAccount, ServiceAccountList],
  operations: [
    query({
      id: 'getServiceAccounts',
      route: 'GET /api/admin/service-account',
      summary: 'List service accounts',
      description: 'Returns all service accounts with their tokens, and the root roles that can be granted.',
      permission: ['ADMIN'],
      output: jsonResponse('The accounts', ServiceAccountList),
      read: async ({ db }) => ({
        serviceAccounts: await listServiceAccounts(db),
        rootRoles: await listRootRoles(db),
      }),
    }),
    query({
      id: 'getServiceAccount',
      route: 'GET /api/admin/service-account/:id',
      summary: 'Get a service account',
      description: 'Returns one service account with its tokens, without their secrets.',
      permission: ['ADMIN'],
      params,
      output: jsonResponse('The account', ServiceAccount),
      versioned: VERSIONED_SERVICE_ACCOUNT,
      read: ({ db }, { params: { id } }) => readServiceAccount(db, Number(id)),
    }),
    command({
      id: 'createServiceAccount',
      route: 'POST /api/admin/service-account',
      summary: 'Create a service account',
      description:
        'Creates an account for a script or a service. The account cannot log in. Its tokens have the permissions of its root role and of its roles in projects.',
      permission: ['ADMIN'],
      body: NewServiceAccount,
      output: jsonResponse('The new account', ServiceAccount),
      status: 201,
      rejects: [409],
      rejectUnknownFieldsExcept: ACCEPTED_FIELDS.serviceAccount,
      checks: [({ body }, db) => checkRootRole(db, body.rootRole)],
      events: ['service-account-created'],
      run: (current, { body }, { keyring }) => createServiceAccount(current, body, keyring),
      respond: (tx, _, id) => readServiceAccount(tx, id),
    }),
    command({
      id: 'updateServiceAccount',
      route: 'PUT /api/admin/service-account/:id',
      summary: 'Update a service account',
      description:
        'Updates the given fields: name, root role, or readsTokenSecrets. If readsTokenSecrets becomes false, the server deletes the secrets that the account could read; the tokens stay valid.',
      permission: ['ADMIN'],
      params,
      body: ServiceAccountUpdate,
      output: jsonResponse('The account', ServiceAccount),
      rejectUnknownFieldsExcept: ACCEPTED_FIELDS.serviceAccount,
      checks: [({ body }, db) => checkRootRole(db, body.rootRole)],
      events: ['service-account-updated'],
      precondition: ({ params: { id } }) => requireUnchanged(VERSIONED_SERVICE_ACCOUNT, Number(id)),
      run: (current, { params: { id }, body }, { keyring }) =>
        changeServiceAccount(current, Number(id), body, keyring),
      respond: (tx, _actor, _result, { params: { id } }) => readServiceAccount(tx, Number(id)),
    }),
    command({
      id: 'deleteServiceAccount',
      route: 'DELETE /api/admin/service-account/:id',
      summary: 'Delete a service account',
      description:
        'Deletes a service account with its roles and group memberships, with one event for each project and each group. Every server rejects its tokens immediately.',
      permission: ['ADMIN'],
      params,
      events: ['service-account-deleted', 'project-access-user-roles-deleted', 'group-user-removed'],
      precondition: ({ params: { id } }) => requireUnchanged(VERSIONED_SERVICE_ACCOUNT, Number(id)),
      run: (current, { params: { id } }) => removeServiceAccount(current, Number(id)),
    }),
    query({
      id: 'getServiceAccountTokens',
      route: 'GET /api/admin/service-account/:id/token',
      summary: 'List the tokens of a service account',
      description: 'Returns the tokens of the account, without their secrets.',
      permission: ['ADMIN'],
      params,
      output: jsonResponse('The tokens', PersonalTokenList),
      read: async ({ db }, { params: { id } }) => {
        const { tokens } = await readServiceAccount(db, Number(id));
        return { pats: tokens };
      },
    }),
    command({
      id: 'createServiceAccountToken',
      route: 'POST /api/admin/service-account/:id/token',
      summary: 'Create a token for a service account',
      description:
        "Creates a token that acts as the account. The token has the account's current permissions, unless a scope limits them. Only this response has the secret. An account can have at most ten tokens.",
      permission: ['ADMIN'],
      params,
      body: NewServiceToken,
      output: jsonResponse('The new token, with its secret', PersonalToken),
      status: 201,
      rejects: [409],
      returnsSecret: true,
      rejectUnknownFieldsExcept: ACCEPTED_FIELDS.token,
      checks: [({ body }) => requireFutureExpiry(body.expiresAt)],
      events: ['service-account-token-created'],
      run: (current, { params: { id }, body }) => createServiceToken(current, Number(id), body),
    }),
    command({
      id: 'updateServiceAccountToken',
      route: 'PUT /api/admin/service-account/:id/token/:tokenId',
      summary: 'Update the expiry of a service account token',
      description: 'Sets the time when the token expires. An expired token becomes valid again.',
      permission: ['ADMIN'],
      params: tokenParams,
      body: ServiceAccountTokenUpdate,
      output: jsonResponse('The token, without its secret', ServiceAccountToken),
      checks: [({ body }) => requireFutureExpiry(body.expiresAt)],
      events: ['service-account-token-updated'],
      run: (current, { params: { id, tokenId }, body }) =>
        updateServiceToken(current, Number(id), Number(tokenId), body),
    }),
    command({
      id: 'deleteServiceAccountToken',
      route: 'DELETE /api/admin/service-account/:id/token/:tokenId',
      summary: 'Delete a token of a service account',
      description: "Deletes one of the account's tokens. Every server rejects the token immediately.",
      permission: ['ADMIN'],
      params: tokenParams,
      events: ['service-account-token-deleted'],
      run: (current, { params: { id, tokenId } }) => removeServiceToken(current, Number(id), Number(tokenId)),
    }),
  ],
};
