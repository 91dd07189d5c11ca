import type { schemas } from './api.gen.ts';

type ApiError = schemas['ApiError'];

/** A request that the server rejected, or that did not reach it (`status` 0). */
export class RequestError extends Error {
  readonly status: number;
  /** Id of the error in the server log. */
  readonly id: string | undefined;
  /** The name of the error in the API, such as `NameExistsError`. */
  readonly kind: string | undefined;
  /** Every violation; `path` points into the request, such as /body/name. */
  readonly details: ApiError['details'];
  /** Seconds until a retry can succeed. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Partial<ApiError>, retryAfter?: number) {
    super(body.message ?? `The server responded with status ${status}.`);
    this.status = status;
    this.id = body.id;
    this.kind = body.name;
    this.details = body.details ?? [];
    this.retryAfter = retryAfter;
  }
}

/** The request did not reach the server. */
export const unreachable = (): RequestError =>
  new RequestError(0, { message: 'Cannot reach the server. Check the connection.' });

/** The user cancelled a change that got no response. */
export const cancelled = (): RequestError =>
  new RequestError(0, {
    message:
      'Cancelled. The server did not respond, so the change may be saved or not. Your input is kept: save it again to be sure.',
  });

/** Whether the server was unreachable or overloaded, so that the same request can succeed later. */
export const isOutage = (error: unknown): boolean =>
  error instanceof RequestError &&
  [0, 502, 503, 504].includes(error.status) &&
  error.kind !== 'MaintenanceError';

/** A change that was not sent, and must not be sent later when nobody expects it. */
export const offline = (): RequestError => new RequestError(0, { message: 'Not saved: you are offline.' });

/** A message below its field, without the field's API name: "parameters.url must be …" becomes "Must be …". */
function atField(message: string, field: string): string {
  const name = [field, field.split('.').at(-1)].find(one => message.startsWith(`${one} `));
  if (name === undefined) return message;
  const rest = message.slice(name.length + 1);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** The messages for the fields of a form, by field: /body/name becomes `name`. */
export function messagesByField(error: unknown): Record<string, string> {
  if (!(error instanceof RequestError)) return {};
  const entries = error.details.flatMap(({ path, message }) => {
    const field = path?.match(/^\/body\/(.+)$/)?.[1]?.replaceAll('/', '.');
    return field === undefined ? [] : [[field, atField(message, field)] as const];
  });
  return Object.fromEntries(entries.toReversed());
}

/** The messages that belong to no field of the form. */
export function otherMessages(error: unknown, fields: readonly string[]): string[] {
  if (!error) return [];
  if (!(error instanceof RequestError)) return [error instanceof Error ? error.message : String(error)];
  if (error.details.length === 0) return [error.message];
  return error.details
    .filter(({ path }) => !fields.some(field => path === `/body/${field.replaceAll('.', '/')}`))
    .map(({ message }) => message);
}

/** Why the name in a form was rejected: it is invalid or taken. */
export const nameMessage = (error: unknown): string | undefined =>
  isNameTaken(error) ? error.message : messagesByField(error).name;

/** The name is taken. The response does not name a field. */
export const isNameTaken = (error: unknown): error is RequestError =>
  error instanceof RequestError && error.kind === 'NameExistsError';
