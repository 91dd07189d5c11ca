import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import { needsKey } from '../../platform/secrets/needs-key.ts';
import { type Keyring, seal, sealedWith, UnsealError, unseal } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import type { ApiToken } from './schema.ts';
import {
  forgetSecretsOf,
  listOwnSecrets,
  lockReaderOfSecrets,
  lockSealedSecrets,
  setSealedSecret,
} from './store.ts';

const contextOf = (id: number): string => `api_tokens:${id}:secret`;

/** Whether the caller is a service account that can read the secrets of the tokens it creates. */
export async function readsOwnSecrets({ tx, actor }: Change, keyring: Keyring): Promise<boolean> {
  if (actor.kind !== 'service-account' || !(await lockReaderOfSecrets(tx, actor.userId))) return false;
  needsKey(keyring);
  return true;
}

/** Keeps the secret of a new token for the caller, encrypted. */
export async function keepOwnSecret(
  { tx, actor }: Change,
  keyring: Keyring,
  id: number,
  secret: string,
): Promise<void> {
  await setSealedSecret(tx, id, actor.userId, seal(keyring, contextOf(id), secret));
}

/** The tokens, with the full secrets of those that the caller created and can read. */
export async function withOwnSecrets(
  db: Reader,
  actor: Actor,
  keyring: Keyring,
  tokens: ApiToken[],
): Promise<ApiToken[]> {
  // With such a secret, a token with a scope could read flags outside the scope.
  if (actor.kind !== 'service-account' || actor.scope) return tokens;
  const own = new Map((await listOwnSecrets(db, actor.userId)).map(({ id, sealed }) => [id, sealed]));
  return tokens.map(token => {
    const sealed = own.get(token.id);
    const secret = sealed === undefined ? undefined : readable(keyring, token.id, sealed);
    return secret === undefined ? token : { ...token, secret, secure: false };
  });
}

/** Deletes the secrets that the account could read. Its tokens stay valid. */
export async function forgetOwnSecrets({ tx }: Change, account: number): Promise<void> {
  await forgetSecretsOf(tx, account);
}

/** Encrypts the secrets with the first key. Deletes those that no key decrypts, or only counts them. */
export async function resealOwnSecrets(
  db: Db,
  keyring: Keyring,
  { forgetUnreadable = false }: { forgetUnreadable?: boolean } = {},
): Promise<{ resealed: number; unreadable: number[] }> {
  return await db.transaction().execute(async tx => {
    const done = { resealed: 0, unreadable: [] as number[] };
    for (const { id, account, sealed } of await lockSealedSecrets(tx)) {
      const secret = readable(keyring, id, sealed);
      if (secret === undefined) {
        done.unreadable.push(id);
        if (forgetUnreadable) await setSealedSecret(tx, id, null, null);
      } else if (sealedWith(sealed) !== keyring[0]?.id) {
        await setSealedSecret(tx, id, account, seal(keyring, contextOf(id), secret));
        done.resealed++;
      }
    }
    return done;
  });
}

function readable(keyring: Keyring, id: number, sealed: string): string | undefined {
  try {
    return unseal(keyring, contextOf(id), sealed);
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}
