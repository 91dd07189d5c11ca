import * as oidc from 'openid-client';
import type { Reader } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import { type ActiveOidc, findActiveOidc } from '../auth-settings/active-oidc.ts';
import { isOnThisMachine } from '../auth-settings/settings.ts';

/** What single sign-on needs to know of the server. */
export type Sso = { publicUrl: string; keyring: Keyring };

const TIMEOUT_SECONDS = 5;
const MAX_ANSWER_BYTES = 1_048_576;
/** Providers change their keys and addresses rarely, and announce it longer before. */
const KNOWN_FOR_MS = 5 * 60_000;

export async function activeSettings(db: Reader, { keyring }: Sso): Promise<ActiveOidc> {
  const settings = await findActiveOidc(db, keyring);
  if (!settings) throw new ApiError('NotFoundError', 'Single sign-on is not switched on here.');
  return settings;
}

let known: { key: string; until: number; provider: Promise<oidc.Configuration> } | undefined;

/**
 * The provider, as it describes itself. Kept for a while, and asked once for all who wait: anybody can begin a login, and
 * must not thereby make this server send as many requests.
 */
export async function discover(settings: ActiveOidc): Promise<oidc.Configuration> {
  const { discoverUrl, clientId, secret, idTokenSigningAlgorithm } = settings;
  const key = JSON.stringify([discoverUrl, clientId, secret, idTokenSigningAlgorithm]);
  if (known?.key === key && known.until > Date.now()) return await known.provider;
  const provider = ask(settings);
  const entry = { key, until: Date.now() + KNOWN_FOR_MS, provider };
  known = entry;
  try {
    return await provider;
  } catch (error) {
    if (known === entry) known = undefined;
    throw error;
  }
}

async function ask(settings: ActiveOidc): Promise<oidc.Configuration> {
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
      // The signature of an ID token is checked though it comes straight from the provider: a wrong proxy is found too.
      execute: [
        oidc.enableNonRepudiationChecks,
        ...(isOnThisMachine(url) ? [oidc.allowInsecureRequests] : []),
      ],
    },
  );
}

/** In the header, which is what a provider must support that says nothing; in the body if it wants that. */
function authentication(secret: string | null): oidc.ClientAuth {
  if (secret === null) return oidc.None();
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const inHeader = methods.includes('client_secret_basic') || !methods.includes('client_secret_post');
    const authenticate = inHeader ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
    authenticate(server, client, body, headers);
  };
}

/** No redirects, and no answer larger than any provider needs; the time is bounded by the signal in the options. */
const boundedFetch: oidc.CustomFetch = async (url, options) => {
  const { body: sent, ...rest } = options;
  const response = await fetch(url, { ...rest, redirect: 'manual', ...(sent == null ? {} : { body: sent }) });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw new TypeError('the answer is too large');
    parts.push(part);
  }
  const body = bytes === 0 ? null : Buffer.concat(parts);
  return new Response(body, { status: response.status, headers: response.headers });
};

type Log = { warn: (fields: object, message: string) => void };

/** Asks the provider something. What goes wrong is told without its text: that can hold tokens. */
export async function asking<T>(log: Log, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const { code, reason } = detailsOf(error);
    log.warn({ code, reason }, 'single sign-on: the provider did not answer as it should');
    throw isTheirFault(error, reason) ? unavailable() : notConfirmed(reason);
  }
}

const PLAIN_WORD = /^[a-z_]{1,60}$/;

function detailsOf(error: unknown): { code: string; reason: string | undefined } {
  const { name, code, error: reason } = error as { name?: string; code?: string; error?: unknown };
  return {
    code: String(code ?? name).slice(0, 100),
    reason: typeof reason === 'string' && PLAIN_WORD.test(reason) ? reason : undefined,
  };
}

/** What another try, or an administrator, can mend; the rest is about this one login. */
function isTheirFault(error: unknown, reason: string | undefined): boolean {
  if (reason !== undefined)
    return /^(invalid_client|unauthorized_client|server_error|temporarily_)/.test(reason);
  const code = String((error as { code?: unknown }).code ?? '');
  return (
    !code.startsWith('OAUTH_') ||
    /TIMEOUT|ABORT|CHALLENGE|NOT_CONFORM|NOT_JSON|PARSE_ERROR|MISSING_SERVER_METADATA|FORBIDDEN/.test(code)
  );
}

const unavailable = (): ApiError =>
  new ApiError(
    'ServiceUnavailableError',
    'The identity provider does not answer as it should. Try again, or ask an administrator to look at the settings of single sign-on.',
    { retryAfter: 10 },
  );

const notConfirmed = (reason: string | undefined): ApiError =>
  new ApiError(
    'AuthenticationRequired',
    `The identity provider did not confirm this login${reason === undefined ? '' : ` (${reason})`}. Begin again: /auth/oidc/login.`,
  );
