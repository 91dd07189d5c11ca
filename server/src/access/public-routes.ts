/** The only routes that need no authentication. */
export const PUBLIC_ROUTES: ReadonlySet<string> = new Set([
  '/',
  '/assets/*',
  '/help',
  '/help/*',
  '/health',
  '/ready',
  '/internal-backstage/prometheus',
  '/internal-backstage/impact/metrics',
  '/docs',
  '/docs/js/scalar.js',
  '/docs/js/start.js',
  '/docs/openapi.json',
  '/auth/methods',
  '/auth/simple/login',
  '/logout',
  '/auth/oidc/login',
  '/auth/oidc/callback',
  '/auth/oidc/logout',
  '/auth/reset/validate',
  '/auth/reset/password',
  '/auth/reset/password-email',
  '/auth/reset/validate-password',
  '/invite/:token/validate',
  '/invite/:token/signup',
]);

/** Anyone can send these bodies, and no rate limit counts them. A password has at most 1,000 characters. */
export const PUBLIC_BODY_LIMIT_BYTES = 16_384;
