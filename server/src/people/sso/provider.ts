import * as oidc from 'openid-client';
import { ApiError } from '../../../../plane/src/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import { type ActiveOidc, findActiveOidc } from '../auth-settings/active-oidc.ts';
import { isOnThisMachine } from '../auth-settings/settings.ts';
import { SsoError } from './failures.ts';

/** The server settings that single sign-on needs. */
export type Sso = { publicUrl: string; keyring: Keyring };

export const TIMEOUT_SECONDS = 5;
const MAX_RESPONSE_BYTES = 1_048_576;
/** Providers rarely change their keys and URLs, and publish new keys earlier than this. */
const CACHED_FOR_MS = 5 * 60_000;

export async function activeSettings(db: Reader, { keyring }: Sso): Promise<ActiveOidc> {
  const settings = await findActiveOidc(db, keyring);
  if (!settings) throw new SsoError('disabled', 'NotFoundError', 'Single sign-on is disabled.');
  return settings;
}

let cached: { key: string; until: number; provider: Promise<oidc.Configuration> } | undefined;

/**
 * The discovery document of the provider. Cached, and requested once for concurrent logins, because anyone can start logins, and
 * each of them would otherwise cause a request.
 */
export async function discover(settings: ActiveOidc): Promise<oidc.Configuration> {
  const { discoverUrl, clientId, secret, idTokenSigningAlgorithm } = settings;
  const key = JSON.stringify([discoverUrl, clientId, secret, idTokenSigningAlgorithm]);
  if (cached?.key === key && cached.until > Date.now()) return await cached.provider;
  const provider = requestDiscovery(settings);
  const entry = { key, until: Date.now() + CACHED_FOR_MS, provider };
  cached = entry;
  try {
    return await provider;
  } catch (error) {
    if (cached === entry) cached = undefined;
    throw error;
  }
}

/** Reads the discovery document of the provider, without the cache. */
export async function requestDiscovery(settings: ActiveOidc): Promise<oidc.Configuration> {
  const url = new URL(settings.discoverUrl);
  const algorithm = settings.idTokenSigningAlgorithm;
  return await oidc.discovery(
    url,
    settings.clientId,
    algorithm === null ? {} : { id_token_signed_response_alg: algorithm },
    authentication(settings.secret),
    {
      timeout: TIMEOUT_SECONDS,
      [oidc.customFetch]: boundedFetch,
      // Verifies the signature of ID tokens that come directly from the provider too, to detect a proxy that forges them.
      execute: [
        oidc.enableNonRepudiationChecks,
        ...(isOnThisMachine(url) ? [oidc.allowInsecureRequests] : []),
      ],
    },
  );
}

/** In the header, which is the default of the protocol, or in the body if the provider only supports that. */
function authentication(secret: string | null): oidc.ClientAuth {
  if (secret === null) return oidc.None();
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const inHeader = methods.includes('client_secret_basic') || !methods.includes('client_secret_post');
    const authenticate = inHeader ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
    authenticate(server, client, body, headers);
  };
}

/** Follows no redirects and limits the size of a response. The signal in the options limits the time. */
export const boundedFetch: oidc.CustomFetch = async (url, options) => {
  const { body: sent, ...rest } = options;
  const response = await fetch(url, { ...rest, redirect: 'manual', ...(sent == null ? {} : { body: sent }) });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new TypeError('the response is too large');
    parts.push(part);
  }
  const body = bytes === 0 ? null : Buffer.concat(parts);
  return new Response(body, { status: response.status, headers: response.headers });
};

type Log = { warn: (fields: object, message: string) => void };

/** Runs a request to the provider. Logs and errors omit the failure's message, which can contain tokens. */
export async function askProvider<T>(log: Log, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const { code, reason } = detailsOf(error);
    log.warn({ code, reason }, 'request to identity provider failed');
    throw isProviderFailure(error, reason) ? unavailable() : notConfirmed(reason);
  }
}

const ERROR_CODE = /^[a-z_]{1,60}$/;

/** The code of a failure, and the error code of the provider. Both are safe to show. */
export function detailsOf(error: unknown): { code: string; reason: string | undefined } {
  const { name, code, error: reason } = error as { name?: string; code?: string; error?: unknown };
  return {
    code: String(code ?? name).slice(0, 100),
    reason: typeof reason === 'string' && ERROR_CODE.test(reason) ? reason : undefined,
  };
}

/** Whether a retry or an administrator can fix the failure. Other failures concern this login only. */
function isProviderFailure(error: unknown, reason: string | undefined): boolean {
  if (reason !== undefined)
    return /^(invalid_client|unauthorized_client|server_error|temporarily_)/.test(reason);
  const code = String((error as { code?: unknown }).code ?? '');
  return (
    !code.startsWith('OAUTH_') ||
    /TIMEOUT|ABORT|CHALLENGE|NOT_CONFORM|NOT_JSON|PARSE_ERROR|MISSING_SERVER_METADATA|FORBIDDEN/.test(code)
  );
}

const unavailable = (): SsoError =>
  new SsoError(
    'provider',
    'ServiceUnavailableError',
    'The identity provider is unavailable or misconfigured. Retry, or ask an administrator to check the settings of single sign-on.',
    { retryAfter: 10 },
  );

const notConfirmed = (reason: string | undefined): SsoError =>
  new SsoError(
    reason === 'access_denied' ? 'cancelled' : 'unconfirmed',
    'AuthenticationRequired',
    `The identity provider did not confirm this login${reason === undefined ? '' : ` (${reason})`}. Start again: /auth/oidc/login.`,
  );
