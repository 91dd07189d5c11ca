/** The names a caller may see. platform/http/output/errors.ts maps each to its status. */
export const ERROR_NAMES = [
  'AlreadyCarriedOutError',
  'AuthenticationRequired',
  'BadDataError',
  'ConflictError',
  'ContentTypeerror',
  'ExceedsLimitError',
  'IdempotencyError',
  'InternalError',
  'InvalidOperationError',
  'MaintenanceError',
  'MethodNotAllowedError',
  'NameExistsError',
  'NoAccessError',
  'NotFoundError',
  'PatternError',
  'PayloadTooLargeError',
  'PreconditionFailedError',
  'RateLimitError',
  'ServiceUnavailableError',
] as const;
export type ErrorName = (typeof ERROR_NAMES)[number];

/** One thing wrong with a request; path points into it, such as /query/limit or /body/name. */
export type Violation = { message: string; path?: string };

/** An error for the caller. Only errors of this class have their message sent in responses. */
export class ApiError extends Error {
  override readonly name: ErrorName;
  readonly details: Violation[];
  /** Seconds after which a retry can help. */
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

/** Nobody reads more than this, and 50,000 violations would make a response of 5 MB. */
export const MAX_LISTED = 100;

/** `total` is the number of violations if `details` has only the first ones. */
export function badData(details: Violation[], total = details.length): ApiError {
  const [first] = details;
  const message =
    total === 1 && first
      ? first.message
      : `The request is invalid: ${counted(total, 'violation')}, listed in details.`;
  return new ApiError('BadDataError', message, { details: listed(details, total) });
}

function listed(details: Violation[], total = details.length): Violation[] {
  const first = details.slice(0, MAX_LISTED);
  const more = total - first.length;
  return more > 0 ? [...first, { message: `and ${more} more` }] : first;
}

/**
 * Rejects an action with all reasons. The first reason decides name and status; `details` has the message of each. The message
 * itself names every missing permission.
 */
export function rejectForAll(action: string, reasons: ApiError[]): void {
  const [first] = reasons;
  if (!first) return;
  const details = reasons.flatMap(reason => reason.details);
  // A single error with several violations has its own message.
  if (reasons.length === 1) throw first;
  const denied = reasons.filter(({ name }) => name === 'NoAccessError').map(({ message }) => message);
  const message = `${action} is rejected for ${details.length} reasons, listed in details.`;
  throw new ApiError(first.name, [message, ...denied].join(' '), { details: listed(details) });
}

export const notFound = (what: string): ApiError => new ApiError('NotFoundError', `${what} does not exist.`);

/** The sentence about archived features or projects: "Feature "a" is archived. Revive it first." */
export const archivedSentence = (kind: 'Feature' | 'Project', names: readonly string[]): string =>
  names.length === 1
    ? `${kind} ${quoted(names)} is archived. Revive it first.`
    : `${kind}s ${quoted(names)} are archived. Revive them first.`;

/** For callers who may see the archived feature or project. */
export const isArchived = (kind: 'Feature' | 'Project', names: string[]): ApiError =>
  new ApiError('NotFoundError', archivedSentence(kind, names));

export const nameExists = (what: string): ApiError =>
  new ApiError('NameExistsError', `${what} already exists.`);

export const invalidOperation = (why: string): ApiError => new ApiError('InvalidOperationError', why);

/** Throws an error with all violations, if there are any. */
export function rejectWith(reasons: string[]): void {
  if (reasons.length === 0) return;
  throw new ApiError('InvalidOperationError', reasons.join(' '), {
    details: reasons.map(message => ({ message })),
  });
}

/** A number and its noun: "1 feature", "3 features". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Names for a sentence, each in quotes. */
export const quoted = (names: readonly string[]): string => names.map(name => `"${name}"`).join(', ');

/** Alternatives for a sentence: "A", "A or B", "A, B or C". */
export const either = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(part => part !== '').join(' or ');

/** Names in quotes, or ids, for a sentence: the first ones, and how many more there are. */
export function some(values: readonly (string | number)[], shown = 5): string {
  const rest = values.length - shown;
  const first = values.slice(0, shown).map(value => (typeof value === 'string' ? `"${value}"` : value));
  return first.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

export const exceedsLimit = (why: string): ApiError => new ApiError('ExceedsLimitError', why);

/** Why a caller is not authenticated. Never says whether a token existed. */
const UNAUTHENTICATED = {
  nothing: 'The request has no Authorization header and no session. Send a token in the header, or log in.',
  malformed:
    'The token in the Authorization header is malformed. Send the whole token as it was shown when it was created.',
  token: 'The token is unknown, expired or revoked. Create a new one, or log in.',
  session: 'The session is unknown or has ended. Log in again.',
};

export const authenticationRequired = (reason: keyof typeof UNAUTHENTICATED): ApiError =>
  new ApiError('AuthenticationRequired', UNAUTHENTICATED[reason]);

export const tooManyRequests = (why: string, retryAfter: number): ApiError =>
  new ApiError('RateLimitError', why, { retryAfter });

/** Where a permission is required: on the instance, in a project, or in environments of a project. */
export type PermissionPlace = { project?: string; environments?: readonly string[] };

export function noAccess(permissions: readonly string[], place: PermissionPlace = {}): ApiError {
  const { project, environments = [] } = place;
  const inEnvironments = environments.length === 0 ? '' : ` in environment ${quoted(environments)}`;
  const preposition = environments.length === 0 ? 'in' : 'of';
  const inProject = project === undefined ? '' : ` ${preposition} project "${project}"`;
  const where = `${inEnvironments}${inProject}`;
  return new ApiError(
    'NoAccessError',
    `This operation requires the permission ${either(permissions)}${where}.`,
  );
}
