import type { FastifyError, FastifyRequest } from 'fastify';
import { ApiError, badData, type ErrorName, type Violation } from '../../errors.ts';
import { ellipsize } from '../../text.ts';
import { MAX_PARAM_LENGTH } from '../input/url-limits.ts';
import { describeViolations } from '../input/violations.ts';

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
  MaintenanceError: 503,
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

const MAX_MESSAGE_LENGTH = 8_000;
const MAX_PATH_LENGTH = 500;
/** Limits the details of a response, because names in a request can have 1,000 characters, and a path can have 32 names. */
const MAX_DETAILS_LENGTH = 32_000;

/** Returns the first details that fit into a response, with the number of those that do not. */
function limitDetails(details: Violation[]): Violation[] {
  const firstDetails: Violation[] = [];
  let length = 0;
  for (const { message, path } of details) {
    const detail = {
      message: ellipsize(message, MAX_MESSAGE_LENGTH),
      ...(path === undefined ? {} : { path: ellipsize(path, MAX_PATH_LENGTH) }),
    };
    length += detail.message.length + (detail.path?.length ?? 0);
    if (length > MAX_DETAILS_LENGTH)
      return [...firstDetails, { message: `and ${countDetails(details) - firstDetails.length} more` }];
    firstDetails.push(detail);
  }
  return firstDetails;
}

/** A shortened list ends with the number of omitted items (errors.ts). */
function countDetails(details: Violation[]): number {
  const [, more] = /^and (\d+) more$/.exec(details.at(-1)?.message ?? '') ?? [];
  return more === undefined ? details.length : details.length - 1 + Number(more);
}

export function errorBody(error: ApiError, id: string) {
  return {
    id,
    name: error.name,
    message: ellipsize(error.message, MAX_MESSAGE_LENGTH),
    details: limitDetails(error.details),
  };
}

/**
 * The part of an error that the caller may see. `translate` handles errors from components that not every server has, such as the
 * database.
 */
export function toApiError(
  error: unknown,
  request: FastifyRequest,
  id: string,
  translate: (error: unknown) => ApiError | undefined = () => undefined,
): ApiError {
  if (error instanceof ApiError) return error;
  return fromFastifyError(error, request) ?? translate(error) ?? internalError(error, id);
}

function fromFastifyError(error: unknown, request: FastifyRequest): ApiError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { validation, validationContext, statusCode, code } = error as FastifyError;
  if (validation) return badData(describeViolations(validation, validationContext), validation.length);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return contentTypeError();
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLargeError(request, error);
  // The client closed the connection while its body was being read. The code alone is ambiguous, because database errors have it
  // too.
  if (code === 'ECONNRESET' && statusCode === 400)
    return badData([{ message: 'The connection was closed before the whole body arrived.' }]);
  // Fastify's messages repeat the whole path, which can have 16,000 characters.
  if (code === 'FST_ERR_MAX_PARAM_LENGTH')
    return badData([
      {
        message: `A path segment has more than ${MAX_PARAM_LENGTH} characters: "${ellipsize(request.url, 100)}".`,
      },
    ]);
  if (code === 'FST_ERR_BAD_URL')
    return badData([{ message: `The path is not valid: "${ellipsize(request.url, 100)}".` }]);
  // Fastify's remaining 4xx errors are about the request: invalid JSON, URL or length.
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500)
    return badData([{ message: error.message }]);
  return undefined;
}

export const contentTypeError = (hasBody = true): ApiError =>
  new ApiError(
    'ContentTypeerror',
    hasBody
      ? 'The body must be JSON, with the header Content-Type: application/json.'
      : 'A JSON body is required, with the header Content-Type: application/json.',
  );

function tooLargeError({ headers, routeOptions }: FastifyRequest, cause: Error): ApiError {
  const limitSentence = `This operation accepts at most ${routeOptions.bodyLimit?.toLocaleString('en')}`;
  const length = Number(headers['content-length'] ?? Number.NaN);
  const message = Number.isNaN(length)
    ? `The body is too large. ${limitSentence} bytes.`
    : `The body has ${length.toLocaleString('en')} bytes. ${limitSentence}.`;
  return new ApiError('PayloadTooLargeError', message, { cause });
}

function internalError(error: unknown, id: string): ApiError {
  return new ApiError(
    'InternalError',
    `The server failed to process the request. The server log has the cause under the id ${id}.`,
    {
      cause: error,
    },
  );
}
