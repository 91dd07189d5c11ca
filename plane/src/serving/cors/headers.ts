import type { FastifyReply, FastifyRequest } from 'fastify';

/** A browser sends a preflight request once a day. */
const MAX_AGE_S = 86_400;
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]{1,2000}$/;

/**
 * Lets pages from allowed origins read every response, including errors. They need the ETag: without it, a browser SDK never gets
 * 304.
 */
export function setCorsHeaders(
  origins: readonly string[],
  { headers }: FastifyRequest,
  { raw }: FastifyReply,
): void {
  const isOpen = origins.includes('*');
  // Appended, because responses also vary by encoding.
  if (!isOpen) raw.appendHeader('vary', 'origin');
  const { origin } = headers;
  const allowedOrigin = isOpen ? '*' : origins.find(candidate => candidate === origin);
  if (allowedOrigin === undefined) return;
  raw.setHeader('access-control-allow-origin', allowedOrigin);
  raw.setHeader('access-control-expose-headers', 'etag, halyard-age, retry-after');
}

/** The additional headers of a response to a preflight request. */
export function preflightHeaders({ headers }: FastifyRequest): string[] {
  const requestedHeaders = String(headers['access-control-request-headers'] ?? '');
  return [
    'access-control-allow-methods',
    'GET, POST, OPTIONS',
    ...(HEADER_NAMES.test(requestedHeaders) ? ['access-control-allow-headers', requestedHeaders] : []),
    'access-control-max-age',
    String(MAX_AGE_S),
  ];
}
