import type { App } from '@halyard/plane/platform/http/app.ts';

const YEAR_SECONDS = 31_536_000;

/** The API sends only data, so a browser that shows a response as a page must neither load nor run anything. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * The API page runs its own two scripts and calls this server. The page's library writes style elements at run time,
 * which a policy without 'unsafe-inline' would block.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Returns the security headers of every response. They are written by hand, because six constant headers need no dependency, and
 * Node's own error responses, which no Fastify plugin can change, need the same headers
 * (platform/http/protection/socket-errors.ts). Nothing is designed to be cached, so responses are `no-store` unless a route says
 * otherwise.
 */
export function securityHeaders(publicUrl: string): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': DATA_POLICY,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // Browsers ignore this header over http, and a host without TLS must not promise it.
    ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` } : {}),
  };
}

/**
 * Adds the security headers. This hook must come before every other hook, so that rejections by other hooks have the headers too.
 */
export function installSecurityHeaders(app: App, headers: Record<string, string>): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
}
