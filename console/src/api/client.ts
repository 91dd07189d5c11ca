import type { schemas } from './api.gen.ts';
import { offline, RequestError, unreachable } from './errors.ts';
import { keyFor } from './idempotency.ts';
import { askForReason, because } from './reason.ts';
import { createClient } from './request.ts';
import { isOwner, mayBeAnotherUser, setConnection, untilLoggedIn } from './session.ts';
import { wait } from './wait.ts';
import { withCancel } from './waiting-writes.ts';

export type Schemas = schemas;

/** Reads fail after this many attempts. Queries and pages try again later. */
const MAX_ATTEMPTS = 4;
const MAX_WAIT_SECONDS = 30;
/** The longest pause of a write. The user is waiting for it. */
const MAX_WRITE_WAIT_SECONDS = 5;
/** The server keeps an idempotency key for 24 hours. */
const MAX_WRITE_MS = 12 * 3_600_000;

/** Pages for which 401 is an expected response: the user is logging in. */
const isPublic = (url: string): boolean => /^\/(auth|invite|logout)(\/|$)/.test(new URL(url).pathname);

/** The server is unreachable or overloaded, or a proxy cannot reach it. */
const isUnavailable = (response: Response | undefined): boolean =>
  response === undefined || [502, 503, 504].includes(response.status);

/** The time of the flags that applications get meanwhile, if the server has no database. */
const snapshotOf = (response: Response | undefined): string | null =>
  response?.headers.get('halyard-snapshot') ?? null;

/** Maintenance can last for hours, so the user gets a message instead of waiting. */
const isInMaintenance = async (response: Response): Promise<boolean> =>
  response.status === 503 && (await response.clone().text()).includes('"MaintenanceError"');

const send = (request: Request): Promise<Response> =>
  request.method === 'GET' || isPublic(request.url) ? sendRead(request) : sendWrite(request);

/** Sends a request that changes nothing. For a POST of a query: `{ fetch: sendRead }`. */
export async function sendRead(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await tryOnce(request, request.signal);
    if (response?.status === 401 && !isPublic(request.url)) {
      await untilLoggedIn(false);
      continue;
    }
    if (response && response.status !== 503) {
      setConnection({ unavailable: false });
      return response;
    }
    // The banner appears with the second failure, so that a single one stays invisible.
    if (attempt > 1) setConnection({ unavailable: true, snapshot: snapshotOf(response) });
    if (attempt === MAX_ATTEMPTS) {
      if (response) return response;
      throw unreachable();
    }
    await wait(Math.min(retryAfter(response) ?? 2 ** (attempt - 1), MAX_WAIT_SECONDS), request.signal);
  }
}

/** Sends a change. If its project requires a reason and the change has none, the user is asked for it. */
async function sendWrite(request: Request): Promise<Response> {
  const response = await sendUntilResponse(request);
  const reason = await askForReason(request, response);
  if (reason === undefined) return response;
  for (const [name, value] of Object.entries(because(reason))) request.headers.set(name, value);
  return await sendUntilResponse(request);
}

/**
 * Sends a change until the server responds to it, or the user cancels. All attempts have the same idempotency key, so the
 * server carries out the change once, whichever of its responses got lost.
 */
async function sendUntilResponse(request: Request): Promise<Response> {
  if (!navigator.onLine) throw offline();
  if (mayBeAnotherUser()) await untilOwner();
  const key = await keyFor(request);
  request.headers.set('Idempotency-Key', key.value);
  const startedAt = Date.now();
  return await withCancel(request.signal, async (signal, setWaiting) => {
    for (let attempt = 1; ; attempt++) {
      const response = await tryOnce(request, signal);
      if (response?.status === 401) {
        await untilLoggedIn(true);
        continue;
      }
      // 409 with Retry-After: an earlier attempt of this request is still running.
      const isRunning = response?.status === 409 && response.headers.has('Retry-After');
      if (response && (!isUnavailable(response) || (await isInMaintenance(response))) && !isRunning) {
        setConnection({ unavailable: false });
        key.release();
        return response;
      }
      if (Date.now() - startedAt > MAX_WRITE_MS) throw unreachable();
      if (attempt > 1) setConnection({ unavailable: !isRunning, snapshot: snapshotOf(response) });
      setWaiting(attempt > 1);
      await wait(Math.min(retryAfter(response) ?? 2 ** (attempt - 1), MAX_WRITE_WAIT_SECONDS), signal);
    }
  });
}

/** The response, or undefined if there is none. */
const tryOnce = (request: Request, signal: AbortSignal): Promise<Response | undefined> =>
  fetch(request.clone(), { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return undefined;
  });

/** Before the first write after a tab got the focus: a different user must not send the input of this page. */
async function untilOwner(): Promise<void> {
  const response = await fetch('/api/admin/user').catch(() => undefined);
  // Any other response would be the same for the write.
  if (response?.ok && !isOwner(await response.json())) await untilLoggedIn(true);
}

const retryAfter = (response: Response | undefined): number | undefined =>
  Number(response?.headers.get('Retry-After')) || undefined;

/** Sends without waiting for a login: 401 becomes an error. */
export const sendOnce = (request: Request): Promise<Response> =>
  fetch(request).catch(() => Promise.reject(unreachable()));

/** A change that the server carried out. */
export type Write = {
  method: string;
  /** As in the API document: `/api/admin/segments/{id}`. */
  path: string;
  params: { projectId?: string; featureName?: string };
};

let afterWrite = async (_write: Write): Promise<void> => {};

/** Runs after every change, before its caller continues. */
export function onWrite(listener: (write: Write) => Promise<void>): void {
  afterWrite = listener;
}

/** The typed client of the API. Every write carries an `Idempotency-Key`. */
export const api = createClient(send, async ({ method, path, options: { params }, response }) => {
  const isDryRun = params?.query?.dryRun === 'true';
  if (method !== 'GET' && response.ok && !isDryRun)
    await afterWrite({ method, path, params: params?.path ?? {} });
});

type Call<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

/** The body of a response. Throws a RequestError if the server rejected the request. */
export async function unwrap<T>(call: Call<T>): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) return data as T; // A response without a body has the type undefined.
  const body = typeof error === 'object' && error !== null ? error : {};
  throw new RequestError(response.status, body, retryAfter(response));
}

/**
 * The body of the response to a change. Undefined: the server carried out the change in an earlier attempt and no longer has the
 * response, because it crashed after the change or the response is large.
 */
export async function unlessCarriedOut<T>(call: Call<T>): Promise<T | undefined> {
  return await unwrap(call).catch((error: unknown) => {
    if (error instanceof RequestError && error.kind === 'AlreadyCarriedOutError') return undefined;
    throw error;
  });
}

/** Resolves when the server has carried out a change, for callers that do not read its response. */
export async function done(call: Call<unknown>): Promise<void> {
  await unlessCarriedOut(call);
}
