import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../../plane/src/platform/errors.ts';
import { ellipsize } from '../../../plane/src/platform/text.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects a write with a session cookie that does not come from a page of this server. A browser also sends the cookie with
 * requests that other sites cause. The proof is a header that a page cannot set, so a request without one is rejected.
 */
export function requireSameOrigin(request: FastifyRequest, publicUrl: string): void {
  if (!SAFE_METHODS.has(request.method) && !isSameOrigin(request, publicUrl))
    throw otherOrigin(request, publicUrl);
}

/**
 * Rejects requests from pages of other sites. For requests without a cookie: command-line tools send neither header, so they are
 * accepted.
 */
export function rejectOtherOrigins(request: FastifyRequest, publicUrl: string): void {
  const { origin } = request.headers;
  const isFromBrowser = request.headers['sec-fetch-site'] !== undefined || origin !== undefined;
  if (isFromBrowser && !isSameOrigin(request, publicUrl)) throw otherOrigin(request, publicUrl);
}

/**
 * Browsers send Sec-Fetch-Site only to https and localhost. For other servers, Origin decides, which browsers send with every
 * write.
 */
function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return request.headers.origin === new URL(publicUrl).origin;
}

function otherOrigin({ headers }: FastifyRequest, publicUrl: string): ApiError {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const ours = new URL(publicUrl).origin;
  if (site !== undefined)
    return rejected(
      `The request comes from a page of a different site (Sec-Fetch-Site: "${shown(site)}"). Open a page of this server and try again. Scripts need a token instead of a session.`,
    );
  if (origin !== undefined)
    return rejected(
      `The request comes from "${shown(origin)}", but this server's URL is "${ours}". If your browser's address bar shows "${shown(origin)}", ask the operator to set HALYARD_PUBLIC_URL to it. Scripts need a token instead of a session.`,
    );
  return rejected(
    `A write with a session cookie must have the header Sec-Fetch-Site: same-origin, or Origin: ${ours} (HALYARD_PUBLIC_URL). Scripts need a token instead of a session.`,
  );
}

const rejected = (message: string): ApiError => new ApiError('NoAccessError', message);

const shown = (header: string | string[]): string => ellipsize(String(header), 200);
