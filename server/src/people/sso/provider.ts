import { ApiError } from '@halyard/plane/platform/errors.ts';
import * as oidc from 'openid-client';
import type { Reader } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import { type ActiveOidc, findActiveOidc } from '../auth-settings/active-oidc.ts';
import { isOnThisMachine } from '../auth-settings/settings.ts';
import { SsoError } from './failures.ts';

/** The server settings that single sign-on needs. */
export type SsoSettings = { publicUrl: string; keyring: Keyring };

export const TIMEOUT_SECONDS = 5;
const MAX_RESPONSE_BYTES = 1_048_576;
/** Providers rarely change their keys and URLs, and publish new keys more than five minutes before they use them. */
const CACHED_FOR_MS = 5 * 60_000;

export async function requireActiveSettings(db: Reader, { keyring }: SsoSettings): Promise<ActiveOidc> {
  const settings = await findActiveOidc(db, keyring);
  if (!settings) throw new SsoError('disabled', 'NotFoundError', 'Single sign-on is disabled.');
  return settings;
}

let cachedDiscovery: { key: string; expiresAt: number; provider: Promise<oidc.Configuration> } | undefined;

/**
 * Returns the provider's configuration from its discovery document. The configuration is cached, and concurrent logins share one
 * request, because anyone can start logins, and each would otherwise cause a request.
 */
export async function discover(settings: ActiveOidc): Promise<oidc.Configuration> {
  const { discoverUrl, clientId, secret, idTokenSigningAlgorithm } = settings;
  const key = JSON.stringify([discoverUrl, clientId, secret, idTokenSigningAlgorithm]);
  if (cachedDiscovery?.key === key && cachedDiscovery.expiresAt > Date.now())
    return await cachedDiscovery.provider;
  const provider = requestDiscovery(settings);
  const entry = { key, expiresAt: Date.now() + CACHED_FOR_MS, provider };
  cachedDiscovery = entry;
  try {
    return await provider;
  } catch (error) {
    if (cachedDiscovery === entry) cachedDiscovery = undefined;
    throw error;
  }
}

/** Reads the configuration of the provider from its discovery document, without the cache. */
export async function requestDiscovery(settings: ActiveOidc): Promise<oidc.Configuration> {
  const url = new URL(settings.discoverUrl);
  const algorithm = settings.idTokenSigningAlgorithm;
  return await oidc.discovery(
    url,
    settings.clientId,
    algorithm === null ? {} : { id_token_signed_response_alg: algorithm },
    makeClientAuthentication(settings.secret),
    {
      timeout: TIMEOUT_SECONDS,
      [oidc.customFetch]: boundedFetch,
      // The signature of ID tokens that come directly from the provider is verified too, to detect a proxy that forges them.
      execute: [
        oidc.enableNonRepudiationChecks,
        ...(isOnThisMachine(url) ? [oidc.allowInsecureRequests] : []),
      ],
    },
  );
}

/**
 * Sends the client secret in the header, which is the protocol's default, or in the body if the provider supports only the body.
 */
function makeClientAuthentication(secret: string | null): oidc.ClientAuth {
  if (secret === null) return oidc.None();
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const inHeader = methods.includes('client_secret_basic') || !methods.includes('client_secret_post');
    const authenticate = inHeader ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
    authenticate(server, client, body, headers);
  };
}

/** Fetches without following redirects, and limits the size of a response. The signal in the options limits the time. */
export const boundedFetch: oidc.CustomFetch = async (url, options) => {
  const { body: requestBody, ...rest } = options;
  const response = await fetch(url, {
    ...rest,
    redirect: 'manual',
    ...(requestBody == null ? {} : { body: requestBody }),
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new TypeError('the response is too large');
    chunks.push(chunk);
  }
  const body = bytes === 0 ? null : Buffer.concat(chunks);
  return new Response(body, { status: response.status, headers: response.headers });
};

type Log = { warn: (fields: object, message: string) => void };

/** Runs a request to the provider. Logs and errors omit the failure's message, which can contain tokens. */
export async function callProvider<T>(log: Log, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const { code, reason } = getErrorDetails(error);
    log.warn({ code, reason }, 'request to identity provider failed');
    throw isProviderFailure(error, reason) ? providerUnavailable() : unconfirmedLogin(reason);
  }
}

const ERROR_CODE = /^[a-z_]{1,60}$/;

/** Returns the code of a failure and the error code of the provider. Both are safe to show. */
export function getErrorDetails(error: unknown): { code: string; reason: string | undefined } {
  const { name, code, error: reason } = error as { name?: string; code?: string; error?: unknown };
  return {
    code: String(code ?? name).slice(0, 100),
    reason: typeof reason === 'string' && ERROR_CODE.test(reason) ? reason : undefined,
  };
}

/** Returns whether a retry or an administrator can fix the failure. Other failures concern only this login. */
function isProviderFailure(error: unknown, reason: string | undefined): boolean {
  if (reason !== undefined)
    return /^(invalid_client|unauthorized_client|server_error|temporarily_)/.test(reason);
  const code = String((error as { code?: unknown }).code ?? '');
  return (
    !code.startsWith('OAUTH_') ||
    /TIMEOUT|ABORT|CHALLENGE|NOT_CONFORM|NOT_JSON|PARSE_ERROR|MISSING_SERVER_METADATA|FORBIDDEN/.test(code)
  );
}

const providerUnavailable = (): SsoError =>
  new SsoError(
    'provider',
    'ServiceUnavailableError',
    'The identity provider is unavailable or misconfigured. Retry, or ask an administrator to check the single sign-on settings.',
    { retryAfter: 10 },
  );

const unconfirmedLogin = (reason: string | undefined): SsoError =>
  new SsoError(
    reason === 'access_denied' ? 'cancelled' : 'unconfirmed',
    'AuthenticationRequired',
    `The identity provider did not confirm this login${reason === undefined ? '' : ` (${reason})`}. Start again: /auth/oidc/login.`,
  );
