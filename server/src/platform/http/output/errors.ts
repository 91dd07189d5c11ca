import { randomUUID } from 'node:crypto';
import { ApiError, notFound } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorBody, STATUS, toApiError } from '@halyard/plane/platform/http/output/error-body.ts';
import { collectMethods, wrongMethod } from '@halyard/plane/platform/http/output/methods.ts';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { translateDbError } from '../../db/failures.ts';
import { collectViolations } from '../input/checks.ts';

/** Sends every error in the same format, regardless of where it comes from. The log has the cause under the id in the response. */
export function installErrors(app: App, sendPage: SendPage = () => undefined): void {
  const listMethods = collectMethods(app);
  app.setErrorHandler<FastifyError>((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const page = sendPage(request, reply);
    if (page) return page;
    const methods = listMethods(getPath(request));
    if (methods.length > 0) reply.header('allow', methods.join(', '));
    return sendError(unknownPathError(request, methods), request, reply);
  });
}

const getPath = ({ url }: FastifyRequest): string => url.split('?')[0] ?? '';

/** Sends a page for a path that no route matches. Returns undefined if there is no page for the path. */
type SendPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

/** The former path of Unleash's API for frontend SDKs. */
const PROXY_PATH = /^\/api\/proxy(?=[/?]|$)/;

/** The path that an SDK requests if its URL lacks `/api`. */
const SDK_PATH = /^\/(client|frontend)(?=[/?]|$)/;

export const isProxyPath = (url: string): boolean => PROXY_PATH.test(url);

function unknownPathError(request: FastifyRequest, methods: string[]): ApiError {
  const operation = `${request.method} ${getPath(request).slice(0, 200)}`;
  if (methods.length > 0) return wrongMethod(operation, methods);
  if (isProxyPath(request.url))
    return new ApiError('NotFoundError', `${operation} does not exist. Frontend SDKs use /api/frontend.`);
  if (SDK_PATH.test(request.url))
    return new ApiError('NotFoundError', `${operation} does not exist. Add /api to the URL in the SDK.`);
  return notFound(operation);
}

export async function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { id, rejection } = await logError(error, request);
  const status = STATUS[rejection.name];
  const retryAfter = rejection.retryAfter ?? (status === 503 ? 2 : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  return reply.code(status).type('application/json; charset=utf-8').send(errorBody(rejection, id));
}

/** Logs the error, and returns what the caller may know about it. */
export async function logError(
  error: unknown,
  request: FastifyRequest,
): Promise<{ id: string; rejection: ApiError }> {
  const id = randomUUID();
  const rejection = await collectViolations(request, toApiError(error, request, id, translateDbError));
  // Only the log gets the chain of causes, because a driver's message can contain SQL and values.
  if (
    (error as { code?: unknown } | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE' &&
    request.visit?.isGone()
  ) {
    request.log.info({ err: error, errorId: id }, 'request aborted by the client');
  } else if (rejection.name === 'InternalError') {
    request.log.error({ err: error, errorId: id }, 'request failed');
  } else {
    // Without a cause, the server is just busy, which is not a failure. An outage is logged once (outage-log.ts).
    if (rejection.name === 'ServiceUnavailableError' && rejection.cause !== undefined)
      request.log.warn({ err: error, errorId: id }, 'request failed');
    request.log.info({ errorId: id, error: rejection.name }, 'request rejected');
  }
  return { id, rejection };
}
