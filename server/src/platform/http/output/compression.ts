import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { Admission } from '@halyard/plane/platform/admission/metrics.ts';
import { toNetwork } from '@halyard/plane/platform/admission/network.ts';
import { makeShares, type Release, type ShareLimits } from '@halyard/plane/platform/admission/shares.ts';
import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { chooseEncoding, type Encoding } from '@halyard/plane/platform/http/output/accept-encoding.ts';
import type { FastifyReply } from 'fastify';
import { addVary } from './stored-file.ts';

/** A smaller body fits into one packet together with its headers. */
const MIN_BYTES = 1_024;

/** Data and text are compressed. Server-sent events are not, because each frame must arrive immediately. */
const COMPRESSIBLE =
  /^(application\/(json|x-ndjson|openmetrics-text)|text\/(csv|css|html|javascript|plain)|application\/javascript)\b/;

/**
 * A page of 100 events takes 65 kB. Brotli compresses it to 8.7 kB, in 0.5 ms with quality 3 and in 2 ms with quality 5. gzip
 * compresses it to 9.6 kB in 0.7 ms. A window of 256 kB bounds the memory of a response.
 */
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 },
  // Each piece of a stream is sent as soon as it exists, not when the encoder has collected enough.
  flush: constants.BROTLI_OPERATION_FLUSH,
};
const GZIP = { flush: constants.Z_SYNC_FLUSH };

/**
 * zlib shares its threads with password hashing and file reads, so a caller gets only two at a time, and no response waits for one.
 * A stream needs a thread only while it has something to compress, but about 1 MB of memory all the time.
 */
const WHOLE_RESPONSES: ShareLimits = { capacity: 8, share: 0.25, waiting: 0, waitingPerCaller: 0, waitMs: 0 };
const STREAMED_RESPONSES: ShareLimits = { ...WHOLE_RESPONSES, capacity: 32 };
/** Callers never see this error, because a response that finds no free slot is sent uncompressed. */
const busyError = (): ApiError => new ApiError('ServiceUnavailableError', 'Compression is busy.');

/** The marker of an encoding in a strong ETag. Our ETags contain no semicolon. */
const ENCODED_TAG = /;(?:br|gzip)"/g;

type Encoder = { stream: () => Transform; whole: (bytes: Buffer) => Promise<Buffer> };

const [brotliWhole, gzipWhole] = [promisify(brotliCompress), promisify(gzip)];

const ENCODERS: Record<Encoding, Encoder> = {
  br: { stream: () => createBrotliCompress(BROTLI), whole: bytes => brotliWhole(bytes, BROTLI) },
  gzip: { stream: () => createGzip(GZIP), whole: bytes => gzipWhole(bytes, GZIP) },
};

/**
 * Compresses responses in zlib's threads, which leaves the event loop free. The hooks must come after every hook that reads the
 * body of a response.
 */
export function installCompression(app: App, admission: Admission = new Map()): void {
  const wholeSlots = makeShares(WHOLE_RESPONSES, busyError);
  const streamSlots = makeShares(STREAMED_RESPONSES, busyError);
  admission.set('compression', wholeSlots).set('compressed-streams', streamSlots);

  app.addHook('onRequest', async ({ raw: { headers } }) => {
    for (const name of ['if-match', 'if-none-match'] as const) {
      const tags = headers[name];
      if (tags !== undefined) headers[name] = tags.replaceAll(ENCODED_TAG, '"');
    }
  });

  app.addHook('onSend', async (request, reply, payload) => {
    if (!isCompressible(reply, payload)) return payload;
    addVary(reply);
    const acceptedEncodings = request.headers['accept-encoding']?.toString();
    const encoding = chooseEncoding(acceptedEncodings, ['br', 'gzip']);
    if (encoding === undefined || reply.raw.destroyed) return payload;
    const isStream = payload instanceof Readable;
    // A response that would have to wait is sent uncompressed.
    const release = (isStream ? streamSlots : wholeSlots).tryAcquire(request.caller || toNetwork(request.ip));
    if (release === undefined) return payload;
    reply.header('content-encoding', encoding).removeHeader('content-length');
    markTag(reply, encoding);
    const encoder = ENCODERS[encoding];
    return isStream
      ? compressStream(payload, encoder.stream(), release)
      : await encoder.whole(Buffer.from(payload)).finally(release);
  });
}

/**
 * Returns whether a response can be compressed. A response that shows a secret is not compressed, because somebody who controls
 * another part of the response could guess the secret from its size (BREACH).
 */
function isCompressible(reply: FastifyReply, payload: unknown): payload is string | Buffer | Readable {
  if (reply.hasHeader('content-encoding') || reply.routeOptions.config.returnsSecret) return false;
  if (!COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))) return false;
  if (typeof payload === 'string') return Buffer.byteLength(payload) >= MIN_BYTES;
  if (Buffer.isBuffer(payload)) return payload.length >= MIN_BYTES;
  return payload instanceof Readable;
}

/**
 * Compresses a stream. If the source or the encoder fails, the other ends too. Fastify logs the failure of the stream that it
 * sends.
 */
function compressStream(source: Readable, encoder: Transform, release: Release): Transform {
  return pipeline(source, encoder, release);
}

/**
 * Marks the ETag of a compressed response with a suffix, because a strong ETag names exact bytes. The suffix is removed from the
 * tags that a client sends back, so operations compare their own tags.
 */
function markTag(reply: FastifyReply, encoding: Encoding): void {
  const tag = String(reply.getHeader('etag') ?? '');
  if (tag.startsWith('"')) reply.header('etag', `${tag.slice(0, -1)};${encoding}"`);
}
