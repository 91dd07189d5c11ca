/** Everything that answers without a token. Nothing else does. */
export const PUBLIC_ROUTES: ReadonlySet<string> = new Set([
  '/',
  '/health',
  '/ready',
  '/internal-backstage/prometheus',
  '/docs',
  '/docs/js/scalar.js',
  '/docs/openapi.json',
  '/auth/simple/login',
  '/logout',
  '/auth/reset/validate',
  '/auth/reset/password',
  '/auth/reset/password-email',
  '/auth/reset/validate-password',
  '/invite/:token/validate',
  '/invite/:token/signup',
]);
