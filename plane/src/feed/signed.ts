import { sign, verify } from 'node:crypto';
import { SnapshotError, type TrustedKeys, UntrustedKeyError } from '../snapshot/format.ts';
import type { SigningKey } from '../snapshot/keys.ts';

/** JSON in one line, and its signature in the next: the id of the key, a space and base64, as in a snapshot. */
export function signed(value: object, key: SigningKey): string {
  const line = JSON.stringify(value);
  return `${line}\n${key.id} ${sign(null, Buffer.from(line), key.privateKey).toString('base64')}`;
}

/** The value, if a trusted key signed it. Throws a `SnapshotError` otherwise. Nothing is parsed before that. */
export function readSigned(text: string, keys: TrustedKeys): unknown {
  const [line = '', second = ''] = text.split('\n', 2);
  const [id = '', signature = ''] = second.split(' ');
  const key = keys.get(id);
  if (!key) throw new UntrustedKeyError(`Key "${id.slice(0, 40)}" is not trusted.`);
  if (!verify(null, Buffer.from(line), key, Buffer.from(signature, 'base64')))
    throw new SnapshotError('The signature does not match.');
  return JSON.parse(line);
}
