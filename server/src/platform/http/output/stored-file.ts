import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { chooseEncoding, type Encoding } from '@halyard/plane/platform/http/output/accept-encoding.ts';
import { hasEntityTag } from '@halyard/plane/platform/http/output/entity-tag.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The bytes of a file in one encoding. */
export type Copy = { bytes: Buffer; etag: string };

/** A file that does not change while the server runs, with compressed copies. */
export type StoredFile = { contentType: string; plain: Copy; encoded: Partial<Record<Encoding, Copy>> };

/** Creates a copy. Its ETag is a hash of the bytes as sent, so each encoding has its own ETag. */
export const toCopy = (bytes: Buffer): Copy => ({
  bytes,
  etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
});

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];
/** Compresses 3.6 MB to 0.9 MB in 0.15 s. The highest quality saves another 12 % in 9 s. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Compresses a file once, in zlib's threads. */
export async function storeFile(contentType: string, content: string | Buffer): Promise<StoredFile> {
  const bytes = Buffer.from(content);
  const [br, gz] = await Promise.all([toBrotli(bytes, BROTLI), toGzip(bytes)]);
  return { contentType, plain: toCopy(bytes), encoded: { br: toCopy(br), gzip: toCopy(gz) } };
}

/** Sends the copy in the encoding that the client prefers, or 304 if the client has it. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
  cacheControl: string,
): FastifyReply {
  const encodings = Object.keys(file.encoded) as Encoding[];
  const encoding = chooseEncoding(request.headers['accept-encoding']?.toString(), encodings);
  const copy = (encoding && file.encoded[encoding]) ?? file.plain;
  reply.headers({ 'cache-control': cacheControl, etag: copy.etag });
  if (encodings.length > 0) addVary(reply);
  if (hasEntityTag(request.headers['if-none-match'], copy.etag)) return reply.code(304).send();
  if (encoding) reply.header('content-encoding', encoding);
  return reply.type(file.contentType).send(copy.bytes);
}

/** Adds Accept-Encoding to the Vary header. */
export function addVary(reply: FastifyReply): void {
  const names = String(reply.getHeader('vary') ?? '');
  if (names.includes('accept-encoding')) return;
  reply.header('vary', names === '' ? 'accept-encoding' : `${names}, accept-encoding`);
}
