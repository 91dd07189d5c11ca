import { addAbortSignal, Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Made one after the other, as they are asked for. */
export type Pieces = AsyncGenerator<string | Buffer, void>;

/** For a client that reads slowly but steadily; one that stops reading is cut off sooner (stalled-clients.ts). */
const SENT_WITHIN_MS = 60_000;
/** Read from the database before the client reads it, so that most responses need no connection until their end. */
const READ_AHEAD_BYTES = 4_194_304;

/**
 * Sends pieces of JSON text as they are made. The first is made before anything is sent, so that a rejection is still sent
 * as one. `onClose` is called once everything is sent or aborted.
 */
export async function sendPieces(reply: FastifyReply, pieces: Pieces, onClose: () => void = () => {}) {
  const first = await pieces.next();
  const stream = Readable.from(startingWith(first, pieces), {
    objectMode: false,
    highWaterMark: READ_AHEAD_BYTES,
  });
  // Also when it is closed before it was ever read: a generator that has not begun does not end what it would have read.
  stream.once('close', () => {
    onClose();
    pieces.return().catch(error => reply.log.warn({ err: error }, 'closing the source of a response failed'));
  });
  addAbortSignal(AbortSignal.timeout(SENT_WITHIN_MS), stream);
  return reply.type('application/json; charset=utf-8').send(stream);
}

async function* startingWith(first: IteratorResult<string | Buffer, void>, rest: Pieces): Pieces {
  if (!first.done) yield first.value;
  yield* rest;
}

/** An object whose last field is a list, from its beginning and some items of the list at a time, as JSON texts. */
export async function* listPieces(beginning: string, items: AsyncIterable<string[]>): Pieces {
  yield beginning;
  let isFirst = true;
  for await (const some of items) {
    yield asBytes(some, isFirst);
    isFirst = false;
  }
  yield ']}';
}

/** Written into one buffer each: joined to a string first, 38 MB of them stay until a large collection of garbage. */
function asBytes(items: string[], isFirst: boolean): Buffer {
  const size = items.reduce((sum, item) => sum + Buffer.byteLength(item) + 1, 0);
  const bytes = Buffer.allocUnsafe(size);
  let end = 0;
  for (const item of items) {
    end += bytes.write(',', end);
    end += bytes.write(item, end);
  }
  return isFirst ? bytes.subarray(1) : bytes;
}
