import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'openapi-fetch';
import type { paths } from './api/api.gen.ts';
import type { Connection } from './connection.ts';
import { interruption, rejection, unreachableError, usageError } from './errors.ts';
import { VERSION } from './version.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];
export type Api = Pick<Client<paths>, Method>;

/** The statuses of a server that is restarting, overloaded, or behind a proxy that cannot reach it. */
const TRANSIENT_STATUSES = [429, 502, 503, 504];
const MAX_ATTEMPTS = 4;
/**
 * Longer than a restart, which takes seconds. After a crash, the server rejects a repeated request for up to a minute, because the
 * first attempt may still be running.
 */
const RESTART_TIMEOUT_MS = 5 * 60_000;
const MAX_PAUSE_SECONDS = 8;
const MAX_WAIT_SECONDS = 10;
const REQUEST_TIMEOUT_MS = 60_000;
/** The codes of errors that retrying does not fix. */
const PERMANENT_ERRORS = [
  'ENOTFOUND',
  'ERR_INVALID_URL',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
];

/** A request that --dry-run shows. */
export type Request = { method: Method; path: string; body?: unknown; comment?: string };

/** Ends a command before its first write. */
export class DryRun extends Error {
  readonly request: Request;

  constructor(request: Request) {
    super('This is a dry run.');
    this.request = request;
  }
}

export type Send = (
  method: Method,
  path: string,
  init?: {
    body?: unknown;
    headers?: Record<string, string>;
    /** Disables retries. */
    once?: boolean;
    /** For a stream, which has no timeout and arrives in parts. */
    signal?: AbortSignal;
  },
) => Promise<Response>;

type Sender = {
  connection: () => Connection;
  signal: AbortSignal;
  survivesRestart?: boolean;
  /** Called with the headers of each response that is returned to the caller, but not of those that are retried. */
  onResponse?: (headers: Headers) => void;
};

/** Sends a request and retries while the server is unreachable. All attempts of a write share one idempotency key. */
export const makeSend =
  ({ connection, signal, survivesRestart = false, onResponse }: Sender): Send =>
  async (method, path, { body, headers = {}, once = false, signal: streamSignal } = {}) => {
    checkPath(path);
    const { server, token } = connection();
    const init: RequestInit = {
      method,
      // A token is never sent to a server that the user did not name.
      redirect: 'manual',
      headers: {
        Authorization: token,
        'User-Agent': `halyard-cli/${VERSION}`,
        ...(method !== 'GET' && { 'Idempotency-Key': randomUUID() }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const deadline = Date.now() + RESTART_TIMEOUT_MS;
    for (let attempt = 1; ; attempt++) {
      const isLast = once || (survivesRestart ? Date.now() > deadline : attempt === MAX_ATTEMPTS);
      const signals = streamSignal ? [streamSignal] : [AbortSignal.timeout(REQUEST_TIMEOUT_MS)];
      const response = await fetchOnce(
        server + path,
        { ...init, signal: AbortSignal.any([signal, ...signals]) },
        streamSignal !== undefined,
      ).catch((error: unknown) => {
        if (signal.aborted) throw interruption();
        if (isLast || PERMANENT_ERRORS.includes(getCause(error).code ?? ''))
          throw noResponseError(server, error);
        return undefined;
      });
      if (response && response.status >= 300 && response.status < 400) throw redirectError(server, response);
      // 409 with Retry-After means that an earlier attempt of this request is still running.
      const isRunning = response?.status === 409 && response.headers.has('Retry-After');
      if (response && ((!TRANSIENT_STATUSES.includes(response.status) && !isRunning) || isLast)) {
        onResponse?.(response.headers);
        return response;
      }
      const seconds =
        Math.max(Number(response?.headers.get('Retry-After')), 0) ||
        Math.min(2 ** (attempt - 2), MAX_PAUSE_SECONDS);
      // Returns the response, because the user should not wait for minutes without a message.
      if (response && seconds > MAX_WAIT_SECONDS) return response;
      await response?.body?.cancel();
      await sleep(seconds * 1000, undefined, { signal }).catch(() => {
        throw interruption();
      });
    }
  };

/**
 * Parsing a URL resolves the segments `.` and `..`, so a flag with such a name would have the URL of its project, and archiving the
 * flag would delete the project.
 */
const DOT_SEGMENT = /^(\.|%2e){1,2}$/i;

function checkPath(path: string): void {
  const [pathname = ''] = path.split(/[?#]/);
  const dotSegment = pathname.split(/[/\\]/).find(segment => DOT_SEGMENT.test(segment));
  if (dotSegment !== undefined) throw invalidNameError(dotSegment);
}

const invalidNameError = (text: string) => usageError(`${JSON.stringify(text)} is not a valid name.`);

/** Reads the whole response, unless it is a stream. Throws if the body is cut off, so that the request is retried. */
async function fetchOnce(url: string, init: RequestInit, isStream: boolean): Promise<Response> {
  const response = await fetch(url, init);
  if (isStream) return response;
  const { status, headers } = response;
  const body = await response.arrayBuffer();
  return new Response(body.byteLength === 0 ? null : body, { status, headers });
}

type Cause = { code?: string; message?: string };

function getCause(error: unknown): Cause {
  const { cause } = error as { cause?: Cause & { errors?: Cause[] } };
  return cause?.errors?.[0] ?? cause ?? (error as Cause);
}

const CAUSES: Record<string, string> = {
  ECONNREFUSED: 'nothing is listening there',
  ENOTFOUND: 'the host name is unknown',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS. Use http:// instead of https://.',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not use TLS. Use http:// instead of https://.',
};

function noResponseError(server: string, error: unknown) {
  const { code, message } = getCause(error);
  const cause =
    (error as Error).name === 'TimeoutError'
      ? 'it did not respond in time'
      : (CAUSES[code ?? ''] ?? message ?? code);
  return unreachableError(
    `Cannot reach ${server}: ${cause}`.replace(/\.*$/, '.'),
    'Check that the server is running, and that its URL is correct.',
  );
}

function redirectError(server: string, response: Response) {
  const target = URL.parse(response.headers.get('Location') ?? '', server)?.href ?? 'a different URL';
  return unreachableError(`${server} redirects to ${target}.`, 'Log in with the URL of the server itself.');
}

export async function readResponseBody(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns a successful response. Throws the server's rejection as an error. */
export async function requireSuccess(response: Response, server: string): Promise<Response> {
  if (response.ok) return response;
  throw rejection(response.status, await readResponseBody(response), server);
}

type Options = {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown> };
  body?: unknown;
};

export function buildPath(
  path: string,
  { path: pathParameters = {}, query = {} }: NonNullable<Options['params']> = {},
): string {
  const encode = (value: unknown) => encodeURIComponent(String(value));
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const part = encode(pathParameters[name]);
    if (part === '' || DOT_SEGMENT.test(part)) throw invalidNameError(part);
    return part;
  });
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap(item => (item == null ? [] : `${name}=${encode(item)}`)),
  );
  return `${filledPath}${pairs.length > 0 ? '?' : ''}${pairs.join('&')}`;
}

/** Creates a client with the types of openapi-fetch. `prepare` is called for each request and returns additional headers. */
export function makeApi(
  send: Send,
  connection: () => Connection,
  prepare: (request: Request) => Record<string, string> = () => ({}),
): Api {
  const call =
    (method: Method) =>
    async (path: string, { params, body }: Options = {}) => {
      const target = buildPath(path, params);
      const headers = prepare({ method, path: target, ...(body !== undefined && { body }) });
      const response = await requireSuccess(
        await send(method, target, { body, headers }),
        connection().server,
      );
      return { data: await readResponseBody(response), response };
    };
  // The return type has the paths, parameters and bodies of openapi.json, which this generic code cannot check.
  return Object.fromEntries(METHODS.map(method => [method, call(method)])) as never;
}

/** Returns the body of a response. */
export async function getData<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}
