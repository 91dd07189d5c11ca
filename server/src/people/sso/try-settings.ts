import * as oidc from 'openid-client';
import type { ActiveOidc } from '../auth-settings/active-oidc.ts';
import { isOnThisMachine } from '../auth-settings/settings.ts';
import { getCallbackUrl } from './login.ts';
import {
  boundedFetch,
  getErrorDetails,
  requestDiscovery,
  type SsoSettings,
  TIMEOUT_SECONDS,
} from './provider.ts';
import type { OidcCheck, OidcTest } from './schema.ts';

const MAX_ISSUER_LENGTH = 1_000;

type Metadata = ReturnType<oidc.Configuration['serverMetadata']>;

const passedCheck = (name: OidcCheck['name'], message: string): OidcCheck => ({
  name,
  result: 'passed',
  message,
});
const warningCheck = (name: OidcCheck['name'], message: string): OidcCheck => ({
  name,
  result: 'warning',
  message,
});
const failedCheck = (name: OidcCheck['name'], message: string): OidcCheck => ({
  name,
  result: 'failed',
  message,
});

/**
 * Sends the provider the same requests as a login, but without a user: for its discovery document, for its keys, and to find out
 * whether it knows the client. Saves nothing. Sends at most three requests, each within the limits of a login.
 */
export async function trySettings(
  settings: ActiveOidc,
  sso: Pick<SsoSettings, 'publicUrl'>,
): Promise<OidcTest> {
  let provider: oidc.Configuration;
  try {
    provider = await requestDiscovery(settings);
  } catch (error) {
    return toTestResult(null, [discoveryFailure(settings, error)]);
  }
  const metadata = provider.serverMetadata();
  const issuer = metadata.issuer.slice(0, MAX_ISSUER_LENGTH);
  const checks = [
    passedCheck('discovery', `The discovery document names the issuer ${issuer}.`),
    checkAlgorithm(settings, metadata),
    await checkKeys(metadata),
    await checkClient(provider, settings, getCallbackUrl(sso)),
    checkClaims(settings, metadata),
    ...(settings.addGroupsScope ? [checkScope(metadata)] : []),
    ...(settings.enableSingleSignOut ? [checkLogout(metadata)] : []),
  ];
  return toTestResult(issuer, checks);
}

const toTestResult = (issuer: string | null, checks: OidcCheck[]): OidcTest => ({
  passed: checks.every(({ result }) => result !== 'failed'),
  issuer,
  checks,
});

function discoveryFailure({ discoverUrl }: ActiveOidc, error: unknown): OidcCheck {
  const { code } = getErrorDetails(error);
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return failedCheck(
      'issuer',
      `The document at ${discoverUrl} names a different issuer. Enter the issuer exactly as the provider shows it, including a trailing slash.`,
    );
  return failedCheck(
    'discovery',
    `The discovery document cannot be read from ${discoverUrl}: ${describeFailure(code)}.`,
  );
}

/** Explains a failure to the admin who entered the URL. */
function describeFailure(code: string): string {
  if (/TIMEOUT|ABORT/.test(code)) return `no response within ${TIMEOUT_SECONDS} seconds`;
  if (/PARSE_ERROR|NOT_JSON/.test(code)) return 'the response is not JSON';
  if (/NOT_CONFORM/.test(code))
    return 'the response is not a discovery document (redirects are not followed)';
  if (/^OAUTH_/.test(code)) return `the document is invalid (${code})`;
  return 'the server cannot be reached';
}

function checkAlgorithm(
  { idTokenSigningAlgorithm: requiredAlgorithm }: ActiveOidc,
  metadata: Metadata,
): OidcCheck {
  const advertisedAlgorithms = readStrings(metadata.id_token_signing_alg_values_supported) ?? [];
  if (requiredAlgorithm === null)
    return passedCheck('algorithm', 'ID tokens may use any algorithm that the provider advertises.');
  if (advertisedAlgorithms.length === 0)
    return warningCheck(
      'algorithm',
      `The provider advertises no signing algorithms, so ${requiredAlgorithm} is not verified.`,
    );
  return advertisedAlgorithms.includes(requiredAlgorithm)
    ? passedCheck('algorithm', `The provider signs ID tokens with ${requiredAlgorithm}.`)
    : failedCheck(
        'algorithm',
        `The provider does not sign ID tokens with ${requiredAlgorithm}. It advertises ${formatList(advertisedAlgorithms)}.`,
      );
}

/** Reads a list from the discovery document, which can contain anything. */
const readStrings = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : undefined;

/** Formats the beginning of a list, which may be long. */
const formatList = (names: readonly string[]): string =>
  names
    .slice(0, 20)
    .map(name => name.slice(0, 50))
    .join(', ');

async function checkKeys({ jwks_uri: keysUrl }: Metadata): Promise<OidcCheck> {
  const url = URL.parse(keysUrl ?? '');
  if (!url)
    return failedCheck('keys', 'The discovery document has no jwks_uri, so ID tokens cannot be verified.');
  if (url.protocol !== 'https:' && !isOnThisMachine(url))
    return failedCheck('keys', 'The provider does not publish its keys at an https URL.');
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
      return passedCheck(
        'keys',
        `The provider publishes ${keys.length === 1 ? '1 key' : `${keys.length} keys`}.`,
      );
    return failedCheck('keys', 'The provider publishes no keys, so ID tokens cannot be verified.');
  } catch (error) {
    const { code } = getErrorDetails(error);
    return failedCheck(
      'keys',
      `The provider's keys cannot be read: ${/Timeout|Abort/i.test(code) ? describeFailure('TIMEOUT') : 'the response is not a list of keys'}.`,
    );
  }
}

/**
 * Exchanges a code that does not exist. A provider that knows the client rejects the code, and any other provider rejects the
 * client.
 */
async function checkClient(
  provider: oidc.Configuration,
  { clientId, secret }: ActiveOidc,
  redirectUri: string,
): Promise<OidcCheck> {
  const credentials =
    secret === null ? `the client ID "${clientId}"` : `the client ID "${clientId}" with its secret`;
  const unverifiedClient = (why: string) =>
    warningCheck(
      'client',
      `This test could not verify ${credentials}: ${why}. The first login will show whether the provider accepts it.`,
    );
  try {
    await oidc.genericGrantRequest(provider, 'authorization_code', {
      code: oidc.randomState(),
      redirect_uri: redirectUri,
      code_verifier: oidc.randomPKCECodeVerifier(),
    });
    return unverifiedClient('it accepted a code that does not exist');
  } catch (error) {
    const { code, reason } = getErrorDetails(error);
    if (reason === 'invalid_grant') return passedCheck('client', `The provider accepts ${credentials}.`);
    if (
      reason === 'invalid_client' ||
      reason === 'unauthorized_client' ||
      code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE'
    )
      return failedCheck('client', `The provider does not accept ${credentials}.`);
    return unverifiedClient(
      reason === undefined ? 'its token endpoint did not respond as expected' : `it responded with ${reason}`,
    );
  }
}

/**
 * Compares the claims that a login reads with the claims that the provider advertises. Their values are known only once somebody
 * logs in.
 */
function checkClaims(
  { enableGroupSyncing, groupJsonPath }: ActiveOidc,
  { claims_supported: supported }: Metadata,
): OidcCheck {
  const groupClaim = groupJsonPath ?? 'groups';
  const requiredClaims = ['email', 'email_verified', 'name', ...(enableGroupSyncing ? [groupClaim] : [])];
  const advertisedClaims = readStrings(supported);
  if (advertisedClaims === undefined || advertisedClaims.length === 0)
    return warningCheck(
      'claims',
      `A login reads ${formatList(requiredClaims)}. The provider does not advertise its claims, and this test logs nobody in, so only the first login shows whether they are sent.`,
    );
  // A claim is either a name with dots, or a path that begins with the name of a claim.
  const isAdvertised = (claim: string) =>
    advertisedClaims.includes(claim) ||
    advertisedClaims.includes(claim.replace(/^\$\.?/, '').split('.', 1)[0] ?? '');
  const missingClaims = requiredClaims.filter(claim => !isAdvertised(claim));
  return missingClaims.length === 0
    ? passedCheck(
        'claims',
        `A login reads ${formatList(requiredClaims)}, and the provider advertises them. This test does not see their values, because it logs nobody in.`,
      )
    : warningCheck(
        'claims',
        `A login reads ${formatList(requiredClaims)}. The provider does not advertise ${formatList(missingClaims)}, so the first login shows whether it sends ${missingClaims.length === 1 ? 'this claim' : 'these claims'}.`,
      );
}

const checkScope = ({ scopes_supported: scopes }: Metadata): OidcCheck =>
  readStrings(scopes)?.includes('groups') !== false
    ? passedCheck('scope', 'The scope groups can be requested.')
    : warningCheck(
        'scope',
        'The provider does not advertise the scope groups. It may reject logins that request it.',
      );

const checkLogout = ({ end_session_endpoint: endpoint }: Metadata): OidcCheck =>
  endpoint === undefined
    ? warningCheck('logout', 'The provider has no logout page, so a logout ends only the session in Halyard.')
    : passedCheck('logout', 'A logout also ends the session at the provider.');
