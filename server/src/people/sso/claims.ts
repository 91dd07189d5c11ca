import * as oidc from 'openid-client';
import { ApiError } from '../../../../plane/src/platform/errors.ts';
import { isStorable } from '../../../../plane/src/platform/http/input/text.ts';
import type { ActiveOidc } from '../auth-settings/active-oidc.ts';
import { isReserved } from '../users/reserved.ts';
import { SsoError } from './failures.ts';
import type { IdentityKey } from './store.ts';

/** The identity that the provider confirmed. */
export type Identity = {
  key: IdentityKey;
  /** Undefined: missing or not verified by the provider. */
  email: string | undefined;
  name: string | null;
  /** Undefined: group syncing is disabled. */
  groups: string[] | undefined;
};

type Claims = Record<string, unknown>;
type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>;

const EMAIL = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u;
const MAX_EMAIL_LENGTH = 254;
const MAX_NAME_LENGTH = 255;
const MAX_GROUPS = 1_000;
const MAX_KEY_LENGTH = 500;

/** Reads the ID token, and requests the userinfo endpoint for claims that the token lacks. */
export async function identityOf(
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
  const groupsIn = (claims: Claims) => (path === undefined ? undefined : valueAt(claims, path));
  const isComplete = token.email !== undefined && (path === undefined || groupsIn(token) !== undefined);
  const more: Claims =
    isComplete || provider.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : await oidc.fetchUserInfo(provider, tokens.access_token, token.sub);

  const name = token.name ?? more.name;
  return {
    key: { issuer: token.iss, clientId: settings.clientId, subject: token.sub },
    // The email address and its verification must come from the same source: one source must not verify an address from the
    // other.
    email: verifiedEmail(token.email === undefined ? more : token),
    name: typeof name === 'string' ? acceptableName(name) : null,
    groups: path === undefined ? undefined : stringsOf(groupsIn(token) ?? groupsIn(more)),
  };
}

/** Users often choose their name at the provider. A reserved name is dropped. */
function acceptableName(text: string): string | null {
  // Cut first: the cut can split a surrogate pair, and the expression removes the half that is left.
  const name = text.slice(0, MAX_NAME_LENGTH).replace(/\p{C}/gu, '').trim();
  return name === '' || isReserved(name, true) ? null : name;
}

/** Some providers send email_verified as a string. */
function verifiedEmail({ email, email_verified: verified }: Claims): string | undefined {
  if (verified !== true && verified !== 'true') return undefined;
  return typeof email === 'string' && email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email)
    ? email
    : undefined;
}

/** The provider may omit acr. If it sends one, it must be one of the requested values. */
function rejectOtherAcr({ acr }: Claims, { acrValues }: ActiveOidc): void {
  if (acrValues === null || acr === undefined || acrValues.split(/ +/).includes(String(acr))) return;
  throw new SsoError(
    'method',
    'NoAccessError',
    'The identity provider did not authenticate you with a requested method (acr).',
  );
}

/** Looks up a claim with this name, which may contain dots, or follows the path. */
function valueAt(claims: Claims, path: string): unknown {
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

const stringsOf = (value: unknown): string[] =>
  [value]
    .flat()
    .filter(one => typeof one === 'string')
    .filter(isStorable)
    .slice(0, MAX_GROUPS);
