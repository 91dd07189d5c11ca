import { badData } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { MASK } from '../../platform/secrets/mask.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import type { ActiveOidc } from './active-oidc.ts';
import type { OidcSettingsInput } from './schema.ts';
import { openSecret } from './secret.ts';
import { planOidc } from './settings.ts';
import { findOidc } from './store.ts';

/**
 * Returns the settings as they would be after a change, for a test of the provider. They are validated as if single sign-on were
 * enabled, and include the stored secret only if the URL is the one for which it was entered.
 */
export async function proposeOidc(
  db: Reader,
  keyring: Keyring,
  input: OidcSettingsInput,
): Promise<ActiveOidc> {
  const storedSettings = await findOidc(db);
  const { content, defaultRoleId, details } = planOidc(storedSettings, { ...input, enabled: true });
  const { discoverUrl, clientId } = content;
  // The URL and the client ID are required while single sign-on is enabled, so `details` says which one is missing.
  if (details.length > 0 || discoverUrl === null || clientId === null) throw badData(details);
  const keepsSecret = input.secret === undefined || input.secret === MASK;
  const secret = keepsSecret
    ? openSecret(keyring, storedSettings?.sealedSecret ?? null)
    : input.secret || null;
  return { ...content, discoverUrl, clientId, secret: secret ?? null, defaultRoleId };
}
