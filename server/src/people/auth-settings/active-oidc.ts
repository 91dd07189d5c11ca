import type { Reader } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import type { OidcContent } from './schema.ts';
import { openSecret } from './secret.ts';
import { findOidc } from './store.ts';

/** The settings while single sign-on is enabled, which means that all required fields are set. */
export type ActiveOidc = OidcContent & {
  discoverUrl: string;
  clientId: string;
  secret: string | null;
  defaultRoleId: number;
};

/** Returns the single sign-on settings, or undefined if single sign-on is disabled. */
export async function findActiveOidc(db: Reader, keyring: Keyring): Promise<ActiveOidc | undefined> {
  const row = await findOidc(db);
  const { enabled, discoverUrl, clientId } = row?.content ?? {};
  if (!row || !enabled || !discoverUrl || !clientId) return undefined;
  const secret = openSecret(keyring, row.sealedSecret);
  return { ...row.content, discoverUrl, clientId, secret, defaultRoleId: row.defaultRoleId };
}
