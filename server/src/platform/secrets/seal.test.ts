import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeKeyring, readKeyId, seal, unseal } from './seal.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const context = 'integrations:7:parameters';

test('decrypts in the same context, and encrypts to a different ciphertext each time', () => {
  const keyring = makeKeyring(newKey, []);

  const ciphertext = seal(keyring, context, 'ein Geheimnis ✓');

  expect(unseal(keyring, context, ciphertext)).toBe('ein Geheimnis ✓');
  expect(ciphertext).not.toContain('Geheimnis');
  expect(seal(keyring, context, 'ein Geheimnis ✓')).not.toBe(ciphertext);
});

test('does not decrypt in a different context or with a changed bit', () => {
  const keyring = makeKeyring(newKey, []);
  const ciphertext = seal(keyring, context, 'secret');
  const [version, id, content = ''] = ciphertext.split('.');
  const bytes = Buffer.from(content, 'base64');
  bytes[14] = (bytes[14] ?? 0) ^ 1;

  expect(() => unseal(keyring, 'integrations:8:parameters', ciphertext)).toThrow();
  expect(() => unseal(keyring, context, [version, id, bytes.toString('base64')].join('.'))).toThrow();
});

test('decrypts with an old key and encrypts with the current one', () => {
  const oldCiphertext = seal(makeKeyring(oldKey, []), context, 'secret');
  const keyring = makeKeyring(newKey, [oldKey]);

  expect(unseal(keyring, context, oldCiphertext)).toBe('secret');
  expect(readKeyId(seal(keyring, context, 'secret'))).not.toBe(readKeyId(oldCiphertext));
  expect(() => unseal(makeKeyring(newKey, []), context, oldCiphertext)).toThrow('No key with id');
});

test('rejects encryption without a key', () => {
  expect(() => seal(makeKeyring(undefined, []), context, 'secret')).toThrow('no key');
});
