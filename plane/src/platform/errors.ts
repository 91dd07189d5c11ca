/** The error names that callers see. platform/http/output/error-body.ts maps each to its status. */
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

/** One violation in a request. The path points into the request, such as /query/limit or /body/name. */
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

/** Nobody reads more than this, and a response with 50,000 violations would take 5 MB. */
export const MAX_LISTED = 100;

/** `total` is the number of violations if `details` has only the first ones. */
export function badData(details: Violation[], total = details.length): ApiError {
  const [first] = details;
  const message =
    total === 1 && first
      ? first.message
      : `The request is invalid: ${formatCount(total, 'violation')}, listed in details.`;
  return new ApiError('BadDataError', message, { details: truncateDetails(details, total) });
}

function truncateDetails(details: Violation[], total = details.length): Violation[] {
  const first = details.slice(0, MAX_LISTED);
  const more = total - first.length;
  return more > 0 ? [...first, { message: `and ${more} more` }] : first;
}

/**
 * Rejects an action and lists all reasons. The first reason decides the name and status, `details` has one message per reason,
 * and the error's own message names every missing permission.
 */
export function rejectForAll(action: string, reasons: ApiError[]): void {
  const [first] = reasons;
  if (!first) return;
  const details = reasons.flatMap(reason => reason.details);
  // A single error with several violations already has a message.
  if (reasons.length === 1) throw first;
  const denied = reasons.filter(({ name }) => name === 'NoAccessError').map(({ message }) => message);
  const message = `${action} is rejected for ${details.length} reasons, listed in details.`;
  throw new ApiError(first.name, [message, ...denied].join(' '), { details: truncateDetails(details) });
}

export const notFound = (subject: string, hint?: string): ApiError =>
  new ApiError(
    'NotFoundError',
    [`${subject} does not exist.`, ...(hint === undefined ? [] : [hint])].join(' '),
  );

/** A wrong environment name is a frequent cause of rejections, so the messages say where to find the names. */
export const ENVIRONMENT_HINT = 'GET /api/admin/environments lists the environments.';

/** The message for a body that names an environment that does not exist. */
export const unknownEnvironment = (name: string): string =>
  `environment "${name}" does not exist. ${ENVIRONMENT_HINT}`;

/** The message for archived features or projects: "Feature "a" is archived. Revive it first." */
export const archivedSentence = (kind: 'Feature' | 'Project', names: readonly string[]): string =>
  names.length === 1
    ? `${kind} ${quoteNames(names)} is archived. Revive it first.`
    : `${kind}s ${quoteNames(names)} are archived. Revive them first.`;

/** For callers who can see the archived feature or project. */
export const archivedError = (kind: 'Feature' | 'Project', names: string[]): ApiError =>
  new ApiError('NotFoundError', archivedSentence(kind, names));

export const nameExists = (subject: string): ApiError =>
  new ApiError('NameExistsError', `${subject} already exists.`);

export const invalidOperation = (reason: string): ApiError => new ApiError('InvalidOperationError', reason);

/** Throws an error with all violations, if there are any. */
export function rejectWith(reasons: string[]): void {
  if (reasons.length === 0) return;
  throw new ApiError('InvalidOperationError', reasons.join(' '), {
    details: reasons.map(message => ({ message })),
  });
}

/** A number and its noun: "1 feature", "3 features". */
export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Names for a sentence, each in quotes. */
export const quoteNames = (names: readonly string[]): string => names.map(name => `"${name}"`).join(', ');

/** Alternatives for a sentence: "A", "A or B", "A, B or C". */
export const joinWithOr = (alternatives: readonly string[]): string =>
  [alternatives.slice(0, -1).join(', '), ...alternatives.slice(-1)].filter(part => part !== '').join(' or ');

/** Names in quotes, or ids, for a sentence: the first ones, and how many more there are. */
export function quoteSome(values: readonly (string | number)[], maxShown = 5): string {
  const more = values.length - maxShown;
  const first = values.slice(0, maxShown).map(value => (typeof value === 'string' ? `"${value}"` : value));
  return first.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

export const exceedsLimit = (reason: string): ApiError => new ApiError('ExceedsLimitError', reason);

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

export const tooManyRequests = (reason: string, retryAfter: number): ApiError =>
  new ApiError('RateLimitError', reason, { retryAfter });

/** Where a permission is required: for the whole instance, in a project, or in environments of a project. */
export type PermissionScope = { project?: string; environments?: readonly string[] };

export function noAccess(permissions: readonly string[], scope: PermissionScope = {}): ApiError {
  const { project, environments = [] } = scope;
  const inEnvironments = environments.length === 0 ? '' : ` in environment ${quoteNames(environments)}`;
  const preposition = environments.length === 0 ? 'in' : 'of';
  const inProject = project === undefined ? '' : ` ${preposition} project "${project}"`;
  const location = `${inEnvironments}${inProject}`;
  return new ApiError(
    'NoAccessError',
    `This operation requires the permission ${joinWithOr(permissions)}${location}.`,
  );
}
