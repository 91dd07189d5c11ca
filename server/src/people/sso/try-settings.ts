import * as oidc from 'openid-client';
import type { ActiveOidc } from '../auth-settings/active-oidc.ts';
import { isOnThisMachine } from '../auth-settings/settings.ts';
import { callbackUrl } from './login.ts';
import { boundedFetch, detailsOf, requestDiscovery, type Sso, TIMEOUT_SECONDS } from './provider.ts';
import type { OidcCheck, OidcTest } from './schema.ts';

const MAX_ISSUER_LENGTH = 1_000;

type Metadata = ReturnType<oidc.Configuration['serverMetadata']>;

const passed = (name: OidcCheck['name'], message: string): OidcCheck => ({ name, result: 'passed', message });
const warning = (name: OidcCheck['name'], message: string): OidcCheck => ({
  name,
  result: 'warning',
  message,
});
const failed = (name: OidcCheck['name'], message: string): OidcCheck => ({ name, result: 'failed', message });

/**
 * Sends the provider the same requests as a login, but without a user: for its discovery document, its keys, and whether it knows
 * the client. Saves nothing. At most three requests, each within the limits of a login.
 */
export async function trySettings(settings: ActiveOidc, sso: Pick<Sso, 'publicUrl'>): Promise<OidcTest> {
  let provider: oidc.Configuration;
  try {
    provider = await requestDiscovery(settings);
  } catch (error) {
    return resultOf(null, [discoveryFailure(settings, error)]);
  }
  const metadata = provider.serverMetadata();
  const issuer = metadata.issuer.slice(0, MAX_ISSUER_LENGTH);
  const checks = [
    passed('discovery', `The discovery document names the issuer ${issuer}.`),
    algorithmCheck(settings, metadata),
    await keysCheck(metadata),
    await clientCheck(provider, settings, callbackUrl(sso)),
    claimsCheck(settings, metadata),
    ...(settings.addGroupsScope ? [scopeCheck(metadata)] : []),
    ...(settings.enableSingleSignOut ? [logoutCheck(metadata)] : []),
  ];
  return resultOf(issuer, checks);
}

const resultOf = (issuer: string | null, checks: OidcCheck[]): OidcTest => ({
  passed: checks.every(({ result }) => result !== 'failed'),
  issuer,
  checks,
});

function discoveryFailure({ discoverUrl }: ActiveOidc, error: unknown): OidcCheck {
  const { code } = detailsOf(error);
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return failed(
      'issuer',
      `The document at ${discoverUrl} names a different issuer. Enter the issuer exactly as the provider shows it, including a trailing slash.`,
    );
  return failed('discovery', `The discovery document cannot be read from ${discoverUrl}: ${wordsOf(code)}.`);
}

/** Explains a failure to the person who entered the URL. */
function wordsOf(code: string): string {
  if (/TIMEOUT|ABORT/.test(code)) return `no response within ${TIMEOUT_SECONDS} seconds`;
  if (/PARSE_ERROR|NOT_JSON/.test(code)) return 'the response is not JSON';
  if (/NOT_CONFORM/.test(code))
    return 'the response is not a discovery document (redirects are not followed)';
  if (/^OAUTH_/.test(code)) return `the document is invalid (${code})`;
  return 'the server cannot be reached';
}

function algorithmCheck({ idTokenSigningAlgorithm: chosen }: ActiveOidc, metadata: Metadata): OidcCheck {
  const announced = stringsOf(metadata.id_token_signing_alg_values_supported) ?? [];
  if (chosen === null)
    return passed('algorithm', 'ID tokens may use any algorithm that the provider announces.');
  if (announced.length === 0)
    return warning(
      'algorithm',
      `The provider announces no signing algorithms, so ${chosen} is not verified.`,
    );
  return announced.includes(chosen)
    ? passed('algorithm', `The provider signs ID tokens with ${chosen}.`)
    : failed(
        'algorithm',
        `The provider does not sign ID tokens with ${chosen}. It announces ${listed(announced)}.`,
      );
}

/** Reads a list from the discovery document, which can contain anything. */
const stringsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter(one => typeof one === 'string') : undefined;

/** The beginning of a long list. */
const listed = (names: readonly string[]): string =>
  names
    .slice(0, 20)
    .map(name => name.slice(0, 50))
    .join(', ');

async function keysCheck({ jwks_uri: address }: Metadata): Promise<OidcCheck> {
  const url = URL.parse(address ?? '');
  if (!url) return failed('keys', 'The discovery document has no jwks_uri, so ID tokens cannot be verified.');
  if (url.protocol !== 'https:' && !isOnThisMachine(url))
    return failed('keys', 'The provider does not publish its keys at an https URL.');
  try {
    const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1_000);
    const response = await boundedFetch(url.href, {
      method: 'GET',
      headers: {},
      body: undefined,
      redirect: 'manual',
      signal,
    });
    const { keys } = (await response.json()) as { keys?: unknown };
    if (response.ok && Array.isArray(keys) && keys.length > 0)
      return passed('keys', `The provider publishes ${keys.length === 1 ? '1 key' : `${keys.length} keys`}.`);
    return failed('keys', 'The provider publishes no keys, so ID tokens cannot be verified.');
  } catch (error) {
    const { code } = detailsOf(error);
    return failed(
      'keys',
      `The provider's keys cannot be read: ${/Timeout|Abort/i.test(code) ? wordsOf('TIMEOUT') : 'the response is not a list of keys'}.`,
    );
  }
}

/** Exchanges a code that does not exist. A provider that knows the client rejects the code; otherwise it rejects the client. */
async function clientCheck(
  provider: oidc.Configuration,
  { clientId, secret }: ActiveOidc,
  redirectUri: string,
): Promise<OidcCheck> {
  const credentials =
    secret === null ? `the client ID "${clientId}"` : `the client ID "${clientId}" with its secret`;
  const unverified = (why: string) =>
    warning(
      'client',
      `This test could not verify ${credentials}: ${why}. The first login will show whether the provider accepts it.`,
    );
  try {
    await oidc.genericGrantRequest(provider, 'authorization_code', {
      code: oidc.randomState(),
      redirect_uri: redirectUri,
      code_verifier: oidc.randomPKCECodeVerifier(),
    });
    return unverified('it accepted a code that does not exist');
  } catch (error) {
    const { code, reason } = detailsOf(error);
    if (reason === 'invalid_grant') return passed('client', `The provider accepts ${credentials}.`);
    if (
      reason === 'invalid_client' ||
      reason === 'unauthorized_client' ||
      code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE'
    )
      return failed('client', `The provider does not accept ${credentials}.`);
    return unverified(
      reason === undefined ? 'its token endpoint did not respond as expected' : `it responded with ${reason}`,
    );
  }
}

/**
 * Compares the claims that a login reads with those that the provider announces. Their values are known only once somebody logs
 * in.
 */
function claimsCheck(
  { enableGroupSyncing, groupJsonPath }: ActiveOidc,
  { claims_supported: supported }: Metadata,
): OidcCheck {
  const groups = groupJsonPath ?? 'groups';
  const read = ['email', 'email_verified', 'name', ...(enableGroupSyncing ? [groups] : [])];
  const announced = stringsOf(supported);
  if (announced === undefined || announced.length === 0)
    return warning(
      'claims',
      `A login reads ${listed(read)}. The provider does not announce its claims, and this test logs nobody in, so only the first login shows whether they are sent.`,
    );
  // A name with dots, or a path into the claim that it begins with.
  const isAnnounced = (claim: string) =>
    announced.includes(claim) || announced.includes(claim.replace(/^\$\.?/, '').split('.', 1)[0] ?? '');
  const missing = read.filter(claim => !isAnnounced(claim));
  return missing.length === 0
    ? passed(
        'claims',
        `A login reads ${listed(read)}, and the provider announces them. This test does not see their values, because it logs nobody in.`,
      )
    : warning(
        'claims',
        `A login reads ${listed(read)}. The provider does not announce ${listed(missing)}, so the first login shows whether it sends ${missing.length === 1 ? 'this claim' : 'these claims'}.`,
      );
}

const scopeCheck = ({ scopes_supported: scopes }: Metadata): OidcCheck =>
  stringsOf(scopes)?.includes('groups') !== false
    ? passed('scope', 'The scope groups can be requested.')
    : warning(
        'scope',
        'The provider does not announce the scope groups. It may reject logins that request it.',
      );

const logoutCheck = ({ end_session_endpoint: endpoint }: Metadata): OidcCheck =>
  endpoint === undefined
    ? warning('logout', 'The provider has no logout page, so a logout ends at Halyard.')
    : passed('logout', 'A logout continues at the provider.');
