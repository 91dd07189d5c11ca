/** Everything that answers without a token. Nothing else does. */
export const PUBLIC_ROUTES: ReadonlySet<string> = new Set([
  '/',
  '/health',
  '/ready',
  '/internal-backstage/prometheus',
  '/docs',
  '/docs/js/scalar.js',
  '/docs/openapi.json',
]);
