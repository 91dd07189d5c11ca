import { expect, test } from 'vitest';
import { chooseEncoding } from './accept-encoding.ts';

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['BR', 'br'],
  ['br;q=0.1, gzip;q=0.9', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['br ; q=0, *', 'gzip'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['br;q=2', undefined],
  ['br;q=', undefined],
  ['br;q=high', undefined],
  ['', undefined],
  [',;,;;q', undefined],
  [undefined, undefined],
])('for Accept-Encoding %j, chooses %s', (header, encoding) => {
  expect(chooseEncoding(header, ['br', 'gzip'])).toBe(encoding);
});

test('chooses only an offered encoding', () => {
  expect(chooseEncoding('br', ['gzip'])).toBeUndefined();
  expect(chooseEncoding('br', [])).toBeUndefined();
});
