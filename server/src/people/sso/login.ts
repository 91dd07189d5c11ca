import * as oidc from 'openid-client';
import type { Db } from '../../platform/db/database.ts';
import { requireKey } from '../../platform/secrets/require-key.ts';
import type { ActiveOidc } from '../auth-settings/active-oidc.ts';
import { ATTEMPT_MINUTES, sealAttempt } from './attempt.ts';
import { callProvider, discover, requireActiveSettings, type SsoSettings } from './provider.ts';

/** Starts a login. Returns the URL at the provider and the encrypted attempt for the browser. */
export async function startLogin(
  db: Db,
  sso: SsoSettings,
  returnTo: string,
  log: Parameters<typeof callProvider>[0],
): Promise<{ url: URL; sealed: string }> {
  // The settings are read outside callProvider, because a database failure is not a failure of the provider.
  const settings = await requireActiveSettings(db, sso);
  requireKey(sso.keyring);
  const attempt = {
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
    returnTo,
    expiresAt: Date.now() + ATTEMPT_MINUTES * 60_000,
  };
  const parameters = {
    redirect_uri: getCallbackUrl(sso),
    scope: getRequestedScopes(settings),
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
    ...(settings.acrValues === null ? {} : { acr_values: settings.acrValues }),
  };
  const url = await callProvider(log, async () =>
    oidc.buildAuthorizationUrl(await discover(settings), parameters),
  );
  return { url, sealed: sealAttempt(sso.keyring, attempt) };
}

export const getCallbackUrl = ({ publicUrl }: Pick<SsoSettings, 'publicUrl'>): string =>
  `${publicUrl}/auth/oidc/callback`;

const getRequestedScopes = ({ addGroupsScope }: ActiveOidc): string =>
  `openid email profile${addGroupsScope ? ' groups' : ''}`;
