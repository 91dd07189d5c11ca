import type { FastifyRequest } from 'fastify';
import { ApiError } from '../platform/errors.ts';

const HARMLESS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A browser sends the cookie along with requests that other sites cause. So one that changes something must prove that a
 * page of ours made it, by headers that a page cannot set: a request that has neither of them is refused.
 */
export function needsOwnPage(request: FastifyRequest, publicUrl: string): void {
  if (!HARMLESS.has(request.method) && !isFromOwnPage(request, publicUrl)) throw foreign();
}

/** For requests that carry no cookie but set one, which tools send without either header: refuses other sites' pages. */
export function refusesOtherSites(request: FastifyRequest, publicUrl: string): void {
  const { origin } = request.headers;
  const told = request.headers['sec-fetch-site'] !== undefined || origin !== undefined;
  if (told && !isFromOwnPage(request, publicUrl)) throw foreign();
}

/** Browsers send Sec-Fetch-Site to https and localhost; elsewhere Origin decides, on every request but a GET. */
function isFromOwnPage(request: FastifyRequest, publicUrl: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return request.headers.origin === new URL(publicUrl).origin;
}

const foreign = (): ApiError =>
  new ApiError(
    'NoAccessError',
    'A request with a session must come from a page of this server (Sec-Fetch-Site: same-origin, or Origin equal to HALYARD_PUBLIC_URL). Programs use a token.',
  );
