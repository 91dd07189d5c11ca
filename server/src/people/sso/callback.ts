import * as oidc from 'openid-client';
import type { Db } from '../../platform/db/database.ts';
import type { ActiveOidc } from '../auth-settings/active-oidc.ts';
import { openAttempt, type SsoAttempt } from './attempt.ts';
import { type Identity, identityOf } from './claims.ts';
import { limitUnconfirmed } from './limit-unconfirmed.ts';
import { callbackUrl } from './login.ts';
import { activeSettings, askProvider, discover, type Sso } from './provider.ts';

type Returned = { query: string; state: string | undefined; sealed: string | undefined };
type Log = Parameters<typeof askProvider>[0];

export type ConfirmedLogin = { attempt: SsoAttempt; identity: Identity; settings: ActiveOidc };

/** Asks the provider to confirm a login. The current settings apply, not those at the start of the login. */
export async function confirmLogin(
  db: Db,
  sso: Sso,
  { query, state, sealed }: Returned,
  ip: string,
  log: Log,
): Promise<ConfirmedLogin> {
  const settings = await activeSettings(db, sso);
  const attempt = await openAttempt(db, sso.keyring, sealed, state);
  const confirm = async () => {
    const provider = await discover(settings);
    const tokens = await oidc.authorizationCodeGrant(provider, new URL(`${callbackUrl(sso)}?${query}`), {
      pkceCodeVerifier: attempt.verifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      idTokenExpected: true,
    });
    return await identityOf(provider, tokens, settings);
  };
  const identity = await limitUnconfirmed(db, ip, () => askProvider(log, confirm));
  return { attempt, identity, settings };
}
