import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openUrl } from './browser.ts';
import type { Context } from './context.ts';
import { failure, interruption, notLoggedInError, unreachableError, usageError } from './errors.ts';
import { sanitize } from './output.ts';
import { VERSION } from './version.ts';

/** The client id of this program, which every server knows. */
const CLIENT_ID = 'halyard-cli';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const CALLBACK_PATH = '/callback';
/** The maximum time that a user may take in the browser. */
const LOGIN_TIMEOUT_MS = 10 * 60_000;
const REQUEST_TIMEOUT_MS = 30_000;

type Endpoints = {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  device_authorization_endpoint?: string;
};

type TokenResponse = { access_token?: string };
type ErrorResponse = { error?: string; error_description?: string };
type DeviceAuthorization = {
  device_code: string;
  user_code: string;
  verification_uri: string;
  expires_in: number;
  interval: number;
};

const FETCH_OPTIONS = { redirect: 'manual', headers: { 'User-Agent': `halyard-cli/${VERSION}` } } as const;

async function sendRequest(context: Context, url: string, form?: Record<string, string>): Promise<Response> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
  try {
    return await fetch(url, {
      ...FETCH_OPTIONS,
      signal,
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
  } catch {
    if (context.signal.aborted) throw interruption();
    throw unreachableError(
      `Cannot reach ${new URL(url).origin}.`,
      'Check that the server is running, and that its URL is correct.',
    );
  }
}

const readBody = async <T>(response: Response): Promise<Partial<T> & ErrorResponse> =>
  (await response.json().catch(() => ({}))) as Partial<T> & ErrorResponse;

/** Reads the server's endpoints. They must be on the server that the user named, because they issue the token. */
async function readEndpoints(context: Context, server: string): Promise<Endpoints> {
  const response = await sendRequest(context, `${server}/.well-known/oauth-authorization-server`);
  const metadata = response.ok ? await readBody<Endpoints>(response) : {};
  if (metadata.issuer === undefined || metadata.token_endpoint === undefined)
    throw usageError(
      `${server} does not support logins from the CLI.`,
      'Check the URL. An older server needs a token: halyard login --with-token',
    );
  if (metadata.issuer !== server)
    throw usageError(
      `The server's own URL is ${sanitize(metadata.issuer)}, not ${server}.`,
      `Log in there: halyard login --server ${sanitize(metadata.issuer)}. If that URL is wrong, the operator must set HALYARD_PUBLIC_URL, or you use halyard login --with-token.`,
    );
  if (typeof metadata.authorization_endpoint !== 'string')
    throw usageError(
      "The server's metadata lists no login endpoint.",
      'Check the URL, or use halyard login --with-token.',
    );
  const endpoints = metadata as Endpoints;
  const { authorization_endpoint, token_endpoint, device_authorization_endpoint } = endpoints;
  for (const url of [authorization_endpoint, token_endpoint, device_authorization_endpoint ?? token_endpoint])
    if (!String(url).startsWith(`${server}/`))
      throw failure(`The server lists a login endpoint on a different server: ${sanitize(String(url))}`);
  return endpoints;
}

const loginRejection = (server: string, { error, error_description: description }: ErrorResponse) =>
  error === 'access_denied'
    ? notLoggedInError('The request was denied in the browser.')
    : failure(
        `${server} rejected the login: ${sanitize(description ?? error ?? 'the response is unexpected')}`,
      );

function requireToken(server: string, body: Partial<TokenResponse> & ErrorResponse): string {
  if (body.access_token === undefined) throw loginRejection(server, body);
  return body.access_token;
}

/** Opens the browser and waits for the user's decision. The code arrives on a local port. */
export async function logInWithBrowser(context: Context, server: string): Promise<string> {
  const endpoints = await readEndpoints(context, server);
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const listener = createServer().listen(0, '127.0.0.1');
  try {
    await once(listener, 'listening');
    const redirectUri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}${CALLBACK_PATH}`;
    const url = new URL(endpoints.authorization_endpoint);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: CLIENT_ID,
      redirect_uri: redirectUri,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state,
      resource: server,
    }).toString();
    const callback = waitForCallback(context, listener, state, endpoints.issuer);
    // Prevents an unhandled rejection, because the callback is awaited only after the URL has been shown.
    callback.catch(() => {});
    const isBrowserOpen = context.env.BROWSER !== 'none' && (await openUrl(url.href));
    context.note(
      `${isBrowserOpen ? 'Continue in the browser. If no page opened, open' : 'Open'} this URL:\n\n  ${url.href}\n`,
    );
    const parameters = await callback;
    const code = parameters.get('code');
    if (code === null)
      throw loginRejection(server, {
        error: parameters.get('error') ?? 'invalid_response',
        error_description: parameters.get('error_description') ?? 'the browser returned without a code',
      });
    const response = await sendRequest(context, endpoints.token_endpoint, {
      grant_type: 'authorization_code',
      client_id: CLIENT_ID,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
      resource: server,
    });
    return requireToken(server, await readBody<TokenResponse>(response));
  } finally {
    listener.closeAllConnections();
    listener.close();
  }
}

function isSame(a: string, b: string): boolean {
  const [buffer, other] = [Buffer.from(a), Buffer.from(b)];
  return buffer.length === other.length && timingSafeEqual(buffer, other);
}

/** Waits for the redirect from the login page, and resolves to its parameters. Ignores requests with a wrong state or issuer. */
function waitForCallback(
  { signal }: Context,
  listener: ReturnType<typeof createServer>,
  state: string,
  issuer: string,
): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(notLoggedInError('The login was not completed in the browser within 10 minutes.')),
      LOGIN_TIMEOUT_MS,
    );
    const stop = () => {
      clearTimeout(timer);
      reject(interruption());
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    listener.on('request', (request, response) => {
      const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
      const parameters = url?.searchParams ?? new URLSearchParams();
      if (request.method !== 'GET' || url?.pathname !== CALLBACK_PATH)
        return respond(response, 404, 'This page does not exist.');
      if (!isSame(parameters.get('state') ?? '', state) || parameters.get('iss') !== issuer)
        return respond(
          response,
          400,
          'This is not the login that the CLI is waiting for. Run halyard login again.',
        );
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      const message = parameters.has('code')
        ? 'You can close this page and return to the terminal.'
        : 'The CLI was not given access. You can close this page.';
      response.once('close', () => resolve(parameters));
      respond(response, 200, message);
    });
  });
}

function respond(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      connection: 'close',
    })
    .end(`<!doctype html><html lang="en"><title>Halyard</title><p>${message}</p></html>`);
}

/** Shows a code that the user enters in any browser, and polls until the user has decided. */
export async function logInWithDevice(context: Context, server: string): Promise<string> {
  const endpoints = await readEndpoints(context, server);
  if (endpoints.device_authorization_endpoint === undefined)
    throw usageError(
      `${server} does not support device codes.`,
      'Log in on a machine with a browser, or with a token: halyard login --with-token',
    );
  const response = await sendRequest(context, endpoints.device_authorization_endpoint, {
    client_id: CLIENT_ID,
  });
  const device = await readBody<DeviceAuthorization>(response);
  if (device.device_code === undefined || device.user_code === undefined)
    throw loginRejection(server, device);
  context.stderr.write(
    `Open ${sanitize(device.verification_uri ?? server)} in a browser and enter the code ${sanitize(device.user_code)}\n`,
  );
  const expiresAt = Date.now() + (device.expires_in ?? 600) * 1_000;
  let intervalSeconds = device.interval ?? 5;
  while (Date.now() < expiresAt) {
    await sleep(intervalSeconds * 1_000, undefined, { signal: context.signal }).catch(() => {
      throw interruption();
    });
    const tokenResponse = await sendRequest(context, endpoints.token_endpoint, {
      grant_type: DEVICE_GRANT,
      client_id: CLIENT_ID,
      device_code: device.device_code,
    });
    const body = await readBody<TokenResponse>(tokenResponse);
    if (body.error === 'slow_down') intervalSeconds += 5;
    else if (body.error === 'expired_token') break;
    else if (
      body.error !== 'authorization_pending' &&
      tokenResponse.status < 500 &&
      tokenResponse.status !== 429
    )
      return requireToken(server, body);
  }
  throw notLoggedInError('The code was not entered in time.', 'Run halyard login --device again.');
}

/** Revokes a token that a login in the browser issued. Returns false if the server does not respond or rejects the request. */
export async function revokeToken(context: Context, server: string, token: string): Promise<boolean> {
  const response = await sendRequest(context, `${server}/oauth/revoke`, {
    token,
    client_id: CLIENT_ID,
  }).catch(() => undefined);
  return response?.ok ?? false;
}
