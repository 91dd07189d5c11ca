import { addAbortSignal, Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Made one after the other, as they are asked for. */
export type Pieces = AsyncGenerator<string | Buffer, void>;

/** Who reads slowly holds a connection of the database; for this long at most. */
const SENT_WITHIN_MS = 30_000;

/**
 * Sends pieces of JSON text as they are made, and no faster than the caller reads. The first is made before anything is
 * sent, so that a refusal is still answered as one.
 */
export async function sendPieces(reply: FastifyReply, pieces: Pieces, withinMs = SENT_WITHIN_MS) {
  const first = await pieces.next();
  const stream = Readable.from(startingWith(first, pieces), { objectMode: false });
  // Also when it is closed before it was ever read: a generator that has not begun does not end what it would have read.
  stream.once('close', () => {
    pieces
      .return()
      .catch(error => reply.log.warn({ err: error }, 'the source of an answer did not end well'));
  });
  addAbortSignal(AbortSignal.timeout(withinMs), stream);
  return reply.type('application/json; charset=utf-8').send(stream);
}

async function* startingWith(first: IteratorResult<string | Buffer, void>, rest: Pieces): Pieces {
  if (!first.done) yield first.value;
  yield* rest;
}
