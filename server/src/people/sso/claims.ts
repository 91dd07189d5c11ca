import { ApiError } from '@halyard/plane/platform/errors.ts';
import { isStorable } from '@halyard/plane/platform/http/input/text.ts';
import * as oidc from 'openid-client';
import type { ActiveOidc } from '../auth-settings/active-oidc.ts';
import { isReserved } from '../users/reserved.ts';
import { SsoError } from './failures.ts';
import type { IdentityKey } from './store.ts';

/** The identity that the provider confirmed. */
export type Identity = {
  key: IdentityKey;
  /** Undefined if the email address is missing or the provider did not verify it. */
  email: string | undefined;
  name: string | null;
  /** Undefined if group syncing is disabled. */
  groups: string[] | undefined;
};

type Claims = Record<string, unknown>;
type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>;

const EMAIL = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u;
const MAX_EMAIL_LENGTH = 254;
const MAX_NAME_LENGTH = 255;
const MAX_GROUPS = 1_000;
const MAX_KEY_LENGTH = 500;

/** Reads the ID token, and requests claims that the token lacks from the userinfo endpoint. */
export async function readIdentity(
  provider: oidc.Configuration,
  tokens: Tokens,
  settings: ActiveOidc,
): Promise<Identity> {
  const token = tokens.claims();
  if (!token || token.sub.length > MAX_KEY_LENGTH)
    throw new TypeError('the ID token has no subject, or a subject that is too long');
  if (!isStorable(token.sub)) {
    throw new ApiError(
      'NoAccessError',
      'The subject of your identity contains a NUL character or an unpaired surrogate. Ask an administrator.',
    );
  }
  rejectOtherAcr(token, settings);
  const path = settings.enableGroupSyncing ? (settings.groupJsonPath ?? 'groups') : undefined;
  const readGroups = (claims: Claims) => (path === undefined ? undefined : getClaim(claims, path));
  const isComplete = token.email !== undefined && (path === undefined || readGroups(token) !== undefined);
  const userInfo: Claims =
    isComplete || provider.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : await oidc.fetchUserInfo(provider, tokens.access_token, token.sub);

  const name = token.name ?? userInfo.name;
  return {
    key: { issuer: token.iss, clientId: settings.clientId, subject: token.sub },
    // The email address and its verification must come from the same source, because a source must not vouch for an address
    // from the other source.
    email: getVerifiedEmail(token.email === undefined ? userInfo : token),
    name: typeof name === 'string' ? sanitizeName(name) : null,
    groups: path === undefined ? undefined : readStrings(readGroups(token) ?? readGroups(userInfo)),
  };
}

/** Drops a reserved name, because users often choose their name at the provider. */
function sanitizeName(text: string): string | null {
  // The name is truncated first, because that can split a surrogate pair, and the expression removes the remaining half.
  const name = text.slice(0, MAX_NAME_LENGTH).replace(/\p{C}/gu, '').trim();
  return name === '' || isReserved(name, true) ? null : name;
}

/** Returns the email address if the provider verified it. Some providers send email_verified as a string. */
function getVerifiedEmail({ email, email_verified: verified }: Claims): string | undefined {
  if (verified !== true && verified !== 'true') return undefined;
  return typeof email === 'string' && email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email)
    ? email
    : undefined;
}

/** Rejects an acr that was not requested. The provider may omit acr. */
function rejectOtherAcr({ acr }: Claims, { acrValues }: ActiveOidc): void {
  if (acrValues === null || acr === undefined || acrValues.split(/ +/).includes(String(acr))) return;
  throw new SsoError(
    'method',
    'NoAccessError',
    'The identity provider did not authenticate you with a requested method (acr).',
  );
}

/** Returns the claim whose name is the whole path, dots included. Without such a claim, follows the path. */
function getClaim(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .replace(/^\$\.?/, '')
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Claims)[name]
          : undefined,
      claims,
    );
}

const readStrings = (value: unknown): string[] =>
  [value]
    .flat()
    .filter(item => typeof item === 'string')
    .filter(isStorable)
    .slice(0, MAX_GROUPS);
