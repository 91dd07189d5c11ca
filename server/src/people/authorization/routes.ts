import { badData, invalidOperation } from '../../../../plane/src/platform/errors.ts';
import type { App } from '../../../../plane/src/platform/http/app.ts';
import { errorResponses, jsonResponse } from '../../../../plane/src/platform/http/schema.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import type { TargetPolicy } from '../../platform/outgoing/address.ts';
import { change } from '../../record/change.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { type Client, makeClients } from './clients.ts';
import { normalizedUserCode } from './device.ts';
import {
  type Allowed,
  denyDevice,
  grantCode,
  grantDevice,
  requireSession,
  unknownUserCode,
} from './grant.ts';
import { GUESSES } from './limits.ts';
import { makePerPerson } from './per-person.ts';
import { descriptionOf } from './protocol-error.ts';
import { responseUrl } from './redirect-uri.ts';
import { type AuthorizationRequest, readRequest } from './request.ts';
import { resourcesOf } from './resources.ts';
import {
  AskedAuthorization,
  AuthorizationDecision,
  AuthorizationPreview,
  AuthorizationResult,
} from './schema.ts';
import { findWaitingDevice } from './store.ts';

const tags = ['Users'];

type Asked = { query?: string; userCode?: string };

/** What the consent page calls. Routes rather than operations, because they read the client's document before the change. */
export function consentRoutes(app: App, db: Db, publicUrl: string, targets: TargetPolicy): void {
  const clients = makeClients(targets);
  const resources = resourcesOf(publicUrl);
  const guesses = makePerPerson(GUESSES, 'Too many wrong codes. Wait, and let the program show a new one.');
  app.addHook('onClose', async () => await clients.close());
  for (const schema of [AuthorizationPreview, AuthorizationResult]) app.addSchema(schema);

  /** The request of the authorization URL, or the program that waits for the user code. */
  const find = async ({ query, userCode }: Asked, userId: number): Promise<Found> => {
    if ((query === undefined) === (userCode === undefined))
      throw badData([{ message: 'The body must have either query or userCode.', path: '/body' }]);
    if (query !== undefined) return { request: await readRequest(query, userId, clients, resources) };
    // Counted before the query, so that guesses sent at the same time count too.
    guesses.take(userId);
    const code = normalizedUserCode(userCode ?? '');
    const device = await findWaitingDevice(db, code);
    if (!device) throw unknownUserCode();
    guesses.giveBack(userId);
    return { userCode: code, ip: device.ip, client: await clients.find(device.clientId, userId) };
  };

  app.post(
    '/api/admin/user/authorizations/preview',
    {
      config: { permission: 'NONE', isQuery: true },
      schema: {
        operationId: 'previewAuthorization',
        tags,
        summary: 'Describe a program that asks for a token',
        description:
          'Reads the request of a program for a token, and says who asks and what for. Only the consent page needs it. After ten wrong user codes, the user must wait for ten minutes. Requires a session.',
        body: AskedAuthorization,
        response: {
          200: jsonResponse('The program', AuthorizationPreview),
          ...errorResponses(400, 401, 403, 404, 413, 415, 429),
        },
      },
    },
    async request => previewOf(await find(request.body, requireSession(request.actor))),
  );

  app.post(
    '/api/admin/user/authorizations',
    {
      config: { permission: 'NONE', returnsSecret: true, rejectUnknownFields: ACCEPTED_FIELDS.token },
      schema: {
        operationId: 'decideAuthorization',
        tags,
        summary: 'Allow or deny a program a token',
        description:
          'Decides about the request of a program for a token that acts on behalf of the authenticated user. Except for the command line, the token is an agent token with its limits. The response has the URL with which the browser returns to the program. Deletes tokens of programs that have ended. Requires a session. Events: pat-created, pat-deleted.',
        body: AuthorizationDecision,
        response: {
          200: jsonResponse('What happens next', AuthorizationResult),
          ...errorResponses(400, 401, 403, 404, 409, 413, 415, 429),
        },
      },
    },
    async request => {
      const { allow, token } = request.body;
      const found = await find(request.body, requireSession(request.actor));
      if (allow && token === undefined)
        throw badData([{ message: 'token is required to allow the request.', path: '/body/token' }]);
      return { redirectTo: await decide(request.actor, found, allow ? token : undefined) };
    },
  );

  /** Without what is allowed: the user denies the request. */
  const decide = async (actor: Actor, found: Found, allowed: Allowed | undefined): Promise<string | null> => {
    if ('userCode' in found) {
      const { client, userCode } = found;
      await change(db, actor, current =>
        allowed ? grantDevice(current, client, userCode, allowed) : denyDevice(current, userCode),
      );
      return null;
    }
    const { request } = found;
    const back = (parameters: Record<string, string>) =>
      responseUrl(request.redirectUri, { ...parameters, state: request.state, iss: resources.issuer });
    if (!allowed) return back(errorOf(request));
    if (request.problem) throw invalidOperation(request.problem.message);
    const code = await change(db, actor, current => grantCode(current, request, allowed));
    return back({ code });
  };
}

type Found = { request: AuthorizationRequest } | { userCode: string; ip: string; client: Client };

const errorOf = ({ problem }: AuthorizationRequest): Record<string, string> =>
  problem
    ? { error: problem.code, error_description: descriptionOf(problem) }
    : { error: 'access_denied', error_description: 'The person denied the request.' };

function previewOf(found: Found): AuthorizationPreview {
  const {
    name: clientName,
    host: clientHost,
    kind,
  } = 'request' in found ? found.request.client : found.client;
  const client = { clientName, clientHost, kind };
  if ('userCode' in found)
    return { ...client, readOnly: false, redirectHost: null, ip: found.ip, problem: null };
  const { readOnly, redirectUri, problem } = found.request;
  return {
    ...client,
    readOnly,
    redirectHost: new URL(redirectUri).host,
    ip: null,
    problem: problem ? { error: problem.code, message: problem.message } : null,
  };
}
