import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STATUS, toApiError } from '../../platform/http/output/error-body.ts';
import type { Responder } from '../client-api/responses.ts';

type Log = { error: (fields: object, message: string) => void };

/** The error codes of the protocol, by status. */
const CODES: Record<number, string> = { 400: 'INVALID_CONTEXT', 404: 'FLAG_NOT_FOUND' };

/** Responds in the protocol's error format: a code and details, and the key of a single flag. */
export function makeOfrepErrors(responder: Responder, log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const id = randomUUID();
    const rejection = toApiError(error, request, id);
    const status = STATUS[rejection.name];
    if (status === 500) log.error({ err: error, errorId: id }, 'SDK request failed');
    // A path that the router rejects has no parameters.
    const { key } = (request.params ?? {}) as { key?: string };
    const isParsed = request.body !== undefined;
    const errorCode = status === 400 && !isParsed ? 'PARSE_ERROR' : (CODES[status] ?? 'GENERAL');
    const errorDetails = rejection.details.map(({ message }) => message).join('; ');
    const body = JSON.stringify({ ...(key === undefined ? {} : { key }), errorCode, errorDetails });
    const retryAfter = rejection.retryAfter ?? (status === 503 ? 2 : undefined);
    responder.send(reply, request.routeOptions.config.sdkOperation ?? 'other', status, Buffer.from(body), [
      'content-type',
      'application/json; charset=utf-8',
      ...(retryAfter === undefined ? [] : ['retry-after', String(retryAfter)]),
      // The connection still has unread body bytes.
      ...(request.raw.complete ? [] : ['connection', 'close']),
    ]);
  };
}
