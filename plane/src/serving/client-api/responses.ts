import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import type { ServingState } from '../state/serving.ts';
import type { CountRequest, Operation } from './metrics.ts';

/** A stalled client holds only a connection, because all clients of a scope share one body. */
const STALLED_AFTER_MS = 10_000;
/** A state younger than this is current, because it is refreshed every second. */
const MIN_SHOWN_AGE_S = 5;
/** A client may store the body, but must revalidate it each time. */
const CACHING = 'private, no-cache';
const NO_HEADERS: string[] = [];

export type Responder = {
  notModified: (reply: FastifyReply, operation: Operation, etag: string, vary?: string) => void;
  send: (reply: FastifyReply, operation: Operation, status: number, body: Buffer, headers?: string[]) => void;
  /** The headers that every response has. */
  commonHeaders: () => string[];
  /** Makes every further response ask the client to close its connection. */
  close: () => void;
};

/** Writes responses without Fastify's reply: all headers in one list, with a known length and the body in one buffer. */
export function makeResponder(
  state: ServingState,
  count: CountRequest,
  securityHeaders: Record<string, string>,
): Responder {
  const { 'cache-control': _, ...otherHeaders } = securityHeaders;
  const constantHeaders = Object.entries(otherHeaders).flat();
  let isClosing = false;

  const dynamicHeaders = (): string[] => {
    const { age = 0, copyTakenAt } = state;
    if (age <= MIN_SHOWN_AGE_S && copyTakenAt === undefined && !isClosing) return NO_HEADERS;
    return [
      ...(age > MIN_SHOWN_AGE_S ? ['halyard-age', String(Math.floor(age))] : []),
      ...(copyTakenAt === undefined ? [] : ['halyard-snapshot', copyTakenAt]),
      ...(isClosing ? ['connection', 'close'] : []),
    ];
  };

  return {
    notModified: (reply, operation, etag, vary = 'accept-encoding') => {
      count(operation, 304);
      const headers = ['etag', etag, 'cache-control', CACHING, 'vary', vary];
      const extraHeaders = dynamicHeaders();
      reply
        .hijack()
        .raw.writeHead(304, extraHeaders === NO_HEADERS ? headers : headers.concat(extraHeaders))
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
          ...constantHeaders,
          ...dynamicHeaders(),
        ])
        .end(body);
      cutOffWhenStalled(raw);
    },
    commonHeaders: () => [...constantHeaders, ...dynamicHeaders()],
    close: () => {
      isClosing = true;
    },
  };
}

function cutOffWhenStalled(raw: ServerResponse): void {
  const { socket } = raw;
  // Almost every body fits into the operating system's buffers, so the timer is rarely needed.
  if (!(socket instanceof Socket) || socket.writableLength === 0) return;
  raw.setTimeout(STALLED_AFTER_MS, () => raw.destroy());
}
