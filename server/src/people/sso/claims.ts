import * as oidc from 'openid-client';
import { ApiError } from '../../platform/errors.ts';
import { isStorable } from '../../platform/http/text.ts';
import type { ActiveOidc } from '../auth-settings/active-oidc.ts';
import { isReserved } from '../users/reserved.ts';
import type { IdentityKey } from './store.ts';

/** Who the provider says has logged in. */
export type Identity = {
  key: IdentityKey;
  /** undefined: none, or one the provider does not vouch for. */
  email: string | undefined;
  name: string | null;
  /** undefined: groups are not the provider's business. */
  groups: string[] | undefined;
};

type Claims = Record<string, unknown>;
type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>;

const EMAIL = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u;
const MAX_EMAIL_LENGTH = 254;
const MAX_NAME_LENGTH = 255;
const MAX_GROUPS = 1_000;
const MAX_KEY_LENGTH = 500;

/** Reads the ID token, and asks for the rest what the provider tells at its userinfo endpoint only. */
export async function identityOf(
  provider: oidc.Configuration,
  tokens: Tokens,
  settings: ActiveOidc,
): Promise<Identity> {
  const token = tokens.claims();
  if (!token || token.sub.length > MAX_KEY_LENGTH) throw new TypeError('the ID token has no usable subject');
  if (!isStorable(token.sub)) {
    throw new ApiError(
      'NoAccessError',
      'The identity provider names you by a text that holds NUL or half a surrogate pair. Ask an administrator.',
    );
  }
  refuseOtherAcr(token, settings);
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
    // Address and proof come from the same place: one of two sources must not vouch for the other.
    email: verifiedEmail(token.email === undefined ? more : token),
    name: typeof name === 'string' ? acceptableName(name) : null,
    groups: path === undefined ? undefined : textsOf(groupsIn(token) ?? groupsIn(more)),
  };
}

/** People often choose their name at the provider; one that is reserved here is left out. */
function acceptableName(text: string): string | null {
  // Cut first: the cut can split a surrogate pair, and the expression removes the half that is left.
  const name = text.slice(0, MAX_NAME_LENGTH).replace(/\p{C}/gu, '').trim();
  return name === '' || isReserved(name, true) ? null : name;
}

/** Some providers send the proof as a text. */
function verifiedEmail({ email, email_verified: verified }: Claims): string | undefined {
  if (verified !== true && verified !== 'true') return undefined;
  return typeof email === 'string' && email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email)
    ? email
    : undefined;
}

/** The provider may leave out how it has authenticated; what it says must be what was asked for. */
function refuseOtherAcr({ acr }: Claims, { acrValues }: ActiveOidc): void {
  if (acrValues === null || acr === undefined || acrValues.split(/ +/).includes(String(acr))) return;
  throw new ApiError('NoAccessError', 'The identity provider did not authenticate you in the way asked for.');
}

/** By the name of the claim, which may hold dots, or else by a path. */
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

const textsOf = (value: unknown): string[] =>
  [value]
    .flat()
    .filter(one => typeof one === 'string')
    .filter(isStorable)
    .slice(0, MAX_GROUPS);
