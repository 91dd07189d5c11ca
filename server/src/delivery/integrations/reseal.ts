import { ConfigError } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Keyring, seal, sealedWith, UnsealError, unseal } from '../../platform/secrets/seal.ts';
import { isSigningSecretReadable, placeOf, readParameters } from './sealed.ts';
import { type IntegrationRow, listIntegrations, lockSealed, updateSealed } from './store.ts';

/**
 * Reseals everything that was not sealed with the first key. What cannot be read is left as it is, or taken away if
 * it is to be forgotten: the integration then says what is missing. Returns how many integrations were changed.
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
        const place = placeOf(row.id, what);
        try {
          const text = unseal(keyring, place, sealed);
          return sealedWith(sealed) === keyring[0]?.id ? sealed : seal(keyring, place, text);
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

/**
 * Returns the integrations whose secrets cannot be read; their deliveries fail until the secrets are entered again. If
 * no stored secret was encrypted with a key that the server has, the key is the wrong one, and the server does not
 * start: it would fail every delivery that waits.
 */
export async function checkSealed(db: Db, keyring: Keyring): Promise<number[]> {
  const rows = await listIntegrations(db);
  const keys = rows.flatMap(sealedValues).map(sealedWith);
  if (keys.length > 0 && !keys.some(id => keyring.some(key => key.id === id))) {
    const ids = rows.filter(row => sealedValues(row).length > 0).map(({ id }) => id);
    throw new ConfigError([
      `HALYARD_SECRET_KEY is not the key ${[...new Set(keys)].join(', ')} that the secrets of integration ${ids.slice(0, 10).join(', ')} are encrypted with, nor is that key among HALYARD_OLD_SECRET_KEYS. If the key is lost, run npm run rotate-secrets -- --forget-unreadable and enter the secrets again`,
    ]);
  }
  return rows
    .filter(row => !readParameters(keyring, row) || !isSigningSecretReadable(keyring, row))
    .map(({ id }) => id);
}

const sealedValues = ({ sealedParameters, sealedSecret, sealedOldSecret }: IntegrationRow): string[] =>
  [sealedParameters, sealedSecret, sealedOldSecret].filter(sealed => sealed !== null);
