import createClient from 'openapi-fetch';
import type { paths, schemas } from './api.gen.ts';
import { offline, RequestError, unreachable } from './errors.ts';
import { isOwner, mayBeAnotherUser, setConnection, untilLoggedIn } from './session.ts';

export type Schemas = schemas;

/** A retry is safe: reads change nothing, and every POST has an idempotency key. */
const MAX_ATTEMPTS = 4;
const MAX_WAIT_SECONDS = 30;

/** Pages for which 401 is an expected response: the user is logging in. */
const isPublic = (url: string): boolean => /^\/(auth|invite|logout)(\/|$)/.test(new URL(url).pathname);

async function send(request: Request): Promise<Response> {
  if (request.method === 'POST') request.headers.set('Idempotency-Key', crypto.randomUUID());
  const isWrite = request.method !== 'GET';
  if (isWrite && !navigator.onLine) throw offline();
  if (isWrite && mayBeAnotherUser()) await untilOwner();
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(request.clone()).catch((error: unknown) => {
      if (request.signal.aborted) throw error;
      return undefined;
    });
    if (response?.status === 401 && !isPublic(request.url)) {
      await untilLoggedIn(isWrite);
      continue;
    }
    if (response && response.status !== 503) {
      setConnection({ unavailable: false });
      return response;
    }
    // The banner appears with the second failure, so that a single one stays invisible.
    if (attempt > 1) setConnection({ unavailable: true });
    // The server may have got the request, so the message does not say that nothing was saved.
    if (attempt === MAX_ATTEMPTS || (isWrite && !navigator.onLine)) {
      if (response) return response;
      throw unreachable();
    }
    await wait(waitSeconds(response, attempt), request.signal);
  }
}

/** Before the first write after a tab got the focus: another user must not send the input of this page. */
async function untilOwner(): Promise<void> {
  const response = await fetch('/api/admin/user').catch(() => undefined);
  // Any other response is the one that the write gets too.
  if (response?.ok && !isOwner(await response.json())) await untilLoggedIn(true);
}

const waitSeconds = (response: Response | undefined, attempt: number): number =>
  Math.min(Number(response?.headers.get('Retry-After')) || 2 ** (attempt - 1), MAX_WAIT_SECONDS);

function wait(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** Sends without waiting for a login: 401 becomes an error. */
export const sendOnce = (request: Request): Promise<Response> =>
  fetch(request).catch(() => Promise.reject(unreachable()));

/** The typed client of the API. Every POST carries an `Idempotency-Key`. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: send });

/** The body of a response. Throws a RequestError if the server rejected the request. */
export async function unwrap<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) return data as T; // A response without a body has the type undefined.
  const body = typeof error === 'object' && error !== null ? error : {};
  throw new RequestError(response.status, body, Number(response.headers.get('Retry-After')) || undefined);
}
