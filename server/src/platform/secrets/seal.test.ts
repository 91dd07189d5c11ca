import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { keyringOf, seal, sealedWith, unseal } from './seal.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const context = 'integrations:7:parameters';

test('decrypts in the same context, and encrypts to a different ciphertext each time', () => {
  const keyring = keyringOf(newKey, []);

  const sealed = seal(keyring, context, 'ein Geheimnis ✓');

  expect(unseal(keyring, context, sealed)).toBe('ein Geheimnis ✓');
  expect(sealed).not.toContain('Geheimnis');
  expect(seal(keyring, context, 'ein Geheimnis ✓')).not.toBe(sealed);
});

test('rejects a different context and a changed bit', () => {
  const keyring = keyringOf(newKey, []);
  const sealed = seal(keyring, context, 'secret');
  const [version, id, content = ''] = sealed.split('.');
  const bytes = Buffer.from(content, 'base64');
  bytes[14] = (bytes[14] ?? 0) ^ 1;

  expect(() => unseal(keyring, 'integrations:8:parameters', sealed)).toThrow();
  expect(() => unseal(keyring, context, [version, id, bytes.toString('base64')].join('.'))).toThrow();
});

test('decrypts with an old key and encrypts with the current one', () => {
  const before = seal(keyringOf(oldKey, []), context, 'secret');
  const keyring = keyringOf(newKey, [oldKey]);

  expect(unseal(keyring, context, before)).toBe('secret');
  expect(sealedWith(seal(keyring, context, 'secret'))).not.toBe(sealedWith(before));
  expect(() => unseal(keyringOf(newKey, []), context, before)).toThrow('No key with id');
});

test('encrypts nothing without a key', () => {
  expect(() => seal(keyringOf(undefined, []), context, 'secret')).toThrow('no key');
});
