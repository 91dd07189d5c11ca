import { ApiError } from '@halyard/plane/platform/errors.ts';
import { ellipsize } from '@halyard/plane/platform/text.ts';
import type { FastifyRequest } from 'fastify';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects a write with a session cookie unless it comes from a page of this server, because browsers also send the cookie with
 * requests that other sites cause. Only a header that pages cannot set proves where a request comes from, so a request without
 * such a header is rejected too.
 */
export function requireSameOrigin(request: FastifyRequest, publicUrl: string): void {
  if (!SAFE_METHODS.has(request.method) && !isSameOrigin(request, publicUrl))
    throw originError(request, publicUrl);
}

/**
 * Rejects requests from pages of other sites, for routes that need no cookie. Requests of command-line tools are accepted, because
 * they have neither Sec-Fetch-Site nor Origin.
 */
export function rejectOtherOrigins(request: FastifyRequest, publicUrl: string): void {
  const { origin } = request.headers;
  const isFromBrowser = request.headers['sec-fetch-site'] !== undefined || origin !== undefined;
  if (isFromBrowser && !isSameOrigin(request, publicUrl)) throw originError(request, publicUrl);
}

/**
 * Returns whether a request comes from a page of this server. Browsers send Sec-Fetch-Site only to https URLs and localhost. For
 * other URLs, the Origin header decides, because browsers send it with every write.
 */
function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return request.headers.origin === new URL(publicUrl).origin;
}

function originError({ headers }: FastifyRequest, publicUrl: string): ApiError {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const ownOrigin = new URL(publicUrl).origin;
  if (site !== undefined)
    return rejection(
      `The request comes from a page of a different site (Sec-Fetch-Site: "${shorten(site)}"). Open a page of this server and try again. Scripts need a token instead of a session.`,
    );
  if (origin !== undefined)
    return rejection(
      `The request comes from "${shorten(origin)}", but this server's URL is "${ownOrigin}". If your browser's address bar shows "${shorten(origin)}", ask the operator to set HALYARD_PUBLIC_URL to it. Scripts need a token instead of a session.`,
    );
  return rejection(
    `A write with a session cookie must have the header Sec-Fetch-Site: same-origin, or Origin: ${ownOrigin} (HALYARD_PUBLIC_URL). Scripts need a token instead of a session.`,
  );
}

const rejection = (message: string): ApiError => new ApiError('NoAccessError', message);

const shorten = (header: string | string[]): string => ellipsize(String(header), 200);
