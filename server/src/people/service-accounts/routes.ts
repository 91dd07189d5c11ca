import { Type } from 'typebox';
import { requireFutureExpiry } from '../../access/expiry.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing, PathId } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { NewPersonalToken, PersonalToken, PersonalTokenList } from '../users/schema.ts';
import { checkRole, createServiceAccount } from './create.ts';
import { removeServiceAccount } from './remove.ts';
import {
  NewServiceAccount,
  ServiceAccount,
  ServiceAccountList,
  ServiceAccountToken,
  ServiceAccountUpdate,
} from './schema.ts';
import { findServiceAccount, listRootRoles, listServiceAccounts } from './store.ts';
import { createServiceToken, removeServiceToken } from './tokens.ts';
import { changeServiceAccount } from './update.ts';
import { VERSIONED_SERVICE_ACCOUNT } from './version.ts';

const tags = ['Service accounts'];
const id = PathId('Service account');
const params = Type.Object({ id });

export function serviceAccountRoutes(app: App, db: Db): void {
  for (const schema of [ServiceAccountToken, ServiceAccount, ServiceAccountList]) app.addSchema(schema);

  app.get(
    '/api/admin/service-account',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'getServiceAccounts',
        tags,
        summary: 'List service accounts',
        description:
          'Returns all service accounts with their tokens, and the root roles that can be granted. Requires ADMIN.',
        response: { 200: jsonResponse('The accounts', ServiceAccountList), ...errorResponses(401, 403) },
      },
    },
    async () => ({
      serviceAccounts: await listServiceAccounts(db),
      rootRoles: await listRootRoles(db),
    }),
  );

  app.get(
    '/api/admin/service-account/:id',
    {
      config: { etag: true, permission: ['ADMIN'] },
      schema: {
        operationId: 'getServiceAccount',
        tags,
        summary: 'Get a service account',
        description: 'Returns one service account with its tokens, without their secrets. Requires ADMIN.',
        params,
        response: {
          200: jsonResponse('The account', ServiceAccount),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async (request, reply) => {
      const account = await readServiceAccount(db, Number(request.params.id));
      return sendVersion(request, reply, VERSIONED_SERVICE_ACCOUNT, account);
    },
  );

  app.post(
    '/api/admin/service-account',
    {
      config: {
        permission: ['ADMIN'],
        rejectUnknownFields: ACCEPTED_FIELDS.serviceAccount,
        checks: [({ body }) => checkRole(db, body.rootRole)],
      },
      schema: {
        operationId: 'createServiceAccount',
        tags,
        summary: 'Create a service account',
        description:
          'Creates an account for a program. It cannot log in. Its tokens have the permissions of its root role and of its roles in projects. Requires ADMIN. Events: service-account-created.',
        body: NewServiceAccount,
        response: {
          201: jsonResponse('The new account', ServiceAccount),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const account = await change(
        db,
        actor,
        current => createServiceAccount(current, body),
        readServiceAccount,
      );
      return reply.code(201).send(account);
    },
  );

  app.put(
    '/api/admin/service-account/:id',
    {
      config: {
        ifMatch: true,
        permission: ['ADMIN'],
        rejectUnknownFields: ACCEPTED_FIELDS.serviceAccount,
        checks: [({ body }) => checkRole(db, body.rootRole)],
      },
      schema: {
        operationId: 'updateServiceAccount',
        tags,
        summary: 'Update a service account',
        description:
          'Updates the given fields: name or root role. Requires ADMIN. Events: service-account-updated.',
        params,
        body: ServiceAccountUpdate,
        response: {
          200: jsonResponse('The account', ServiceAccount),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const id = Number(request.params.id);
      return await changeVersion(
        db,
        request,
        VERSIONED_SERVICE_ACCOUNT,
        id,
        current => changeServiceAccount(current, id, request.body),
        tx => readServiceAccount(tx, id),
      );
    },
  );

  app.delete(
    '/api/admin/service-account/:id',
    {
      config: { ifMatch: true, permission: ['ADMIN'] },
      schema: {
        operationId: 'deleteServiceAccount',
        tags,
        summary: 'Delete a service account',
        description:
          'Deletes a service account with its roles and group memberships. Every server rejects its tokens immediately. Requires ADMIN. Events: service-account-deleted, project-access-user-roles-deleted for each project, group-user-removed for each group.',
        params,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.id);
      await changeVersion(db, request, VERSIONED_SERVICE_ACCOUNT, id, current =>
        removeServiceAccount(current, id),
      );
      return reply.code(200).send();
    },
  );

  app.get(
    '/api/admin/service-account/:id/token',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'getServiceAccountTokens',
        tags,
        summary: 'List the tokens of a service account',
        description: 'Returns the tokens of the account, without their secrets. Requires ADMIN.',
        params,
        response: {
          200: jsonResponse('The tokens', PersonalTokenList),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async request => {
      const { tokens } = await readServiceAccount(db, Number(request.params.id));
      return { pats: tokens };
    },
  );

  app.post(
    '/api/admin/service-account/:id/token',
    {
      config: {
        permission: ['ADMIN'],
        returnsSecret: true,
        rejectUnknownFields: ACCEPTED_FIELDS.token,
        checks: [({ body }) => requireFutureExpiry(body.expiresAt)],
      },
      schema: {
        operationId: 'createServiceAccountToken',
        tags,
        summary: 'Create a token of a service account',
        description:
          'Creates a token that acts as the account. Only this response has the secret. An account can have ten tokens. Requires ADMIN. Events: service-account-token-created.',
        params,
        body: NewPersonalToken,
        response: {
          201: jsonResponse('The new token, with its secret', PersonalToken),
          ...errorResponses(400, 401, 403, 404, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.id);
      const token = await change(db, request.actor, current => createServiceToken(current, id, request.body));
      return reply.code(201).send(token);
    },
  );

  app.delete(
    '/api/admin/service-account/:id/token/:tokenId',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'deleteServiceAccountToken',
        tags,
        summary: 'Delete a token of a service account',
        description:
          'Deletes a token of the account. Every server rejects it immediately. Requires ADMIN. Events: service-account-token-deleted.',
        params: Type.Object({ id, tokenId: PathId('Token') }),
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const [id, tokenId] = [Number(request.params.id), Number(request.params.tokenId)];
      await change(db, request.actor, current => removeServiceToken(current, id, tokenId));
      return reply.code(200).send();
    },
  );
}

async function readServiceAccount(db: Reader, id: number): Promise<ServiceAccount> {
  const account = await findServiceAccount(db, id);
  if (!account) throw notFound(`Service account ${id}`);
  return account;
}
