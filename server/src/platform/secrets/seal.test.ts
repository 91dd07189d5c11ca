import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { keyringOf, seal, sealedWith, unseal } from './seal.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const place = 'integrations:7:parameters';

test('what is sealed can be opened in its place, and looks different every time', () => {
  const keyring = keyringOf(newKey, []);

  const sealed = seal(keyring, place, 'ein Geheimnis ✓');

  expect(unseal(keyring, place, sealed)).toBe('ein Geheimnis ✓');
  expect(sealed).not.toContain('Geheimnis');
  expect(seal(keyring, place, 'ein Geheimnis ✓')).not.toBe(sealed);
});

test('it cannot be opened in another place, nor after a bit was changed', () => {
  const keyring = keyringOf(newKey, []);
  const sealed = seal(keyring, place, 'secret');
  const [version, id, content = ''] = sealed.split('.');
  const bytes = Buffer.from(content, 'base64');
  bytes[14] = (bytes[14] ?? 0) ^ 1;

  expect(() => unseal(keyring, 'integrations:8:parameters', sealed)).toThrow();
  expect(() => unseal(keyring, place, [version, id, bytes.toString('base64')].join('.'))).toThrow();
});

test('an old key opens what it sealed and seals nothing new', () => {
  const before = seal(keyringOf(oldKey, []), place, 'secret');
  const keyring = keyringOf(newKey, [oldKey]);

  expect(unseal(keyring, place, before)).toBe('secret');
  expect(sealedWith(seal(keyring, place, 'secret'))).not.toBe(sealedWith(before));
  expect(() => unseal(keyringOf(newKey, []), place, before)).toThrow('No key with the id');
});

test('without a key nothing is sealed', () => {
  expect(() => seal(keyringOf(undefined, []), place, 'secret')).toThrow('no key');
});
