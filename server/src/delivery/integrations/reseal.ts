import { ConfigError } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import { howToRun } from '../../platform/files.ts';
import { type Keyring, seal, sealedWith, UnsealError, unseal } from '../../platform/secrets/seal.ts';
import { isSigningSecretReadable, readParameters, sealContextOf } from './sealed.ts';
import { type IntegrationRow, listIntegrations, lockSealed, updateSealed } from './store.ts';

/**
 * Encrypts all secrets of integrations with the current key. A secret that cannot be decrypted is kept, or deleted with
 * `forgetUnreadable`; the integration then reports the missing secret. Returns the number of changed integrations.
 */
export async function resealSecrets(
  db: Db,
  keyring: Keyring,
  { forgetUnreadable = false }: { forgetUnreadable?: boolean } = {},
): Promise<{ resealed: number; unreadable: number[] }> {
  return await db.transaction().execute(async tx => {
    let resealed = 0;
    const unreadable: number[] = [];
    for (const row of await lockSealed(tx)) {
      const reseal = (what: 'parameters' | 'secret', sealed: string | null): string | null => {
        if (sealed === null) return null;
        const context = sealContextOf(row.id, what);
        try {
          const text = unseal(keyring, context, sealed);
          return sealedWith(sealed) === keyring[0]?.id ? sealed : seal(keyring, context, text);
        } catch (error) {
          if (!(error instanceof UnsealError)) throw error;
          if (unreadable.at(-1) !== row.id) unreadable.push(row.id);
          return forgetUnreadable ? null : sealed;
        }
      };
      const after = {
        ...row,
        sealedParameters: reseal('parameters', row.sealedParameters),
        sealedSecret: reseal('secret', row.sealedSecret),
        sealedOldSecret: reseal('secret', row.sealedOldSecret),
      };
      if (
        after.sealedParameters === row.sealedParameters &&
        after.sealedSecret === row.sealedSecret &&
        after.sealedOldSecret === row.sealedOldSecret
      ) {
        continue;
      }
      await updateSealed(tx, after);
      resealed++;
    }
    return { resealed, unreadable };
  });
}

/** An integration with a secret that no key decrypts. `key` is the id of the key that encrypted it. */
export type Unreadable = { id: number; provider: string; description: string | null; key: string };

export async function listUnreadable(db: Db, keyring: Keyring): Promise<Unreadable[]> {
  return (await listIntegrations(db)).flatMap(row => {
    const { id, provider, description, sealedParameters, sealedSecret, sealedOldSecret } = row;
    const sealed = [
      isReadable(keyring, sealContextOf(id, 'parameters'), sealedParameters) ? null : sealedParameters,
      isReadable(keyring, sealContextOf(id, 'secret'), sealedSecret) ? null : sealedSecret,
      isReadable(keyring, sealContextOf(id, 'secret'), sealedOldSecret) ? null : sealedOldSecret,
    ].find(one => one !== null);
    return sealed == null ? [] : [{ id, provider, description, key: sealedWith(sealed) }];
  });
}

function isReadable(keyring: Keyring, context: string, sealed: string | null): boolean {
  if (sealed === null) return true;
  try {
    unseal(keyring, context, sealed);
    return true;
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    return false;
  }
}

/**
 * Returns the integrations whose secrets cannot be decrypted. Their deliveries fail until the secrets are entered again. If no
 * stored secret was encrypted with a key of this server, the key is wrong. The server then does not start, because every open
 * delivery would fail.
 */
export async function checkSealed(db: Db, keyring: Keyring): Promise<number[]> {
  const rows = await listIntegrations(db);
  const keys = rows.flatMap(sealedValues).map(sealedWith);
  if (keys.length > 0 && !keys.some(id => keyring.some(key => key.id === id))) {
    const ids = rows.filter(row => sealedValues(row).length > 0).map(({ id }) => id);
    const inUse = [...new Set(keys)].join(', ');
    if (keyring.length === 0)
      throw new ConfigError([
        `HALYARD_SECRET_KEY is not set, and the secrets of integration ${ids.slice(0, 10).join(', ')} are encrypted with the key ${inUse}. Set HALYARD_SECRET_KEY to that key`,
      ]);
    throw new ConfigError([
      `HALYARD_SECRET_KEY is not the key ${inUse} that the secrets of integration ${ids.slice(0, 10).join(', ')} are encrypted with, nor is that key among HALYARD_OLD_SECRET_KEYS. Set one of them to that key. Only if the key is lost, run ${howToRun('rotate-secrets', '--forget-unreadable')} and enter the secrets again`,
    ]);
  }
  return rows
    .filter(row => !readParameters(keyring, row) || !isSigningSecretReadable(keyring, row))
    .map(({ id }) => id);
}

const sealedValues = ({ sealedParameters, sealedSecret, sealedOldSecret }: IntegrationRow): string[] =>
  [sealedParameters, sealedSecret, sealedOldSecret].filter(sealed => sealed !== null);
