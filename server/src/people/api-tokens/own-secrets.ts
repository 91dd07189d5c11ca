import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import { requireKey } from '../../platform/secrets/require-key.ts';
import { type Keyring, readKeyId, seal, UnsealError, unseal } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import type { ApiToken } from './schema.ts';
import {
  deleteAccountSecrets,
  listOwnSecrets,
  lockSealedSecrets,
  lockSecretReader,
  setSealedSecret,
} from './store.ts';

const getSealContext = (id: number): string => `api_tokens:${id}:secret`;

/** Returns whether the caller is a service account that can read the secrets of the tokens that it creates. */
export async function canReadOwnSecrets({ tx, actor }: Change, keyring: Keyring): Promise<boolean> {
  if (actor.kind !== 'service-account' || !(await lockSecretReader(tx, actor.userId))) return false;
  requireKey(keyring);
  return true;
}

/** Stores the secret of a new token encrypted, so that its creator can read it later. */
export async function storeOwnSecret(
  { tx, actor }: Change,
  keyring: Keyring,
  id: number,
  secret: string,
): Promise<void> {
  await setSealedSecret(tx, id, actor.userId, seal(keyring, getSealContext(id), secret));
}

/** Adds the full secret to the tokens that the caller created and can read. */
export async function withOwnSecrets(
  db: Reader,
  actor: Actor,
  keyring: Keyring,
  tokens: ApiToken[],
): Promise<ApiToken[]> {
  // A caller with a scope gets no secrets, because a token's secret could give access to flags outside the scope.
  if (actor.kind !== 'service-account' || actor.scope) return tokens;
  const sealedSecrets = new Map(
    (await listOwnSecrets(db, actor.userId)).map(({ id, sealed }) => [id, sealed]),
  );
  return tokens.map(token => {
    const sealed = sealedSecrets.get(token.id);
    const secret = sealed === undefined ? undefined : unsealIfReadable(keyring, token.id, sealed);
    return secret === undefined ? token : { ...token, secret, secure: false };
  });
}

/** Deletes the secrets that the account could read. Its tokens stay valid. */
export async function deleteOwnSecrets({ tx }: Change, account: number): Promise<void> {
  await deleteAccountSecrets(tx, account);
}

/**
 * Re-encrypts the secrets with the first key. Returns the tokens whose secrets no key can decrypt, and deletes those secrets
 * if `forgetUnreadable` is set.
 */
export async function resealOwnSecrets(
  db: Db,
  keyring: Keyring,
  { forgetUnreadable = false }: { forgetUnreadable?: boolean } = {},
): Promise<{ resealed: number; unreadable: number[] }> {
  return await db.transaction().execute(async tx => {
    const result = { resealed: 0, unreadable: [] as number[] };
    for (const { id, account, sealed } of await lockSealedSecrets(tx)) {
      const secret = unsealIfReadable(keyring, id, sealed);
      if (secret === undefined) {
        result.unreadable.push(id);
        if (forgetUnreadable) await setSealedSecret(tx, id, null, null);
      } else if (readKeyId(sealed) !== keyring[0]?.id) {
        await setSealedSecret(tx, id, account, seal(keyring, getSealContext(id), secret));
        result.resealed++;
      }
    }
    return result;
  });
}

function unsealIfReadable(keyring: Keyring, id: number, sealed: string): string | undefined {
  try {
    return unseal(keyring, getSealContext(id), sealed);
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}
