import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openUrl } from './browser.ts';
import type { Context } from './context.ts';
import { failed, interrupted, notLoggedIn, unreachable, wrongUse } from './errors.ts';
import { plain } from './output.ts';
import { VERSION } from './version.ts';

/** The name under which every server knows this program. */
const CLIENT_ID = 'halyard-cli';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const CALLBACK = '/callback';
/** How long a person may take in the browser. */
const PATIENCE_MS = 10 * 60_000;
const TIMEOUT_MS = 30_000;

type Endpoints = {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  device_authorization_endpoint: string;
};

type Issued = { access_token?: string };
type Rejected = { error?: string; error_description?: string };
type Device = {
  device_code: string;
  user_code: string;
  verification_uri: string;
  expires_in: number;
  interval: number;
};

const OPTIONS = { redirect: 'manual', headers: { 'User-Agent': `halyard-cli/${VERSION}` } } as const;

async function ask(context: Context, url: string, form?: Record<string, string>): Promise<Response> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    return await fetch(url, {
      ...OPTIONS,
      signal,
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
  } catch {
    if (context.signal.aborted) throw interrupted();
    throw unreachable(
      `Cannot reach ${new URL(url).origin}.`,
      'Check the URL and the network with halyard doctor.',
    );
  }
}

const bodyOf = async <T>(response: Response): Promise<Partial<T> & Rejected> =>
  (await response.json().catch(() => ({}))) as Partial<T> & Rejected;

/** Where the server's endpoints are. They must be on the server that the user named, because a token comes from there. */
async function endpointsOf(context: Context, server: string): Promise<Endpoints> {
  const response = await ask(context, `${server}/.well-known/oauth-authorization-server`);
  const found = response.ok ? await bodyOf<Endpoints>(response) : {};
  if (found.issuer === undefined || found.token_endpoint === undefined)
    throw wrongUse(
      `${server} has no login for programs.`,
      'Check the URL. A server of an older version takes a token: halyard login --with-token',
    );
  if (found.issuer !== server)
    throw wrongUse(
      `The server's own URL is ${plain(found.issuer)}, not ${server}.`,
      `Log in there: halyard login --server ${plain(found.issuer)}. If that URL is wrong, the operator must set HALYARD_PUBLIC_URL, or you use halyard login --with-token.`,
    );
  const endpoints = found as Endpoints;
  const { authorization_endpoint, token_endpoint, device_authorization_endpoint } = endpoints;
  for (const url of [authorization_endpoint, token_endpoint, device_authorization_endpoint])
    if (!String(url).startsWith(`${server}/`))
      throw failed(`The server names an endpoint elsewhere: ${plain(String(url))}`);
  return endpoints;
}

const rejectedBy = (server: string, { error, error_description: why }: Rejected) =>
  error === 'access_denied'
    ? notLoggedIn('The request was denied in the browser.')
    : failed(`${server} rejected the login: ${plain(why ?? error ?? 'the response is not as expected')}`);

function tokenIn(server: string, body: Partial<Issued> & Rejected): string {
  if (body.access_token === undefined) throw rejectedBy(server, body);
  return body.access_token;
}

/** Opens the browser and waits until the person has decided. The code arrives at a port of this machine. */
export async function logInWithBrowser(context: Context, server: string): Promise<string> {
  const endpoints = await endpointsOf(context, server);
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const listener = createServer().listen(0, '127.0.0.1');
  try {
    await once(listener, 'listening');
    const redirectUri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}${CALLBACK}`;
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
    const arrived = callbackOf(context, listener, state, endpoints.issuer);
    // A rejection is handled below, when the URL was shown.
    arrived.catch(() => {});
    const opened = context.env.BROWSER !== 'none' && (await openUrl(url.href));
    context.note(
      `${opened ? 'Continue in the browser. If no page opened, open' : 'Open'} this URL:\n\n  ${url.href}\n`,
    );
    const back = await arrived;
    const code = back.get('code');
    if (code === null)
      throw rejectedBy(server, {
        error: back.get('error') ?? 'invalid_response',
        error_description: back.get('error_description') ?? 'the browser came back without a code',
      });
    const response = await ask(context, endpoints.token_endpoint, {
      grant_type: 'authorization_code',
      client_id: CLIENT_ID,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
      resource: server,
    });
    return tokenIn(server, await bodyOf<Issued>(response));
  } finally {
    listener.closeAllConnections();
    listener.close();
  }
}

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** The parameters with which the browser comes back. Anything with a wrong state or issuer is somebody else's, and is ignored. */
function callbackOf(
  { signal }: Context,
  listener: ReturnType<typeof createServer>,
  state: string,
  issuer: string,
): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(notLoggedIn('Nobody finished the login in the browser within 10 minutes.')),
      PATIENCE_MS,
    );
    const stop = () => {
      clearTimeout(timer);
      reject(interrupted());
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    listener.on('request', (request, response) => {
      const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
      const given = url?.searchParams ?? new URLSearchParams();
      if (request.method !== 'GET' || url?.pathname !== CALLBACK)
        return respond(response, 404, 'There is nothing here.');
      if (!isSame(given.get('state') ?? '', state) || given.get('iss') !== issuer)
        return respond(
          response,
          400,
          'This is not the login that the command line waits for. Run halyard login again.',
        );
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      const words = given.has('code')
        ? 'You can close this page and return to the terminal.'
        : 'The command line gets no access. You can close this page.';
      response.once('close', () => resolve(given));
      respond(response, 200, words);
    });
  });
}

function respond(response: ServerResponse, status: number, words: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      connection: 'close',
    })
    .end(`<!doctype html><html lang="en"><title>Halyard</title><p>${words}</p></html>`);
}

/** Shows a code that the person enters in any browser, and asks until they have decided. */
export async function logInWithDevice(context: Context, server: string): Promise<string> {
  const endpoints = await endpointsOf(context, server);
  const response = await ask(context, endpoints.device_authorization_endpoint, { client_id: CLIENT_ID });
  const device = await bodyOf<Device>(response);
  if (device.device_code === undefined || device.user_code === undefined) throw rejectedBy(server, device);
  context.stderr.write(
    `Open ${plain(device.verification_uri ?? server)} in a browser and enter the code ${plain(device.user_code)}\n`,
  );
  const expiresAt = Date.now() + (device.expires_in ?? 600) * 1_000;
  let interval = device.interval ?? 5;
  while (Date.now() < expiresAt) {
    await sleep(interval * 1_000, undefined, { signal: context.signal }).catch(() => {
      throw interrupted();
    });
    const answer = await ask(context, endpoints.token_endpoint, {
      grant_type: DEVICE_GRANT,
      client_id: CLIENT_ID,
      device_code: device.device_code,
    });
    const body = await bodyOf<Issued>(answer);
    if (body.error === 'slow_down') interval += 5;
    else if (body.error === 'expired_token') break;
    else if (body.error !== 'authorization_pending' && answer.status < 500 && answer.status !== 429)
      return tokenIn(server, body);
  }
  throw notLoggedIn('Nobody entered the code in time.', 'Run halyard login --device again.');
}

/** Revokes a token that a login in the browser issued. Returns false if the server does not respond. */
export async function revokeGranted(context: Context, server: string, token: string): Promise<boolean> {
  const response = await ask(context, `${server}/oauth/revoke`, { token, client_id: CLIENT_ID }).catch(
    () => undefined,
  );
  return response?.ok ?? false;
}
