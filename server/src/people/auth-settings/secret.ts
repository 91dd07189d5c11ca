import { ConfigError } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Keyring, seal, sealedWith, unseal } from '../../platform/secrets/seal.ts';
import { findOidc, lockAuthSettings, saveOidc } from './store.ts';

const PLACE = 'auth_settings:oidc:secret';

export const sealSecret = (keyring: Keyring, secret: string): string => seal(keyring, PLACE, secret);

export const openSecret = (keyring: Keyring, sealed: string | null): string | null =>
  sealed === null ? null : unseal(keyring, PLACE, sealed);

/** Seals the client secret anew if it was not sealed with the first key; true if it did. */
export async function resealClientSecret(db: Db, keyring: Keyring): Promise<boolean> {
  return await db.transaction().execute(async tx => {
    await lockAuthSettings(tx);
    const row = await findOidc(tx);
    const secret = openSecret(keyring, row?.sealedSecret ?? null);
    if (!row?.sealedSecret || secret === null || sealedWith(row.sealedSecret) === keyring[0]?.id)
      return false;
    await saveOidc(tx, { ...row, sealedSecret: sealSecret(keyring, secret) });
    return true;
  });
}

/** The server does not start if it could not open the client secret: better at once than at the first login. */
export async function checkClientSecret(db: Db, keyring: Keyring): Promise<void> {
  const sealed = (await findOidc(db))?.sealedSecret ?? null;
  if (sealed === null || keyring.some(({ id }) => id === sealedWith(sealed))) return;
  throw new ConfigError([
    `HALYARD_SECRET_KEY is not the key ${sealedWith(sealed)} that the client secret of single sign-on is encrypted with, nor is it among HALYARD_OLD_SECRET_KEYS`,
  ]);
}
