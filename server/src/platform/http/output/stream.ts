import { addAbortSignal, Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Pieces of a response, created one after the other, on demand. */
export type Pieces = AsyncGenerator<string | Buffer, void>;

/** The limit for a client that reads slowly but steadily. A client that stops reading is cut off sooner (stalled-clients.ts). */
const SENT_WITHIN_MS = 60_000;
/** Read from the database before the client reads it, so that most responses need no connection until their end. */
const READ_AHEAD_BYTES = 4_194_304;

export type SendOptions = {
  /** Called once everything is sent or aborted. */
  onClose?: () => void;
  /** Default: JSON. */
  contentType?: string;
  /** The name under which a browser saves the response. */
  fileName?: string;
  sentWithinMs?: number;
  /** How much is read from the source before the client reads it. */
  readAheadBytes?: number;
};

/** Sends pieces as they are created. The first is created before anything is sent, so that an error can still become an error response. */
export async function sendPieces(
  reply: FastifyReply,
  pieces: Pieces,
  {
    onClose = () => {},
    contentType = 'application/json; charset=utf-8',
    fileName,
    sentWithinMs = SENT_WITHIN_MS,
    readAheadBytes = READ_AHEAD_BYTES,
  }: SendOptions = {},
) {
  const first = await pieces.next();
  const stream = Readable.from(startingWith(first, pieces), {
    objectMode: false,
    highWaterMark: readAheadBytes,
  });
  // Runs even if the stream is closed before it is read, because a generator that has not started does not close its source.
  stream.once('close', () => {
    onClose();
    pieces.return().catch(error => reply.log.warn({ err: error }, 'closing the source of a response failed'));
  });
  addAbortSignal(AbortSignal.timeout(sentWithinMs), stream);
  if (fileName !== undefined) reply.header('content-disposition', `attachment; filename="${fileName}"`);
  return reply.type(contentType).send(stream);
}

async function* startingWith(first: IteratorResult<string | Buffer, void>, rest: Pieces): Pieces {
  if (!first.done) yield first.value;
  yield* rest;
}

/** An object whose last field is a list, from its beginning and some items of the list at a time, as JSON. */
export async function* listPieces(beginning: string, items: AsyncIterable<string[]>): Pieces {
  yield beginning;
  let isFirst = true;
  for await (const some of items) {
    const bytes = asBytes(some, ',');
    yield isFirst ? bytes.subarray(1) : bytes;
    isFirst = false;
  }
  yield ']}';
}

/**
 * Each piece is written into one buffer. If they were joined into strings first, 38 MB of them would stay in memory until a major
 * garbage collection.
 */
export function asBytes(texts: string[], beforeEach = ''): Buffer {
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + beforeEach.length, 0);
  const bytes = Buffer.allocUnsafe(size);
  let end = 0;
  for (const text of texts) {
    end += bytes.write(beforeEach, end);
    end += bytes.write(text, end);
  }
  return bytes;
}
