import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** The keys for secrets. The first key encrypts, and all keys decrypt. */
export type Keyring = readonly { id: string; key: Buffer }[];

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9+/=]+)$/;

export function makeKeyring(key: Buffer | undefined, oldKeys: Buffer[]): Keyring {
  return key === undefined ? [] : [key, ...oldKeys].map(keyBytes => ({ id: keyId(keyBytes), key: keyBytes }));
}

/** Identifies a key without disclosing it. */
const keyId = (key: Buffer): string =>
  createHash('sha256').update('halyard key id').update(key).digest('hex').slice(0, 8);

/**
 * Encrypts with AES-256-GCM. The ciphertext is bound to the context, such as `integrations:7:parameters`, and cannot be decrypted
 * in a different context.
 */
export function seal(keyring: Keyring, context: string, text: string): string {
  const [currentKey] = keyring;
  if (!currentKey) throw new Error('There is no key to encrypt with');
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', currentKey.key, nonce).setAAD(Buffer.from(context));
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `v1.${currentKey.id}.${Buffer.concat(parts).toString('base64')}`;
}

/** Throws an `UnsealError` if the key is missing, the ciphertext is damaged, or the context differs. */
export function unseal(keyring: Keyring, context: string, ciphertext: string): string {
  const [, id, content = ''] = SEALED.exec(ciphertext) ?? [];
  const key = keyring.find(entry => entry.id === id)?.key;
  if (!key) throw new UnsealError(`No key with id ${id} to decrypt ${context}`);
  const bytes = Buffer.from(content, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return (
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    );
  } catch (error) {
    throw new UnsealError(`The ciphertext of ${context} is damaged`, { cause: error });
  }
}

export class UnsealError extends Error {}

/** Returns the id of the key that encrypted a value. */
export const readKeyId = (ciphertext: string): string => SEALED.exec(ciphertext)?.[1] ?? 'unknown';
