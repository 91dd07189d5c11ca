import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import type { ServingState } from '../state/serving.ts';
import type { CountRequest, Operation } from './metrics.ts';

/** A stalled client holds a connection, not a body: all clients of a scope share one. */
const STALLED_AFTER_MS = 10_000;
/** A state younger than this is current, because it is refreshed every second. */
const AGE_SHOWN_AFTER_S = 5;
/** A client may store the body, but must revalidate it each time. */
const CACHING = 'private, no-cache';
const NONE: string[] = [];

export type Responder = {
  notModified: (reply: FastifyReply, operation: Operation, etag: string, vary?: string) => void;
  send: (reply: FastifyReply, operation: Operation, status: number, body: Buffer, headers?: string[]) => void;
  /** The headers that every response has. */
  commonHeaders: () => string[];
  /** From now on every response asks the client to close its connection. */
  close: () => void;
};

/** Writes responses without Fastify's reply: all headers in one list, with a known length and the body in one buffer. */
export function makeResponder(
  state: ServingState,
  count: CountRequest,
  securityHeaders: Record<string, string>,
): Responder {
  const { 'cache-control': _, ...others } = securityHeaders;
  const constant = Object.entries(others).flat();
  let closing = false;

  const dynamic = (): string[] => {
    const { age = 0, asOf } = state;
    if (age <= AGE_SHOWN_AFTER_S && asOf === undefined && !closing) return NONE;
    return [
      ...(age > AGE_SHOWN_AFTER_S ? ['halyard-age', String(Math.floor(age))] : []),
      ...(asOf === undefined ? [] : ['halyard-snapshot', asOf]),
      ...(closing ? ['connection', 'close'] : []),
    ];
  };

  return {
    notModified: (reply, operation, etag, vary = 'accept-encoding') => {
      count(operation, 304);
      const headers = ['etag', etag, 'cache-control', CACHING, 'vary', vary];
      const others = dynamic();
      reply
        .hijack()
        .raw.writeHead(304, others === NONE ? headers : headers.concat(others))
        .end();
    },
    send: (reply, operation, status, body, headers = []) => {
      const { raw } = reply.hijack();
      count(operation, status);
      raw
        .writeHead(status, [
          'content-length',
          String(body.length),
          ...(status < 300 ? ['cache-control', CACHING] : ['cache-control', 'no-store']),
          ...headers,
          ...constant,
          ...dynamic(),
        ])
        .end(body);
      cutOffWhenStalled(raw);
    },
    commonHeaders: () => [...constant, ...dynamic()],
    close: () => {
      closing = true;
    },
  };
}

function cutOffWhenStalled(raw: ServerResponse): void {
  const { socket } = raw;
  // Almost every body fits into the operating system's buffers, so the timer is rarely needed.
  if (!(socket instanceof Socket) || socket.writableLength === 0) return;
  raw.setTimeout(STALLED_AFTER_MS, () => raw.destroy());
}
