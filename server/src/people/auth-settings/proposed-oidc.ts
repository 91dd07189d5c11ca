import { badData } from '../../../../plane/src/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { MASK } from '../../platform/secrets/mask.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import type { ActiveOidc } from './active-oidc.ts';
import type { OidcSettingsInput } from './schema.ts';
import { openSecret } from './secret.ts';
import { planOidc } from './settings.ts';
import { findOidc } from './store.ts';

/**
 * The settings as they would be after a change, for a test of the provider. They are valid as if single sign-on were enabled, and
 * a stored secret is part of them only for the URL that it was entered for.
 */
export async function proposedOidc(
  db: Reader,
  keyring: Keyring,
  input: OidcSettingsInput,
): Promise<ActiveOidc> {
  const found = await findOidc(db);
  const { content, defaultRoleId, details } = planOidc(found, { ...input, enabled: true });
  const { discoverUrl, clientId } = content;
  // Both are required while single sign-on is enabled, so `details` says which one is missing.
  if (details.length > 0 || discoverUrl === null || clientId === null) throw badData(details);
  const isKept = input.secret === undefined || input.secret === MASK;
  const secret = isKept ? openSecret(keyring, found?.sealedSecret ?? null) : input.secret || null;
  return { ...content, discoverUrl, clientId, secret: secret ?? null, defaultRoleId };
}
