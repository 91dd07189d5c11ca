import { addAbortSignal, Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** The pieces of a response, created one by one, on demand. */
export type Pieces = AsyncGenerator<string | Buffer, void>;

/** The limit for a client that reads slowly but steadily. A client that stops reading is cut off sooner (stalled-clients.ts). */
const SENT_WITHIN_MS = 60_000;
/**
 * Rows are read from the database ahead of the client, so that most responses no longer need a connection while the client reads.
 */
const READ_AHEAD_BYTES = 4_194_304;

export type SendOptions = {
  /** Called when everything has been sent, or sending was aborted. */
  onClose?: () => void;
  /** The content type, which is JSON by default. */
  contentType?: string;
  /** The name under which a browser saves the response. */
  fileName?: string;
  sentWithinMs?: number;
  /** How much is read from the source before the client reads it. */
  readAheadBytes?: number;
};

/**
 * Sends pieces as they are created. The first one is created before anything is sent, so that an error can still become an error
 * response.
 */
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
  const stream = Readable.from(prepend(first, pieces), {
    objectMode: false,
    highWaterMark: readAheadBytes,
  });
  // The source is closed here even if the stream is closed before it is read, because a generator that has not started does not
  // close its source.
  stream.once('close', () => {
    onClose();
    pieces.return().catch(error => reply.log.warn({ err: error }, 'response source close failed'));
  });
  addAbortSignal(AbortSignal.timeout(sentWithinMs), stream);
  if (fileName !== undefined) reply.header('content-disposition', `attachment; filename="${fileName}"`);
  return reply.type(contentType).send(stream);
}

async function* prepend(first: IteratorResult<string | Buffer, void>, rest: Pieces): Pieces {
  if (!first.done) yield first.value;
  yield* rest;
}

/**
 * Yields the JSON of an object whose last field is a list. The first piece is its beginning, and each further piece contains a few
 * list items.
 */
export async function* listPieces(beginning: string, items: AsyncIterable<string[]>): Pieces {
  yield beginning;
  let isFirst = true;
  for await (const batch of items) {
    const bytes = toBytes(batch, ',');
    yield isFirst ? bytes.subarray(1) : bytes;
    isFirst = false;
  }
  yield ']}';
}

/**
 * Writes all items into one buffer. If the items were joined into strings first, 38 MB of strings would stay in memory until a
 * major garbage collection.
 */
export function toBytes(texts: string[], separator = ''): Buffer {
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + separator.length, 0);
  const bytes = Buffer.allocUnsafe(size);
  let end = 0;
  for (const text of texts) {
    end += bytes.write(separator, end);
    end += bytes.write(text, end);
  }
  return bytes;
}
