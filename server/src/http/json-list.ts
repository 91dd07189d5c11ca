import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

const ITEMS_AT_ONCE = 100;

/** Sends an object whose last field is a list of JSON texts, without putting one text of all of them together. */
export function sendJsonList(reply: FastifyReply, head: string, items: string[]): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Readable.from(pieces(head, items)));
}

function* pieces(head: string, items: string[]): Generator<string> {
  yield head;
  for (let from = 0; from < items.length; from += ITEMS_AT_ONCE) {
    yield (from === 0 ? '' : ',') + items.slice(from, from + ITEMS_AT_ONCE).join(',');
  }
  yield ']}';
}
