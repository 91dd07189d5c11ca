import { ConfigError } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import { howToRun } from '../../platform/files.ts';
import { type Keyring, readKeyId, seal, unseal } from '../../platform/secrets/seal.ts';
import { findOidc, lockAuthSettings, saveOidc } from './store.ts';

const CONTEXT = 'auth_settings:oidc:secret';

export const sealSecret = (keyring: Keyring, secret: string): string => seal(keyring, CONTEXT, secret);

export const openSecret = (keyring: Keyring, sealed: string | null): string | null =>
  sealed === null ? null : unseal(keyring, CONTEXT, sealed);

/** Encrypts the client secret with the first key, unless it is already encrypted with that key. Returns whether the row changed. */
export async function resealClientSecret(db: Db, keyring: Keyring): Promise<boolean> {
  return await db.transaction().execute(async tx => {
    await lockAuthSettings(tx);
    const row = await findOidc(tx);
    const secret = openSecret(keyring, row?.sealedSecret ?? null);
    if (!row?.sealedSecret || secret === null || readKeyId(row.sealedSecret) === keyring[0]?.id) return false;
    await saveOidc(tx, { ...row, sealedSecret: sealSecret(keyring, secret) });
    return true;
  });
}

/** Deletes the client secret. Logins with single sign-on fail until the secret is entered again. */
export async function deleteClientSecret(db: Db): Promise<void> {
  await db.transaction().execute(async tx => {
    await lockAuthSettings(tx);
    const row = await findOidc(tx);
    if (row) await saveOidc(tx, { ...row, sealedSecret: null });
  });
}

/** Checks at startup that a key can decrypt the client secret, instead of failing at the first login. */
export async function checkClientSecret(db: Db, keyring: Keyring): Promise<void> {
  const sealed = (await findOidc(db))?.sealedSecret ?? null;
  if (sealed === null || keyring.some(({ id }) => id === readKeyId(sealed))) return;
  if (keyring.length === 0)
    throw new ConfigError([
      `HALYARD_SECRET_KEY is not set, and the client secret for single sign-on is encrypted with the key ${readKeyId(sealed)}. Set HALYARD_SECRET_KEY to that key`,
    ]);
  throw new ConfigError([
    `The client secret for single sign-on is encrypted with the key ${readKeyId(sealed)}, which is neither HALYARD_SECRET_KEY nor in HALYARD_OLD_SECRET_KEYS. Add this key to HALYARD_OLD_SECRET_KEYS. Only if the key is lost, run ${howToRun('rotate-secrets', '--forget-unreadable')} and enter the secret again`,
  ]);
}
