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
  /** Seconds after which trying again can help. */
  readonly retryAfter: number | undefined;

  constructor(
    name: ErrorName,
    message: string,
    options: { details?: Violation[]; cause?: unknown; retryAfter?: number } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = name;
    this.details = options.details ?? [{ message }];
    this.retryAfter = options.retryAfter;
  }
}

/** Nobody reads more, and 50,000 violations in one response are 5 MB. */
export const MAX_LISTED = 100;

/** `total` counts the violations where `details` holds the first of them only. */
export function badData(details: Violation[], total = details.length): ApiError {
  const message =
    total === 1
      ? 'The request has a mistake; details says which.'
      : `The request has ${total} mistakes; details lists them.`;
  const listed = details.slice(0, MAX_LISTED);
  const more = total - listed.length;
  return new ApiError('BadDataError', message, {
    details: more > 0 ? [...listed, { message: `and ${more} more` }] : listed,
  });
}

export const notFound = (what: string): ApiError => new ApiError('NotFoundError', `${what} does not exist.`);

/** For callers who may know of it, where an archived one cannot be used. */
export const isArchived = (kind: 'Feature' | 'Project', names: string[]): ApiError =>
  new ApiError('NotFoundError', `${kind} ${names.join(', ')} is archived. Revive it first.`);

export const nameExists = (what: string): ApiError =>
  new ApiError('NameExistsError', `${what} exists already.`);

export const invalidOperation = (why: string): ApiError => new ApiError('InvalidOperationError', why);

/** Refuses with every reason there is; none: goes on. */
export function refuseBecause(reasons: string[]): void {
  if (reasons.length === 0) return;
  throw new ApiError('InvalidOperationError', reasons.join(' '), {
    details: reasons.map(message => ({ message })),
  });
}

/** A number and its noun: "1 feature", "3 features". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Names for a sentence: the first ones, and how many more there are. */
export function some(names: readonly string[], shown = 5): string {
  const rest = names.length - shown;
  return names.slice(0, shown).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

export const exceedsLimit = (why: string): ApiError => new ApiError('ExceedsLimitError', why);

export const authenticationRequired = (): ApiError =>
  new ApiError('AuthenticationRequired', 'Send a valid token in the Authorization header, or log in.');

export const tooManyRequests = (why: string, retryAfter: number): ApiError =>
  new ApiError('RateLimitError', why, { retryAfter });

export function noAccess(permissions: readonly string[], environment?: string): ApiError {
  const needed =
    permissions.length === 1
      ? `the permission ${permissions[0]}`
      : `one of the permissions ${permissions.join(', ')}`;
  const where = environment === undefined ? '' : ` in environment ${environment}`;
  return new ApiError('NoAccessError', `You need ${needed}${where} to do this.`);
}
