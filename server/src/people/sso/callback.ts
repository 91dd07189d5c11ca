import * as oidc from 'openid-client';
import type { Db } from '../../platform/db/database.ts';
import type { ActiveOidc } from '../auth-settings/active-oidc.ts';
import { openAttempt, type SsoAttempt } from './attempt.ts';
import { type Identity, readIdentity } from './claims.ts';
import { limitUnconfirmed } from './limit-unconfirmed.ts';
import { getCallbackUrl } from './login.ts';
import { callProvider, discover, requireActiveSettings, type SsoSettings } from './provider.ts';

type ProviderResponse = { query: string; state: string | undefined; sealed: string | undefined };
type Log = Parameters<typeof callProvider>[0];

export type ConfirmedLogin = { attempt: SsoAttempt; identity: Identity; settings: ActiveOidc };

/** Asks the provider to confirm a login. The current settings apply rather than the settings at the start of the login. */
export async function confirmLogin(
  db: Db,
  sso: SsoSettings,
  { query, state, sealed }: ProviderResponse,
  ip: string,
  log: Log,
): Promise<ConfirmedLogin> {
  const settings = await requireActiveSettings(db, sso);
  const attempt = await openAttempt(db, sso.keyring, sealed, state);
  const confirm = async () => {
    const provider = await discover(settings);
    const tokens = await oidc.authorizationCodeGrant(provider, new URL(`${getCallbackUrl(sso)}?${query}`), {
      pkceCodeVerifier: attempt.verifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      idTokenExpected: true,
    });
    return await readIdentity(provider, tokens, settings);
  };
  const identity = await limitUnconfirmed(db, ip, () => callProvider(log, confirm));
  return { attempt, identity, settings };
}
