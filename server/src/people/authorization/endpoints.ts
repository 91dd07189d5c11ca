import { isUtf8 } from 'node:buffer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import type { App } from '../../../../plane/src/platform/http/app.ts';
import { isStorable } from '../../../../plane/src/platform/http/input/text.ts';
import { STATUS } from '../../../../plane/src/platform/http/output/error-body.ts';
import type { Db } from '../../platform/db/database.ts';
import { logError } from '../../platform/http/output/errors.ts';
import { registerClient } from './clients.ts';
import { startDevice } from './device.ts';
import {
  exchangeCode,
  type Issued,
  type Parameters,
  pollForToken,
  refresh,
  required,
  revoke,
} from './issue.ts';
import { DEVICE_GRANT, resourceMetadata, serverMetadata } from './metadata.ts';
import { descriptionOf, ProtocolError } from './protocol-error.ts';
import { resourcesOf } from './resources.ts';

const HIDDEN = { schema: { hide: true } };

/**
 * What programs call, without authentication: the documents that describe this authorization server, and its endpoints. They are
 * not in the API document, because RFCs define them.
 */
export async function authorizationEndpoints(app: App, db: Db, publicUrl: string): Promise<void> {
  const resources = resourcesOf(publicUrl);
  const tokens = new Counter({
    name: 'halyard_authorization_tokens_total',
    help: 'Requests for tokens by programs, by result: issued, or the error code of OAuth',
    labelNames: ['result'],
    registers: [app.metrics],
  });

  app.get('/.well-known/oauth-authorization-server', HIDDEN, () => serverMetadata(publicUrl));
  app.get('/.well-known/oauth-protected-resource', HIDDEN, () => resourceMetadata(publicUrl, ''));
  app.get('/.well-known/oauth-protected-resource/mcp', HIDDEN, () => resourceMetadata(publicUrl, '/mcp'));

  await app.register((endpoints, _options, done) => {
    endpoints.setErrorHandler(sendProtocolError);
    endpoints.post('/oauth/register', HIDDEN, async (request, reply) => {
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

    forms.post('/oauth/token', HIDDEN, async (request): Promise<Issued> => {
      try {
        const issued = await issue(db, resources, request);
        tokens.inc({ result: 'issued' });
        return issued;
      } catch (error) {
        tokens.inc({ result: error instanceof ProtocolError ? error.code : 'server_error' });
        throw error;
      }
    });

    forms.post('/oauth/device_authorization', HIDDEN, async request => {
      const get = parametersOf(request);
      return await startDevice(db, publicUrl, required(get, 'client_id'), request.ip);
    });

    forms.post('/oauth/revoke', HIDDEN, async (request, reply) => {
      const get = parametersOf(request);
      await revoke(db, request.ip, required(get, 'token'));
      return reply.code(200).send();
    });
    done();
  });
}

async function issue(
  db: Db,
  resources: ReturnType<typeof resourcesOf>,
  request: FastifyRequest,
): Promise<Issued> {
  const get = parametersOf(request);
  const grantType = required(get, 'grant_type');
  const clientId = required(get, 'client_id');
  if (grantType === 'authorization_code') return await exchangeCode(db, resources, request.ip, clientId, get);
  if (grantType === 'refresh_token') return await refresh(db, resources, request.ip, clientId, get);
  if (grantType === DEVICE_GRANT) return await pollForToken(db, request.ip, clientId, get);
  throw new ProtocolError(
    'unsupported_grant_type',
    `grant_type must be authorization_code, refresh_token or ${DEVICE_GRANT}.`,
  );
}

/** Longer than any code or token, and than the URLs that a request can name. */
const MAX_LENGTH = 2_000;

/** The parameters of a form. None may be repeated, and an empty one counts as missing. */
function parametersOf({ body, headers }: FastifyRequest): Parameters {
  if (headers.authorization !== undefined)
    throw new ProtocolError(
      'invalid_client',
      'Clients have no secret here. Send client_id in the body.',
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
    if (value !== undefined && value.length > MAX_LENGTH)
      throw new ProtocolError('invalid_request', `The parameter ${name} is too long.`);
    return value;
  };
}

/** Errors in the format of OAuth. Ours keep their status, their Retry-After and their id. */
async function sendProtocolError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof ProtocolError) {
    request.log.info({ error: error.code }, 'request rejected');
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    return reply.code(error.status).send({ error: error.code, error_description: descriptionOf(error) });
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
  const explained =
    status === 415 && isForm ? { message: 'The body must be application/x-www-form-urlencoded.' } : rejection;
  return reply.code(status).send({ error: code, error_description: descriptionOf(explained), id });
}
