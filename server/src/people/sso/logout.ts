import * as oidc from 'openid-client';
import type { Db } from '../../platform/db/database.ts';
import { findActiveOidc } from '../auth-settings/active-oidc.ts';
import { discover, type SsoSettings } from './provider.ts';

/**
 * Returns the URL where the provider ends its own session, or undefined if single sign-out is disabled or the provider does not
 * support it.
 */
export async function findSingleSignOutUrl(db: Db, sso: SsoSettings): Promise<URL | undefined> {
  const settings = await findActiveOidc(db, sso.keyring);
  if (!settings?.enableSingleSignOut) return undefined;
  const provider = await discover(settings);
  if (provider.serverMetadata().end_session_endpoint === undefined) return undefined;
  return oidc.buildEndSessionUrl(provider, { post_logout_redirect_uri: `${sso.publicUrl}/` });
}
