import { ConfigError } from '../config.ts';
import type { Db } from '../db/database.ts';
import { type Keyring, seal, sealedWith, unseal } from '../secrets/seal.ts';
import { placeOf } from './sealed.ts';
import { listIntegrations, lockSealed, updateSealed } from './store.ts';

/** Seals everything anew that was not sealed with the first key; returns how many integrations that were. */
export async function resealSecrets(db: Db, keyring: Keyring): Promise<number> {
  return await db.transaction().execute(async tx => {
    let count = 0;
    for (const row of await lockSealed(tx)) {
      const anew = (what: 'parameters' | 'secret', sealed: string | null) =>
        sealed === null || sealedWith(sealed) === keyring[0]?.id
          ? sealed
          : seal(keyring, placeOf(row.id, what), unseal(keyring, placeOf(row.id, what), sealed));
      const after = {
        ...row,
        sealedParameters: anew('parameters', row.sealedParameters),
        sealedSecret: anew('secret', row.sealedSecret),
        sealedOldSecret: anew('secret', row.sealedOldSecret),
      };
      if (
        after.sealedParameters === row.sealedParameters &&
        after.sealedSecret === row.sealedSecret &&
        after.sealedOldSecret === row.sealedOldSecret
      ) {
        continue;
      }
      await updateSealed(tx, after);
      count++;
    }
    return count;
  });
}

/** The server does not start if it could not open what it has: better at once than at the first event. */
export async function checkSealed(db: Db, keyring: Keyring): Promise<void> {
  const known = new Set(keyring.map(({ id }) => id));
  for (const { id, sealedParameters, sealedSecret, sealedOldSecret } of await listIntegrations(db)) {
    for (const sealed of [sealedParameters, sealedSecret, sealedOldSecret]) {
      if (sealed === null || known.has(sealedWith(sealed))) continue;
      throw new ConfigError([
        `HALYARD_SECRET_KEY is not the key ${sealedWith(sealed)} that the secrets of integration ${id} are encrypted with, nor is it among HALYARD_OLD_SECRET_KEYS`,
      ]);
    }
  }
}
