import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib';
import { combineCrc, crcShift } from './crc.ts';

/** A string that is compressed once and is part of many bodies. */
export type Piece = {
  /** Raw deflate data that ends with a full flush, so no piece refers to an earlier one and pieces can be joined in any order. */
  readonly deflated: Buffer;
  /** The length of the string in bytes, its CRC-32, and the shift to apply to the CRC of everything before it. */
  readonly length: number;
  readonly crc: number;
  readonly shift: number;
};

/** Has no name, no time and an unknown operating system, so that equal strings produce equal bytes on every server. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty final block. */
const LAST_BLOCK = Buffer.from([0x03, 0x00]);
const TRAILER_BYTES = 8;

const OPTIONS = { finishFlush: constants.Z_FULL_FLUSH };

const deflate: (bytes: Buffer, options: typeof OPTIONS) => Promise<Buffer> = promisify(deflateRaw);

const makePiece = (bytes: Buffer, deflated: Buffer): Piece => ({
  deflated,
  length: bytes.length,
  crc: crc32(bytes),
  shift: crcShift(bytes.length),
});

/** Compresses a short string. A longer string would block the event loop: 5 MB take 200 ms. */
export function compressPieceSync(text: string): Piece {
  const bytes = Buffer.from(text);
  return makePiece(bytes, deflateRawSync(bytes, OPTIONS));
}

/** Compresses a string of any length in a zlib thread. */
export async function compressPiece(text: string): Promise<Piece> {
  const bytes = Buffer.from(text);
  return makePiece(bytes, await deflate(bytes, OPTIONS));
}

/** Joins the strings of all pieces into one gzip member. It neither recompresses nor reads them. */
export function joinPieces(pieces: readonly Piece[]): Buffer {
  let crc = 0;
  let length = 0;
  for (const piece of pieces) {
    crc = combineCrc(crc, piece.crc, piece.shift);
    length += piece.length;
  }
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  return Buffer.concat([HEADER, ...pieces.map(piece => piece.deflated), LAST_BLOCK, trailer]);
}
