import { isUtf8 } from 'node:buffer';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { isStorable } from '@halyard/plane/platform/http/input/text.ts';
import { STATUS } from '@halyard/plane/platform/http/output/error-body.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import type { Db } from '../../platform/db/database.ts';
import { logError } from '../../platform/http/output/errors.ts';
import { registerClient } from './clients.ts';
import { NO_DEVICE_CODES, startDeviceAuthorization } from './device.ts';
import {
  exchangeCode,
  type GetParameter,
  pollForToken,
  refresh,
  requireParameter,
  revoke,
  type TokenResponse,
} from './issue.ts';
import {
  type AuthorizationSettings,
  buildResourceMetadata,
  buildServerMetadata,
  DEVICE_GRANT,
} from './metadata.ts';
import { ProtocolError, toErrorDescription } from './protocol-error.ts';
import { buildResources } from './resources.ts';

const HIDDEN = { schema: { hide: true } };

/**
 * Serves the endpoints that clients call without authentication, and the documents that describe this authorization server. They
 * are not in the API document, because RFCs define them.
 */
export async function authorizationEndpoints(
  app: App,
  db: Db,
  settings: AuthorizationSettings,
): Promise<void> {
  const { publicUrl, disabledAuthorization: disabled } = settings;
  const resources = buildResources(publicUrl);
  const tokenRequests = new Counter({
    name: 'halyard_authorization_tokens_total',
    help: 'Token requests by result: issued, or the OAuth error code',
    labelNames: ['result'],
    registers: [app.metrics],
  });

  app.get('/.well-known/oauth-authorization-server', HIDDEN, () => buildServerMetadata(settings));
  app.get('/.well-known/oauth-protected-resource', HIDDEN, () => buildResourceMetadata(publicUrl, ''));
  app.get('/.well-known/oauth-protected-resource/mcp', HIDDEN, () =>
    buildResourceMetadata(publicUrl, '/mcp'),
  );

  await app.register((endpoints, _options, done) => {
    endpoints.setErrorHandler(sendProtocolError);
    endpoints.post('/oauth/register', HIDDEN, async (request, reply) => {
      if (disabled.includes('registration'))
        throw new ProtocolError(
          'access_denied',
          'This server does not register clients. Use the URL of a client metadata document as client_id, or a token from the user.',
          403,
        );
      const { id, name, redirectUris } = registerClient(request.body);
      return reply.code(201).send({
        client_id: id,
        client_id_issued_at: Math.floor(Date.now() / 1_000),
        client_name: name,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      });
    });
    done();
  });

  await app.register((forms, _options, done) => {
    forms.setErrorHandler(sendProtocolError);
    forms.removeAllContentTypeParsers();
    forms.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'buffer' },
      async (_request: FastifyRequest, body: string | Buffer) => {
        if (Buffer.isBuffer(body) && !isUtf8(body))
          throw new ProtocolError('invalid_request', 'The body is not valid UTF-8.');
        return new URLSearchParams(String(body));
      },
    );

    forms.post('/oauth/token', HIDDEN, async (request): Promise<TokenResponse> => {
      try {
        const response = await issueToken(db, resources, request);
        tokenRequests.inc({ result: 'issued' });
        return response;
      } catch (error) {
        tokenRequests.inc({ result: error instanceof ProtocolError ? error.code : 'server_error' });
        throw error;
      }
    });

    forms.post('/oauth/device_authorization', HIDDEN, async request => {
      const get = readParameters(request);
      if (disabled.includes('device')) throw new ProtocolError('unauthorized_client', NO_DEVICE_CODES);
      return await startDeviceAuthorization(db, publicUrl, requireParameter(get, 'client_id'), request.ip);
    });

    forms.post('/oauth/revoke', HIDDEN, async (request, reply) => {
      const get = readParameters(request);
      await revoke(db, request.ip, requireParameter(get, 'token'));
      return reply.code(200).send();
    });
    done();
  });
}

async function issueToken(
  db: Db,
  resources: ReturnType<typeof buildResources>,
  request: FastifyRequest,
): Promise<TokenResponse> {
  const get = readParameters(request);
  const grantType = requireParameter(get, 'grant_type');
  const clientId = requireParameter(get, 'client_id');
  if (grantType === 'authorization_code') return await exchangeCode(db, resources, request.ip, clientId, get);
  if (grantType === 'refresh_token') return await refresh(db, resources, request.ip, clientId, get);
  if (grantType === DEVICE_GRANT) return await pollForToken(db, request.ip, clientId, get);
  throw new ProtocolError(
    'unsupported_grant_type',
    `grant_type must be authorization_code, refresh_token or ${DEVICE_GRANT}.`,
  );
}

/** This is longer than any valid code, token or URL, so it only rejects abuse. */
const MAX_PARAMETER_LENGTH = 2_000;

/** Returns a function that reads the parameters of a form. None may be repeated, and an empty parameter counts as missing. */
function readParameters({ body, headers }: FastifyRequest): GetParameter {
  if (headers.authorization !== undefined)
    throw new ProtocolError(
      'invalid_client',
      'Clients of this server have no secret. Send client_id in the body.',
      401,
    );
  const form = body instanceof URLSearchParams ? body : new URLSearchParams();
  const names = [...form.keys()];
  if (![...form.values()].every(isStorable))
    throw new ProtocolError('invalid_request', 'A parameter contains a character that is not allowed.');
  if (new Set(names).size < names.length)
    throw new ProtocolError('invalid_request', 'A parameter is repeated.');
  return name => {
    const value = form.get(name) || undefined;
    if (value !== undefined && value.length > MAX_PARAMETER_LENGTH)
      throw new ProtocolError('invalid_request', `The parameter ${name} is too long.`);
    return value;
  };
}

/** Sends errors in OAuth format. Our own errors keep their status, their Retry-After and their id. */
async function sendProtocolError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof ProtocolError) {
    request.log.info({ error: error.code }, 'request rejected');
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    return reply.code(error.status).send({ error: error.code, error_description: toErrorDescription(error) });
  }
  const { id, rejection } = await logError(error, request);
  const status = STATUS[rejection.name];
  if (rejection.retryAfter !== undefined) reply.header('retry-after', String(rejection.retryAfter));
  const code =
    status === 500
      ? 'server_error'
      : status === 429 || status === 503
        ? 'temporarily_unavailable'
        : 'invalid_request';
  const isForm = request.routeOptions.url !== '/oauth/register';
  const describedError =
    status === 415 && isForm ? { message: 'The body must be application/x-www-form-urlencoded.' } : rejection;
  return reply.code(status).send({ error: code, error_description: toErrorDescription(describedError), id });
}
