import { createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';

/** An Ed25519 key pair. The id identifies the public key, so that a reader knows which one to use. */
export type SigningKey = { id: string; privateKey: KeyObject; publicKey: KeyObject };

/** The start of an Ed25519 private key in PKCS #8. The key's 32 bytes follow (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;

/**
 * Derives the signing key from a secret key. All servers of an installation share the secret key, so they accept each other's
 * snapshots, and rotating the secret key also rotates this one. HKDF separates the two: nobody can compute the secret key from
 * the signing key.
 */
export function deriveSigningKey(secretKey: Buffer): SigningKey {
  const seed = Buffer.from(hkdfSync('sha256', secretKey, '', 'halyard snapshot signing key', SEED_BYTES));
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey);
  return { id: keyId(publicKey), privateKey, publicKey };
}

/** Returns the first 8 bytes of the SHA-256 of the public key, in hexadecimal. */
export const keyId = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('hex')
    .slice(0, 16);
