import type { schemas } from './api.gen.ts';
import { isBusy, offlineError, RequestError, rejectionError, unreachableError } from './errors.ts';
import { acquireIdempotencyKey } from './idempotency.ts';
import { askForReason, reasonHeader } from './reason.ts';
import { createClient } from './request.ts';
import { checkPageUser, mayBeDifferentUser, setConnection, waitForLogin } from './session.ts';
import { wait } from './wait.ts';
import { runCancellable } from './waiting-writes.ts';

export type Schemas = schemas;

/** A read fails after this many attempts. Queries and pages retry it later. */
const MAX_ATTEMPTS = 4;
const MAX_WAIT_SECONDS = 30;
/** Writes pause for less time than reads, because the user is waiting for the result. */
const MAX_WRITE_WAIT_SECONDS = 5;
/** Must be less than the 24 hours for which the server keeps an idempotency key. */
const MAX_WRITE_MS = 12 * 3_600_000;

/** Whether the URL works without a session. A 401 from such a URL does not mean that the session has ended. */
const isPublic = (url: string): boolean => /^\/(auth|invite|logout)(\/|$)/.test(new URL(url).pathname);

/** Whether the server is unreachable or overloaded, or a proxy cannot reach it. */
const isUnavailable = (response: Response | undefined): boolean =>
  response === undefined || [502, 503, 504].includes(response.status);

/** Returns the time of the snapshot that applications are served from while the server has no database. */
const readSnapshotTime = (response: Response | undefined): string | null =>
  response?.headers.get('halyard-snapshot') ?? null;

/** Whether the server did not carry out the request because it was busy. Excludes logins, whose rate limits the user must see. */
const isRejectedAsBusy = (request: Request, response: Response | undefined): boolean =>
  response !== undefined && isBusy(response.status, retryAfterSeconds(response)) && !isPublic(request.url);

/** Whether the server is in maintenance mode. This can last for hours, so the user gets a message instead of waiting. */
const isInMaintenance = async (response: Response): Promise<boolean> =>
  response.status === 503 && (await response.clone().text()).includes('"MaintenanceError"');

const send = (request: Request): Promise<Response> =>
  request.method === 'GET' || isPublic(request.url) ? sendRead(request) : sendWrite(request);

/** Sends a request that changes nothing. For a POST that only reads, pass `{ fetch: sendRead }`. */
export async function sendRead(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await tryOnce(request, request.signal);
    if (response?.status === 401 && !isPublic(request.url)) {
      await waitForLogin(false);
      continue;
    }
    const busy = isRejectedAsBusy(request, response);
    if (response && response.status !== 503 && !busy) {
      setConnection({ unavailable: false });
      return response;
    }
    // The banner appears only after a second failure, so that a single failure goes unnoticed.
    if (attempt > 1) setConnection({ unavailable: !busy, snapshot: readSnapshotTime(response) });
    if (attempt === MAX_ATTEMPTS) {
      if (response) return response;
      throw unreachableError();
    }
    await wait(Math.min(retryAfterSeconds(response) ?? 2 ** (attempt - 1), MAX_WAIT_SECONDS), request.signal);
  }
}

/** Sends a change. If its project requires a reason and the change has none, the user is asked for it. */
async function sendWrite(request: Request): Promise<Response> {
  const response = await sendUntilResponse(request);
  const reason = await askForReason(request, response);
  if (reason === undefined) return response;
  for (const [name, value] of Object.entries(reasonHeader(reason))) request.headers.set(name, value);
  return await sendUntilResponse(request);
}

/**
 * Sends a change until the server responds or the user cancels. All attempts have the same idempotency key, so the server
 * carries out the change once, no matter which responses get lost.
 */
async function sendUntilResponse(request: Request): Promise<Response> {
  if (!navigator.onLine) throw offlineError();
  if (mayBeDifferentUser()) await waitForPageUser();
  const key = await acquireIdempotencyKey(request);
  request.headers.set('Idempotency-Key', key.value);
  const startedAt = Date.now();
  return await runCancellable(request.signal, async (signal, setWaiting) => {
    for (let attempt = 1; ; attempt++) {
      const response = await tryOnce(request, signal);
      if (response?.status === 401) {
        await waitForLogin(true);
        continue;
      }
      // 409 with Retry-After means that an earlier attempt of this request is still running.
      const isRunning = response?.status === 409 && response.headers.has('Retry-After');
      const isWaiting = isRunning || isRejectedAsBusy(request, response);
      if (response && (!isUnavailable(response) || (await isInMaintenance(response))) && !isWaiting) {
        setConnection({ unavailable: false });
        key.release();
        return response;
      }
      if (Date.now() - startedAt > MAX_WRITE_MS) throw unreachableError();
      if (attempt > 1) setConnection({ unavailable: !isWaiting, snapshot: readSnapshotTime(response) });
      setWaiting(attempt > 1);
      await wait(Math.min(retryAfterSeconds(response) ?? 2 ** (attempt - 1), MAX_WRITE_WAIT_SECONDS), signal);
    }
  });
}

/** Returns the response, or undefined if there is none. */
const tryOnce = (request: Request, signal: AbortSignal): Promise<Response | undefined> =>
  fetch(request.clone(), { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return undefined;
  });

/**
 * Waits until this page's user is logged in. Somebody else may have logged in through a different tab, and must not submit this
 * user's input.
 */
async function waitForPageUser(): Promise<void> {
  const response = await fetch('/api/admin/user').catch(() => undefined);
  // Ignores errors, because the write itself will get the same error and handle it.
  if (response?.ok && !checkPageUser(await response.json())) await waitForLogin(true);
}

const retryAfterSeconds = (response: Response | undefined): number | undefined =>
  Number(response?.headers.get('Retry-After')) || undefined;

/** Sends a request without waiting for a login, so a 401 becomes an error. */
export const sendOnce = (request: Request): Promise<Response> =>
  fetch(request).catch(() => Promise.reject(unreachableError()));

/** A change that the server carried out. */
export type Write = {
  method: string;
  /** The path as in openapi.json, such as `/api/admin/segments/{id}`. */
  path: string;
  params: { projectId?: string; featureName?: string };
};

let writeListener = async (_write: Write): Promise<void> => {};

/** Registers a function that runs after every change, before the change's caller continues. */
export function onWrite(listener: (write: Write) => Promise<void>): void {
  writeListener = listener;
}

/** The typed client of the API. Every write carries an `Idempotency-Key`. */
export const api = createClient(send, async ({ method, path, options: { params }, response }) => {
  const isDryRun = params?.query?.dryRun === 'true';
  if (method !== 'GET' && response.ok && !isDryRun)
    await writeListener({ method, path, params: params?.path ?? {} });
});

type Call<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

/** Returns the body of a response. Throws a RequestError if the server rejected the request. */
export async function unwrap<T>(call: Call<T>): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) return data as T; // For a response without a body, T is undefined.
  const body = typeof error === 'object' && error !== null ? error : {};
  throw rejectionError(response.status, body, retryAfterSeconds(response));
}

/**
 * Returns the body of the response to a change. Returns undefined if the server carried out the change in an earlier attempt and no
 * longer has the response, because the server crashed after the change or the response was too large to keep.
 */
export async function unwrapIfAvailable<T>(call: Call<T>): Promise<T | undefined> {
  return await unwrap(call).catch((error: unknown) => {
    if (error instanceof RequestError && error.kind === 'AlreadyCarriedOutError') return undefined;
    throw error;
  });
}

/** Resolves when the server has carried out a change, for callers that do not read its response. */
export async function ensureApplied(call: Call<unknown>): Promise<void> {
  await unwrapIfAvailable(call);
}
