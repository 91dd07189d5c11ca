import * as oidc from 'openid-client';
import type { Db } from '../../platform/db/database.ts';
import type { LoginOrigin } from '../sessions/open.ts';
import { takeBack } from './attempt.ts';
import { identityOf } from './claims.ts';
import { callbackUrl } from './login.ts';
import { activeSettings, asking, discover, type Sso } from './provider.ts';
import { signIn } from './sign-in.ts';
import { limitingUnconfirmed } from './unconfirmed.ts';

type Returned = { query: string; state: string | undefined; sealed: string | undefined };
type Log = Parameters<typeof asking>[0];

/** Finishes a login. The settings of now count, not those when it was begun. */
export async function finishLogin(
  db: Db,
  sso: Sso,
  { query, state, sealed }: Returned,
  origin: LoginOrigin,
  log: Log,
): Promise<{ userId: number; secret: string; returnTo: string }> {
  const settings = await activeSettings(db, sso);
  const attempt = await takeBack(db, sso.keyring, sealed, state);
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
  const identity = await limitingUnconfirmed(db, origin.ip, () => asking(log, confirm));
  return { ...(await signIn(db, attempt, identity, settings, origin)), returnTo: attempt.returnTo };
}
