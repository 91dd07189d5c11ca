import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { combineCrc, crcShift } from './crc.ts';
import { compressPiece, compressPieceSync, joinPieces } from './gzip.ts';

const text = fc.string({ unit: 'binary', maxLength: 3_000 });

test('combines the CRCs of two strings into the CRC of the joined string', () => {
  fc.assert(
    fc.property(text, text, (first, second) => {
      const combinedCrc = combineCrc(crc32(first), crc32(second), crcShift(Buffer.byteLength(second)));
      expect(combinedCrc).toBe(crc32(first + second));
    }),
  );
});

test('decompressing joined pieces returns their contents in the order in which they were joined', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 8 }), async texts => {
      const pieces = await Promise.all(texts.map(compressPiece));
      expect(gunzipSync(joinPieces(pieces)).equals(Buffer.from(texts.join('')))).toBe(true);
      expect(
        gunzipSync(joinPieces(pieces.toReversed())).equals(Buffer.from(texts.toReversed().join(''))),
      ).toBe(true);
    }),
  );
});

test('the same strings produce the same bytes, whether or not they are compressed in a zlib thread', async () => {
  const longText = 'some text '.repeat(20_000);

  const asyncResult = joinPieces([await compressPiece('a'), await compressPiece(longText)]);

  expect(asyncResult.equals(joinPieces([compressPieceSync('a'), compressPieceSync(longText)]))).toBe(true);
});
