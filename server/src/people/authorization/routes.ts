import { badData, invalidOperation } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorResponses, jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import type { TargetPolicy } from '../../platform/outgoing/address.ts';
import { change } from '../../record/change.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { type Client, makeClients } from './clients.ts';
import { NO_DEVICE_CODES, normalizeUserCode } from './device.ts';
import {
  type ApprovedToken,
  denyDevice,
  grantCode,
  grantDevice,
  requireSession,
  unknownUserCode,
} from './grant.ts';
import { GUESS_LIMIT } from './limits.ts';
import type { AuthorizationSettings } from './metadata.ts';
import { makePerUserLimit } from './per-user-limit.ts';
import { toErrorDescription } from './protocol-error.ts';
import { buildResponseUrl } from './redirect-uri.ts';
import { type AuthorizationRequest, readRequest } from './request.ts';
import { buildResources } from './resources.ts';
import {
  AuthorizationDecision,
  AuthorizationPreview,
  AuthorizationPreviewRequest,
  AuthorizationResult,
} from './schema.ts';
import { findWaitingDevice } from './store.ts';

const tags = ['Users'];

type ConsentQuery = { query?: string; userCode?: string };

/**
 * Registers the routes that the consent page calls. They are not operations, because they read the client's document before the
 * transaction begins.
 */
export function consentRoutes(
  app: App,
  db: Db,
  { publicUrl, disabledAuthorization: disabled }: AuthorizationSettings,
  targets: TargetPolicy,
): void {
  const clients = makeClients(targets, !disabled.includes('registration'));
  const resources = buildResources(publicUrl);
  const guessLimit = makePerUserLimit(
    GUESS_LIMIT,
    'Too many wrong codes. Wait 10 minutes, then request a new code in the client.',
  );
  app.addHook('onClose', async () => await clients.close());
  for (const schema of [AuthorizationPreview, AuthorizationResult]) app.addSchema(schema);

  /** Finds the request of the authorization URL, or the client that waits for the user code. */
  const findRequest = async ({ query, userCode }: ConsentQuery, userId: number): Promise<PendingRequest> => {
    if ((query === undefined) === (userCode === undefined))
      throw badData([{ message: 'The body must have either query or userCode.', path: '/body' }]);
    if (query !== undefined) return { request: await readRequest(query, userId, clients, resources) };
    if (disabled.includes('device')) throw invalidOperation(NO_DEVICE_CODES);
    // The guess is counted before the code is looked up, so that simultaneous guesses count too.
    guessLimit.take(userId);
    const code = normalizeUserCode(userCode ?? '');
    const device = await findWaitingDevice(db, code);
    if (!device) throw unknownUserCode();
    guessLimit.refund(userId);
    return { userCode: code, ip: device.ip, client: await clients.find(device.clientId, userId) };
  };

  app.post(
    '/api/admin/user/authorizations/preview',
    {
      config: { permission: 'NONE', isQuery: true },
      schema: {
        operationId: 'previewAuthorization',
        tags,
        summary: 'Describe a client that requests a token',
        description:
          'Describes an authorization request: which client sent it, and which access the client requests. Only the consent page needs this operation. After 10 wrong user codes, the user must wait 10 minutes. Requires a session.',
        body: AuthorizationPreviewRequest,
        response: {
          200: jsonResponse('The client', AuthorizationPreview),
          ...errorResponses(400, 401, 403, 404, 413, 415, 429),
        },
      },
    },
    async request => toPreview(await findRequest(request.body, requireSession(request.actor))),
  );

  app.post(
    '/api/admin/user/authorizations',
    {
      config: { permission: 'NONE', returnsSecret: true, rejectUnknownFieldsExcept: ACCEPTED_FIELDS.token },
      schema: {
        operationId: 'decideAuthorization',
        tags,
        summary: 'Approve or deny a client',
        description:
          'Approves or denies a client that requests a token to act on behalf of the authenticated user. Every client except the CLI gets an agent token, which requires limits. The response contains the URL that returns the browser to the client. Also deletes tokens whose grant has ended. Requires a session. Events: pat-created, pat-deleted.',
        body: AuthorizationDecision,
        response: {
          200: jsonResponse('Where the browser goes next', AuthorizationResult),
          ...errorResponses(400, 401, 403, 404, 409, 413, 415, 429),
        },
      },
    },
    async request => {
      const { allow, token } = request.body;
      const pending = await findRequest(request.body, requireSession(request.actor));
      if (allow && token === undefined)
        throw badData([{ message: 'token is required to allow the request.', path: '/body/token' }]);
      return { redirectTo: await decide(request.actor, pending, allow ? token : undefined) };
    },
  );

  /** Records the user's decision. If there is no approved token, the user has denied the request. */
  const decide = async (
    actor: Actor,
    pending: PendingRequest,
    approvedToken: ApprovedToken | undefined,
  ): Promise<string | null> => {
    if ('userCode' in pending) {
      const { client, userCode } = pending;
      await change(db, actor, current =>
        approvedToken ? grantDevice(current, client, userCode, approvedToken) : denyDevice(current, userCode),
      );
      return null;
    }
    const { request } = pending;
    const redirectUrl = (parameters: Record<string, string>) =>
      buildResponseUrl(request.redirectUri, { ...parameters, state: request.state, iss: resources.issuer });
    if (!approvedToken) return redirectUrl(toErrorParameters(request));
    if (request.problem) throw invalidOperation(request.problem.message);
    const code = await change(db, actor, current => grantCode(current, request, approvedToken));
    return redirectUrl({ code });
  };
}

type PendingRequest = { request: AuthorizationRequest } | { userCode: string; ip: string; client: Client };

const toErrorParameters = ({ problem }: AuthorizationRequest): Record<string, string> =>
  problem
    ? { error: problem.code, error_description: toErrorDescription(problem) }
    : { error: 'access_denied', error_description: 'The user denied the request.' };

function toPreview(pending: PendingRequest): AuthorizationPreview {
  const {
    name: clientName,
    host: clientHost,
    kind,
  } = 'request' in pending ? pending.request.client : pending.client;
  const client = { clientName, clientHost, kind };
  if ('userCode' in pending)
    return { ...client, readOnly: false, redirectHost: null, ip: pending.ip, problem: null };
  const { readOnly, redirectUri, problem } = pending.request;
  return {
    ...client,
    readOnly,
    redirectHost: new URL(redirectUri).host,
    ip: null,
    problem: problem ? { error: problem.code, message: problem.message } : null,
  };
}
