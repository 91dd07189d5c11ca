import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, notFound } from '../../../../../plane/src/platform/errors.ts';
import type { App } from '../../../../../plane/src/platform/http/app.ts';
import { errorBody, STATUS, toApiError } from '../../../../../plane/src/platform/http/output/error-body.ts';
import { collectMethods, wrongMethod } from '../../../../../plane/src/platform/http/output/methods.ts';
import { asApiError } from '../../db/failures.ts';
import { everyViolation } from '../input/checks.ts';

/** Whatever the source of an error, the caller sees the same format, and the log has the cause under the same id. */
export function installErrors(app: App, sendPage: SendPage = () => undefined): void {
  const methodsOf = collectMethods(app);
  app.setErrorHandler<FastifyError>((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const page = sendPage(request, reply);
    if (page) return page;
    const methods = methodsOf(pathOf(request));
    if (methods.length > 0) reply.header('allow', methods.join(', '));
    return sendError(unknownPath(request, methods), request, reply);
  });
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0] ?? '';

/** Responds to a path that no route matches with a page, or returns undefined. */
type SendPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

/** The former path of Unleash's API for frontend SDKs. */
const PROXY_PATH = /^\/api\/proxy(?=[/?]|$)/;

export const isProxyPath = (url: string): boolean => PROXY_PATH.test(url);

function unknownPath(request: FastifyRequest, methods: string[]): ApiError {
  const what = `${request.method} ${pathOf(request).slice(0, 200)}`;
  if (methods.length > 0) return wrongMethod(what, methods);
  if (!isProxyPath(request.url)) return notFound(what);
  return new ApiError('NotFoundError', `${what} does not exist. Frontend SDKs use /api/frontend.`);
}

export async function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { id, rejection } = await logError(error, request);
  const status = STATUS[rejection.name];
  const retryAfter = rejection.retryAfter ?? (status === 503 ? 2 : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  return reply.code(status).type('application/json; charset=utf-8').send(errorBody(rejection, id));
}

/** Writes the error to the log, and returns what the caller may know about it. */
export async function logError(
  error: unknown,
  request: FastifyRequest,
): Promise<{ id: string; rejection: ApiError }> {
  const id = randomUUID();
  const rejection = await everyViolation(request, toApiError(error, request, id, asApiError));
  // The chain of causes goes to the log only: a driver's message can contain SQL and values.
  if (
    (error as { code?: unknown } | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE' &&
    request.visit?.isGone()
  ) {
    request.log.info({ err: error, errorId: id }, 'request aborted by the client');
  } else if (rejection.name === 'InternalError') {
    request.log.error({ err: error, errorId: id }, 'request failed');
  } else {
    // Without a cause, the server is just busy, which is not a failure. During an outage this is written once (outage-log.ts).
    if (rejection.name === 'ServiceUnavailableError' && rejection.cause !== undefined)
      request.log.warn({ err: error, errorId: id }, 'request failed');
    request.log.info({ errorId: id, error: rejection.name }, 'request rejected');
  }
  return { id, rejection };
}
