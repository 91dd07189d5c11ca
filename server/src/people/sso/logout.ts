import * as oidc from 'openid-client';
import type { Db } from '../../platform/db/database.ts';
import { activeSettings, discover, type Sso } from './provider.ts';
import { findOidc } from './store.ts';

/** Where the provider ends its own session; undefined if that is not wanted, or it has no such place. */
export async function singleSignOutUrl(db: Db, sso: Sso): Promise<URL | undefined> {
  const { enabled, enableSingleSignOut } = (await findOidc(db))?.content ?? {};
  if (!enabled || !enableSingleSignOut) return undefined;
  const provider = await discover(await activeSettings(db, sso));
  if (provider.serverMetadata().end_session_endpoint === undefined) return undefined;
  return oidc.buildEndSessionUrl(provider, { post_logout_redirect_uri: `${sso.publicUrl}/` });
}
