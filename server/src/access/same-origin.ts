import type { FastifyRequest } from 'fastify';
import { ApiError } from '../platform/errors.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects a write with a session cookie that does not come from a page of this server. A browser also sends the cookie with
 * requests that other sites cause. The proof is a header that a page cannot set, so a request without one is rejected.
 */
export function requireSameOrigin(request: FastifyRequest, publicUrl: string): void {
  if (!SAFE_METHODS.has(request.method) && !isSameOrigin(request, publicUrl)) throw otherOrigin();
}

/** Rejects pages of other sites. For requests without a cookie, which command-line tools send with neither header. */
export function rejectOtherOrigins(request: FastifyRequest, publicUrl: string): void {
  const { origin } = request.headers;
  const isFromBrowser = request.headers['sec-fetch-site'] !== undefined || origin !== undefined;
  if (isFromBrowser && !isSameOrigin(request, publicUrl)) throw otherOrigin();
}

/** Browsers send Sec-Fetch-Site to https and localhost. On other servers Origin decides, which every write has. */
function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return request.headers.origin === new URL(publicUrl).origin;
}

const otherOrigin = (): ApiError =>
  new ApiError(
    'NoAccessError',
    'A request with a session must come from a page of this server (Sec-Fetch-Site: same-origin, or Origin equal to HALYARD_PUBLIC_URL). Programs use a token.',
  );
