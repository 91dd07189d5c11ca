import { ConfigError } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import { howToRun } from '../../platform/files.ts';
import { type Keyring, readKeyId, seal, UnsealError, unseal } from '../../platform/secrets/seal.ts';
import { buildSealContext, isSigningSecretReadable, readParameters } from './sealed.ts';
import { type IntegrationRow, listIntegrations, lockAllIntegrations, updateSealedValues } from './store.ts';

/**
 * Re-encrypts all integration secrets with the current key. Keeps a secret that cannot be decrypted. With
 * `forgetUnreadable`, deletes it instead, and the integration reports the missing secret. Returns the number of changed
 * integrations, and the ids of those with an unreadable secret.
 */
export async function resealSecrets(
  db: Db,
  keyring: Keyring,
  { forgetUnreadable = false }: { forgetUnreadable?: boolean } = {},
): Promise<{ resealed: number; unreadable: number[] }> {
  return await db.transaction().execute(async tx => {
    let resealed = 0;
    const unreadable: number[] = [];
    for (const row of await lockAllIntegrations(tx)) {
      const reseal = (kind: 'parameters' | 'secret', ciphertext: string | null): string | null => {
        if (ciphertext === null) return null;
        const context = buildSealContext(row.id, kind);
        try {
          const text = unseal(keyring, context, ciphertext);
          return readKeyId(ciphertext) === keyring[0]?.id ? ciphertext : seal(keyring, context, text);
        } catch (error) {
          if (!(error instanceof UnsealError)) throw error;
          if (unreadable.at(-1) !== row.id) unreadable.push(row.id);
          return forgetUnreadable ? null : ciphertext;
        }
      };
      const resealedRow = {
        ...row,
        sealedParameters: reseal('parameters', row.sealedParameters),
        sealedSecret: reseal('secret', row.sealedSecret),
        sealedOldSecret: reseal('secret', row.sealedOldSecret),
      };
      if (
        resealedRow.sealedParameters === row.sealedParameters &&
        resealedRow.sealedSecret === row.sealedSecret &&
        resealedRow.sealedOldSecret === row.sealedOldSecret
      ) {
        continue;
      }
      await updateSealedValues(tx, resealedRow);
      resealed++;
    }
    return { resealed, unreadable };
  });
}

/** An integration with a secret that no key can decrypt. `key` is the id of the key that encrypted it. */
export type UnreadableSecret = { id: number; provider: string; description: string | null; key: string };

export async function listUnreadable(db: Db, keyring: Keyring): Promise<UnreadableSecret[]> {
  return (await listIntegrations(db)).flatMap(row => {
    const { id, provider, description, sealedParameters, sealedSecret, sealedOldSecret } = row;
    const unreadableSecret = [
      isReadable(keyring, buildSealContext(id, 'parameters'), sealedParameters) ? null : sealedParameters,
      isReadable(keyring, buildSealContext(id, 'secret'), sealedSecret) ? null : sealedSecret,
      isReadable(keyring, buildSealContext(id, 'secret'), sealedOldSecret) ? null : sealedOldSecret,
    ].find(ciphertext => ciphertext !== null);
    return unreadableSecret == null ? [] : [{ id, provider, description, key: readKeyId(unreadableSecret) }];
  });
}

function isReadable(keyring: Keyring, context: string, ciphertext: string | null): boolean {
  if (ciphertext === null) return true;
  try {
    unseal(keyring, context, ciphertext);
    return true;
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    return false;
  }
}

/**
 * Returns the integrations whose secrets cannot be decrypted. Their deliveries fail until the secrets are entered again. Throws
 * if no stored secret was encrypted with a key of this server. In that case, the key is wrong and every open delivery would fail, so
 * the server must not start.
 */
export async function checkSealed(db: Db, keyring: Keyring): Promise<number[]> {
  const rows = await listIntegrations(db);
  const keyIds = rows.flatMap(sealedValues).map(readKeyId);
  if (keyIds.length > 0 && !keyIds.some(id => keyring.some(key => key.id === id))) {
    const ids = rows.filter(row => sealedValues(row).length > 0).map(({ id }) => id);
    const usedKeys = [...new Set(keyIds)].join(', ');
    if (keyring.length === 0)
      throw new ConfigError([
        `HALYARD_SECRET_KEY is not set, but the secrets of integration ${ids.slice(0, 10).join(', ')} are encrypted with the key ${usedKeys}. Set HALYARD_SECRET_KEY to that key`,
      ]);
    throw new ConfigError([
      `HALYARD_SECRET_KEY is not the key ${usedKeys} that the secrets of integration ${ids.slice(0, 10).join(', ')} are encrypted with, nor is that key among HALYARD_OLD_SECRET_KEYS. Set one of them to that key. Only if the key is lost, run ${howToRun('rotate-secrets', '--forget-unreadable')} and enter the secrets again`,
    ]);
  }
  return rows
    .filter(row => !readParameters(keyring, row) || !isSigningSecretReadable(keyring, row))
    .map(({ id }) => id);
}

const sealedValues = ({ sealedParameters, sealedSecret, sealedOldSecret }: IntegrationRow): string[] =>
  [sealedParameters, sealedSecret, sealedOldSecret].filter(sealed => sealed !== null);
