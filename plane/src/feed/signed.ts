import { sign, verify } from 'node:crypto';
import { SnapshotError, type TrustedKeys, UntrustedKeyError } from '../snapshot/format.ts';
import type { SigningKey } from '../snapshot/keys.ts';

/** Returns two lines: the JSON, and its signature in the format of snapshots (the key id, a space and base64). */
export function signJson(value: object, key: SigningKey): string {
  const line = JSON.stringify(value);
  return `${line}\n${key.id} ${sign(null, Buffer.from(line), key.privateKey).toString('base64')}`;
}

/**
 * Returns the value if a trusted key signed it, and throws a `SnapshotError` otherwise. Nothing is parsed before the signature is
 * verified.
 */
export function readSigned(text: string, keys: TrustedKeys): unknown {
  const [line = '', signatureLine = ''] = text.split('\n', 2);
  const [id = '', signature = ''] = signatureLine.split(' ');
  const key = keys.get(id);
  if (!key) throw new UntrustedKeyError(`Key "${id.slice(0, 40)}" is not trusted.`);
  if (!verify(null, Buffer.from(line), key, Buffer.from(signature, 'base64')))
    throw new SnapshotError('The signature does not match.');
  return JSON.parse(line);
}
