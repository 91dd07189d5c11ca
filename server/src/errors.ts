/** The names a caller may see. http/errors.ts maps each to its status. */
export type ErrorName =
  | 'AuthenticationRequired'
  | 'BadDataError'
  | 'ConflictError'
  | 'ContentTypeerror'
  | 'ExceedsLimitError'
  | 'IdempotencyError'
  | 'InternalError'
  | 'InvalidOperationError'
  | 'NameExistsError'
  | 'NoAccessError'
  | 'NotFoundError'
  | 'PatternError'
  | 'PayloadTooLargeError'
  | 'RateLimitError'
  | 'ServiceUnavailableError';

/** One thing wrong with a request; path points into it, such as /query/limit or /body/name. */
export type Violation = { message: string; path?: string };

/** A refusal in the caller's words: the only error whose text leaves the server. */
export class ApiError extends Error {
  override readonly name: ErrorName;
  readonly details: Violation[];

  constructor(name: ErrorName, message: string, options: { details?: Violation[]; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = name;
    this.details = options.details ?? [{ message }];
  }
}

export const badData = (details: Violation[]): ApiError =>
  new ApiError(
    'BadDataError',
    details.length === 1
      ? 'The request has a mistake; details says which.'
      : `The request has ${details.length} mistakes; details lists them.`,
    { details },
  );

export const notFound = (what: string): ApiError => new ApiError('NotFoundError', `${what} does not exist.`);

export const nameExists = (what: string): ApiError =>
  new ApiError('NameExistsError', `${what} exists already.`);

export const invalidOperation = (why: string): ApiError => new ApiError('InvalidOperationError', why);

export const exceedsLimit = (why: string): ApiError => new ApiError('ExceedsLimitError', why);

export const authenticationRequired = (): ApiError =>
  new ApiError('AuthenticationRequired', 'Send a valid token in the Authorization header.');

export function noAccess(permissions: readonly string[], environment?: string): ApiError {
  const needed = permissions.length === 1 ? permissions[0] : `one of ${permissions.join(', ')}`;
  const where = environment === undefined ? '' : ` in environment ${environment}`;
  return new ApiError('NoAccessError', `You need the permission ${needed}${where} to do this.`);
}
