import { escapeControls } from '../ui/caller-text.ts';
import type { schemas } from './api.gen.ts';

type ApiError = schemas['ApiError'];

/** A request that the server rejected, or that did not reach the server (`status` 0). Its messages can quote text from callers. */
export class RequestError extends Error {
  readonly status: number;
  /** Id of the error in the server log. */
  readonly id: string | undefined;
  /** The name of the error in the API, such as `NameExistsError`. */
  readonly kind: string | undefined;
  /** All violations. `path` points into the request, such as /body/name. */
  readonly details: ApiError['details'];
  /** Seconds until a retry can succeed. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Partial<ApiError>, retryAfter?: number) {
    super(escapeControls(body.message ?? `The server responded with status ${status}.`));
    this.status = status;
    this.id = body.id;
    this.kind = body.name;
    this.details = (body.details ?? []).map(detail => ({
      ...detail,
      message: escapeControls(detail.message),
    }));
    this.retryAfter = retryAfter;
  }
}

class MissingReasonError extends RequestError {}

/** The path of a violation about the reason for a change. */
export const REASON_PATH = '/headers/halyard-comment';
const REASON_HEADER = 'Halyard-Comment';

/**
 * Creates the error for a rejected request. The server's messages about a reason name the header that API clients send, so users get
 * messages that name the console's field instead.
 */
export function rejectionError(status: number, body: Partial<ApiError>, retryAfter?: number): RequestError {
  const problem = body.details?.find(({ path }) => path === REASON_PATH)?.message;
  if (problem === undefined) return new RequestError(status, body, retryAfter);
  return problem.startsWith(`${REASON_HEADER} `)
    ? new RequestError(status, {
        ...body,
        message: problem.replace(REASON_HEADER, 'The reason'),
        details: [],
      })
    : new MissingReasonError(status, { ...body, message: 'Enter a reason.', details: [] });
}

/** Whether the change needs a reason. The console has already asked for it, so the user cancelled the change and needs no notice. */
export const isReasonMissing = (error: unknown): boolean => error instanceof MissingReasonError;

/** Creates the error for a request that did not reach the server. */
export const unreachableError = (): RequestError =>
  new RequestError(0, { message: 'Cannot reach the server. Check the connection.' });

/** Creates the error for a change that the user cancelled before the server responded. */
export const cancelledError = (): RequestError =>
  new RequestError(0, {
    message:
      'Cancelled. The server did not respond, so the change may or may not be saved. Your input is kept: save again to be sure.',
  });

/** A 429 that asks for a longer wait comes from a rate limit, such as the one on password links. The user must see its message. */
const MAX_BUSY_SECONDS = 5;

/** Whether the server was too busy for a request. A retry can succeed within seconds. */
export const isBusy = (status: number, retryAfter = Number.POSITIVE_INFINITY): boolean =>
  status === 429 && retryAfter <= MAX_BUSY_SECONDS;

/** Whether the server was unreachable or overloaded, in which case the same request can succeed later. */
export const isOutage = (error: unknown): boolean =>
  error instanceof RequestError &&
  ([0, 502, 503, 504].includes(error.status) || isBusy(error.status, error.retryAfter)) &&
  error.kind !== 'MaintenanceError';

/** Creates the error for a change made while offline. The change is not sent later, because the user would no longer expect it. */
export const offlineError = (): RequestError =>
  new RequestError(0, { message: 'Not saved: you are offline.' });

/** Removes the field's API name from a message shown below the field: "parameters.url must be …" becomes "Must be …". */
function withoutFieldName(message: string, field: string): string {
  const name = [field, field.split('.').at(-1)].find(prefix => message.startsWith(`${prefix} `));
  if (name === undefined) return message;
  const rest = message.slice(name.length + 1);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Returns the messages for the fields of a form, by field. The path /body/name becomes `name`. */
export function messagesByField(error: unknown): Record<string, string> {
  if (!(error instanceof RequestError)) return {};
  const entries = error.details.flatMap(({ path, message }) => {
    const field = path?.match(/^\/body\/(.+)$/)?.[1]?.replaceAll('/', '.');
    return field === undefined ? [] : [[field, withoutFieldName(message, field)] as const];
  });
  return Object.fromEntries(entries.toReversed());
}

/**
 * Returns the messages for fields that the form does not show, and those that do not belong to a field. Returns none if the user
 * cancelled the change instead of entering a reason.
 */
export function messagesWithoutField(error: unknown, shownFields: readonly string[]): string[] {
  if (!error || isReasonMissing(error)) return [];
  if (!(error instanceof RequestError)) return [error instanceof Error ? error.message : String(error)];
  if (error.details.length === 0) return [error.message];
  return error.details
    .filter(({ path }) => !shownFields.some(field => path === `/body/${field.replaceAll('.', '/')}`))
    .map(({ message }) => message);
}

/** Returns the message for a form's name field, if the server rejected the name as invalid or taken. */
export const findNameError = (error: unknown): string | undefined =>
  isNameTaken(error) ? error.message : messagesByField(error).name;

/** Whether the name is taken. Callers must show this error next to the name field, because the response does not name a field. */
export const isNameTaken = (error: unknown): error is RequestError =>
  error instanceof RequestError && error.kind === 'NameExistsError';
