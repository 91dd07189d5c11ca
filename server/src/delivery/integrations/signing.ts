import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const newSigningSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** What a secret is to sign with; made once, since making it takes longer than signing. */
export const signingKey = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'));

/** The three headers of the Standard Webhooks scheme, with one signature for each key that is valid. */
export function signatureHeaders(
  id: string,
  at: Date,
  body: string | Buffer,
  keys: KeyObject[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = keys.map(
    key => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 ? { 'webhook-signature': signatures.join(' ') } : {}),
  };
}
