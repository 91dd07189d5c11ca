import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { combineCrc, crcShift } from './crc.ts';
import { gzipOf, pieceOf, shortPiece } from './gzip.ts';

const text = fc.string({ unit: 'binary', maxLength: 3_000 });

test('combines the CRCs of two strings without reading them', () => {
  fc.assert(
    fc.property(text, text, (first, second) => {
      const combined = combineCrc(crc32(first), crc32(second), crcShift(Buffer.byteLength(second)));
      expect(combined).toBe(crc32(first + second));
    }),
  );
});

test('pieces in any order form one gzip member with their content', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 8 }), async texts => {
      const pieces = await Promise.all(texts.map(pieceOf));
      expect(gunzipSync(gzipOf(pieces)).equals(Buffer.from(texts.join('')))).toBe(true);
      expect(gunzipSync(gzipOf(pieces.toReversed())).equals(Buffer.from(texts.toReversed().join('')))).toBe(
        true,
      );
    }),
  );
});

test('the same strings give the same bytes, compressed in a thread or not', async () => {
  const long = 'some text '.repeat(20_000);

  const later = gzipOf([await pieceOf('a'), await pieceOf(long)]);

  expect(later.equals(gzipOf([shortPiece('a'), shortPiece(long)]))).toBe(true);
});
