import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const newSigningSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** Creates a key object from a secret. This takes longer than signing, so callers reuse the object. */
export const signingKey = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'));

/** Returns the three headers of the Standard Webhooks scheme, with one signature for each key that is valid. */
export function signatureHeaders(
  id: string,
  time: Date,
  body: string | Buffer,
  keys: KeyObject[],
): Record<string, string> {
  const timestamp = String(Math.floor(time.getTime() / 1_000));
  const signatures = keys.map(
    key => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 ? { 'webhook-signature': signatures.join(' ') } : {}),
  };
}
