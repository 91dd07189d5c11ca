import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { asApiError } from '../../db/failures.ts';
import { ApiError, badData, type ErrorName, either, notFound, type Violation } from '../../errors.ts';
import { ellipsize } from '../../text.ts';
import type { App } from '../app.ts';
import { everyViolation } from '../input/checks.ts';
import { MAX_PARAM_LENGTH } from '../input/url-limits.ts';
import { violations } from '../input/violations.ts';

export const STATUS = {
  AlreadyCarriedOutError: 409,
  AuthenticationRequired: 401,
  BadDataError: 400,
  ConflictError: 409,
  ContentTypeerror: 415,
  ExceedsLimitError: 400,
  IdempotencyError: 422,
  InternalError: 500,
  InvalidOperationError: 403,
  MethodNotAllowedError: 405,
  NameExistsError: 409,
  NoAccessError: 403,
  NotFoundError: 404,
  PatternError: 400,
  PayloadTooLargeError: 413,
  PreconditionFailedError: 412,
  RateLimitError: 429,
  ServiceUnavailableError: 503,
} as const satisfies Record<ErrorName, number>;

/** From whatever depth an error comes, the caller sees one shape, and the log has the cause under the same id. */
export function installErrors(app: App, sendPage: SendPage = () => undefined): void {
  const methodsOf = collectMethods(app);
  app.setErrorHandler<FastifyError>((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const page = sendPage(request, reply);
    if (page) return page;
    const methods = methodsOf(pathOf(request));
    if (methods.length > 0) reply.header('allow', methods.join(', '));
    return sendError(unknownAddress(request, methods), request, reply);
  });
}

/** The methods of the routes that match a path. */
function collectMethods(app: App): (path: string) => string[] {
  const routes: { pattern: RegExp; methods: string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const pattern = url.replace(/[.$()]/g, '\\$&').replace(/:\w+/g, '[^/]+');
    const methods = [method].flat().filter(name => name !== 'HEAD' && name !== 'OPTIONS');
    routes.push({ pattern: new RegExp(`^${pattern}/?$`), methods });
  });
  return path => [
    ...new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)),
  ];
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0] ?? '';

/** Responds to a path that no route matches with a page, or returns undefined. */
type SendPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

/** The former path of Unleash's API for frontend SDKs. */
const PROXY_PATH = /^\/api\/proxy(?=[/?]|$)/;

export const isProxyPath = (url: string): boolean => PROXY_PATH.test(url);

function unknownAddress(request: FastifyRequest, methods: string[]): ApiError {
  const what = `${request.method} ${pathOf(request).slice(0, 200)}`;
  if (methods.length > 0)
    return new ApiError('NotFoundError', `${what} does not exist. This path accepts ${either(methods)}.`);
  if (!isProxyPath(request.url)) return notFound(what);
  return new ApiError('NotFoundError', `${what} does not exist. Frontend SDKs use /api/frontend.`);
}

const MAX_MESSAGE_LENGTH = 8_000;
const MAX_PATH_LENGTH = 500;
/** The size of all details of a response. Names in a request can have 1,000 characters, and paths 32 names. */
const MAX_DETAILS_LENGTH = 32_000;

/** The first details that fit into a response, with the number of those that do not. */
function boundedDetails(details: Violation[]): Violation[] {
  const shown: Violation[] = [];
  let length = 0;
  for (const { message, path } of details) {
    const detail = {
      message: ellipsize(message, MAX_MESSAGE_LENGTH),
      ...(path === undefined ? {} : { path: ellipsize(path, MAX_PATH_LENGTH) }),
    };
    length += detail.message.length + (detail.path?.length ?? 0);
    if (length > MAX_DETAILS_LENGTH)
      return [...shown, { message: `and ${countOf(details) - shown.length} more` }];
    shown.push(detail);
  }
  return shown;
}

/** A list that was cut ends with the number of the others (errors.ts). */
function countOf(details: Violation[]): number {
  const [, more] = /^and (\d+) more$/.exec(details.at(-1)?.message ?? '') ?? [];
  return more === undefined ? details.length : details.length - 1 + Number(more);
}

export function errorBody(error: ApiError, id: string) {
  return {
    id,
    name: error.name,
    message: ellipsize(error.message, MAX_MESSAGE_LENGTH),
    details: boundedDetails(error.details),
  };
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
  const rejection = await everyViolation(request, toApiError(error, request, id));
  // The chain of causes goes to the log only: a driver's text can hold SQL and values.
  if (
    (error as { code?: unknown } | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE' &&
    request.visit?.isGone()
  ) {
    request.log.info({ err: error, errorId: id }, 'request aborted by the client');
  } else if (rejection.name === 'InternalError') {
    request.log.error({ err: error, errorId: id }, 'request failed');
  } else {
    // Without a cause the server is busy, which is no failure. In an outage this is written once (outage-log.ts).
    if (rejection.name === 'ServiceUnavailableError' && rejection.cause !== undefined)
      request.log.warn({ err: error, errorId: id }, 'request failed');
    request.log.info({ errorId: id, error: rejection.name }, 'request rejected');
  }
  return { id, rejection };
}

export function toApiError(error: unknown, request: FastifyRequest, id: string): ApiError {
  if (error instanceof ApiError) return error;
  return fromFramework(error, request) ?? asApiError(error) ?? internal(error, id);
}

function fromFramework(error: unknown, request: FastifyRequest): ApiError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { validation, validationContext, statusCode, code } = error as FastifyError;
  if (validation) return badData(violations(validation, validationContext), validation.length);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return contentType();
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return tooLarge(request, error);
  }
  // The client closed the connection while its body was being read. The code alone could be one of the database.
  if (code === 'ECONNRESET' && statusCode === 400)
    return badData([{ message: 'The connection was closed before the whole body arrived.' }]);
  // The messages of Fastify repeat the whole path, which can have 16,000 characters.
  if (code === 'FST_ERR_MAX_PARAM_LENGTH')
    return badData([
      {
        message: `A part of the path has more than ${MAX_PARAM_LENGTH} characters: "${ellipsize(request.url, 100)}".`,
      },
    ]);
  if (code === 'FST_ERR_BAD_URL')
    return badData([{ message: `The path is not valid: "${ellipsize(request.url, 100)}".` }]);
  // The remaining 4xx errors of Fastify are about the request: invalid JSON, URL or length.
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    return badData([{ message: error.message }]);
  }
  return undefined;
}

export const contentType = (hasBody = true): ApiError =>
  new ApiError(
    'ContentTypeerror',
    hasBody
      ? 'The body must be JSON, with the header Content-Type: application/json.'
      : 'A JSON body is required, with the header Content-Type: application/json.',
  );

function tooLarge({ headers, routeOptions }: FastifyRequest, cause: Error): ApiError {
  const most = `This operation accepts at most ${routeOptions.bodyLimit?.toLocaleString('en')}`;
  const length = Number(headers['content-length'] ?? Number.NaN);
  const message = Number.isNaN(length)
    ? `The body is too large. ${most} bytes.`
    : `The body has ${length.toLocaleString('en')} bytes. ${most}.`;
  return new ApiError('PayloadTooLargeError', message, { cause });
}

function internal(error: unknown, id: string): ApiError {
  return new ApiError(
    'InternalError',
    `The server failed to process the request. The server log has the cause under the id ${id}.`,
    {
      cause: error,
    },
  );
}
