import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorBody } from '@halyard/plane/platform/http/output/error-body.ts';
import { truncate } from '@halyard/plane/platform/text.ts';
import type { ConnectionError, FastifyServerOptions } from 'fastify';

const RESPONSES: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers are larger than this server accepts.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};

type ClientErrorHandler = NonNullable<FastifyServerOptions['clientErrorHandler']>;

/** Creates a handler for input that Node rejects before there is a request. Responds in the usual error format, with these headers. */
export function clientErrorHandler(headers: Record<string, string>): ClientErrorHandler {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
    const [status, message] = RESPONSES[(error as ConnectionError).code] ?? [
      '400 Bad Request',
      'The request is not valid HTTP.',
    ];
    const body = JSON.stringify(errorBody(new ApiError('BadDataError', message), randomUUID()));
    socket.end(
      [
        `HTTP/1.1 ${status}`,
        'content-type: application/json; charset=utf-8',
        `content-length: ${Buffer.byteLength(body)}`,
        ...lines,
        'connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  };
}

/** Responds to a request with an unknown `Expect`, which Node rejects without a body. */
export function installExpectations(app: App, headers: Record<string, string>): void {
  app.server.on(
    'checkExpectation',
    ({ headers: { expect = '' } }: IncomingMessage, response: ServerResponse) => {
      const message = `The expectation "${truncate(expect, 100)}" is not supported. Omit the Expect header.`;
      const body = JSON.stringify(errorBody(new ApiError('BadDataError', message), randomUUID()));
      // The body of the request is not read.
      const fields = { 'content-type': 'application/json; charset=utf-8', ...headers, connection: 'close' };
      response.writeHead(417, fields).end(body);
    },
  );
}

/** Rejects a request with several Host headers, because a proxy in front of the server may have used a different one. */
export const rejectMultipleHosts =
  (headers: Record<string, string>) =>
  ({ rawHeaders }: IncomingMessage, response: ServerResponse): boolean => {
    let hostCount = 0;
    for (let index = 0; index < rawHeaders.length; index += 2)
      if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hostCount++;
    if (hostCount < 2) return false;
    const message = `The request has ${hostCount} Host headers. Send exactly one.`;
    const body = JSON.stringify(errorBody(new ApiError('BadDataError', message), randomUUID()));
    const fields = { 'content-type': 'application/json; charset=utf-8', ...headers, connection: 'close' };
    response.writeHead(400, fields).end(body);
    return true;
  };
