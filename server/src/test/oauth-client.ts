import { createHash, randomBytes } from 'node:crypto';
import type { App } from '@halyard/plane/platform/http/app.ts';
import type { TokenScope } from '../platform/actor.ts';
import { type Browser, logIn } from './login.ts';
import { PUBLIC_URL } from './public-url.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads the body it expects
export type FormResponse = { status: number; body: any; headers: Record<string, unknown> };

/** Sends a form, as OAuth clients do. A field with several values is repeated. */
export async function sendForm(
  app: App,
  url: string,
  fields: Record<string, string | string[]>,
  options: { ip?: string; headers?: Record<string, string>; payload?: string } = {},
): Promise<FormResponse> {
  const pairs = Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  const response = await app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...options.headers },
    payload: options.payload ?? new URLSearchParams(pairs).toString(),
    ...(options.ip !== undefined && { remoteAddress: options.ip }),
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    body: response.body === '' ? undefined : response.json(),
  };
}

export const requestToken = (app: App, fields: Record<string, string | string[]>): Promise<FormResponse> =>
  sendForm(app, '/oauth/token', fields);

export const REDIRECT_URI = 'http://127.0.0.1:50123/callback';

export type Pkce = { verifier: string; challenge: string };

export function makePkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Returns the parameters of an authorization URL. Undefined parameters are omitted. */
export const buildAuthorizationQuery = (
  pkce: Pkce,
  changes: Record<string, string | undefined> = {},
): string => {
  const parameters = {
    response_type: 'code',
    client_id: 'halyard-cli',
    redirect_uri: REDIRECT_URI,
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    state: 'a state',
    resource: PUBLIC_URL,
    ...changes,
  };
  const presentParameters = Object.entries(parameters).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return new URLSearchParams(presentParameters).toString();
};

export const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

export const DECISIONS = '/api/admin/user/authorizations';

/** Approves a request in the browser. Returns the parameters of the redirect to the client. */
export async function approveAuthorization(
  browser: Browser,
  query: string,
  token: { description?: string; expiresAt?: string; scope?: TokenScope } = {},
): Promise<URLSearchParams> {
  const { status, body } = await browser.send('POST', DECISIONS, {
    body: { query, allow: true, token: { description: 'my client', expiresAt: inDays(7), ...token } },
  });
  if (status !== 200) throw new Error(`The authorization request was rejected: ${JSON.stringify(body)}`);
  return new URL(body.redirectTo).searchParams;
}

/** Registers a client and returns its id. */
export async function register(
  app: App,
  redirectUris = [REDIRECT_URI],
  name = 'Some agent',
): Promise<string> {
  const response = await app.inject({
    method: 'POST',
    url: '/oauth/register',
    payload: { client_name: name, redirect_uris: redirectUris },
  });
  return response.json().client_id;
}

export type OAuthClient = {
  clientId: string;
  browser: Browser;
  accessToken: string;
  refreshToken: string;
  code: string;
  verifier: string;
};

/** Connects an agent to which the user has granted access. */
export async function connectAgent(app: App, username: string, scope: TokenScope): Promise<OAuthClient> {
  const [clientId, browser, pkce] = [await register(app), await logIn(app, username), makePkce()];
  const callbackParameters = await approveAuthorization(
    browser,
    buildAuthorizationQuery(pkce, { client_id: clientId }),
    {
      scope,
    },
  );
  const code = callbackParameters.get('code') ?? '';
  const { body } = await requestToken(app, {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code,
    code_verifier: pkce.verifier,
  });
  return {
    clientId,
    browser,
    code,
    verifier: pkce.verifier,
    accessToken: body.access_token,
    refreshToken: body.refresh_token,
  };
}
