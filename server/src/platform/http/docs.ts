import { readFile } from 'node:fs/promises';
import Fastify from 'fastify';
import { IS_PACKAGE, locate } from '../files.ts';
import type { App } from './app.ts';
import { PAGE_POLICY } from './headers.ts';

const HIDDEN = { schema: { hide: true } };

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <title>Halyard API</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
  </head>
  <body>
    <div id="app"></div>
    <script src="js/scalar.js"></script>
    <script src="js/start.js"></script>
  </body>
</html>
`;

const CONFIGURATION = {
  pageTitle: 'Halyard API',
  hideClientButton: true,
  withDefaultFonts: false,
  telemetry: false,
  // Services of the library's maker, which would send data away from this server.
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
};

/**
 * The library fills the form of an operation with every example, so the first request of a search would carry every
 * filter. The examples move into the descriptions, where a reader still sees them.
 */
const START = `'use strict';
(async () => {
  const content = await (await fetch('./openapi.json')).json();
  const operations = Object.values(content.paths).flatMap(path => Object.values(path));
  const own = operations.flatMap(operation => operation.parameters ?? []);
  for (const parameter of [...own, ...Object.values(content.components.parameters)]) {
    if (parameter.example === undefined) continue;
    parameter.description = (parameter.description ?? '') + '\\n\\nExample: \`' + parameter.example + '\`';
    delete parameter.example;
  }
  // The server that gave out the page, whichever of its addresses the reader used.
  content.servers = [{ url: new URL('..', location.href).href.replace(/\\/$/, '') }];
  Scalar.createApiReference('#app', { ...${JSON.stringify(CONFIGURATION)}, content });
})();
`;

/** The document at /docs/openapi.json, and a page to read and try it at /docs/. */
export function docsRoutes(app: App): void {
  app.get('/docs/openapi.json', HIDDEN, () => app.swagger());

  // Scripts come from this server only and none is inline, so that the policy can forbid inline ones.
  app.get('/docs', HIDDEN, (request, reply) =>
    // The addresses in the page are relative to /docs/.
    request.url.split('?')[0] === '/docs'
      ? reply.redirect('/docs/')
      : reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(PAGE),
  );

  app.get('/docs/js/start.js', HIDDEN, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(START),
  );

  let script: Promise<Buffer> | undefined;
  app.get('/docs/js/scalar.js', HIDDEN, async (_request, reply) => {
    // On the first request: the library takes 150 ms to load, which a restart need not wait for.
    script ??= IS_PACKAGE ? readFile(locate('apiPage')) : readLibrary();
    return reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .send(await script);
  });
}

/** The library has its script as a string of 4 MB and shows it only through a route. */
export async function readLibrary(): Promise<Buffer> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const inner = Fastify();
  await inner.register(reference, { routePrefix: '/docs', configuration: { url: './openapi.json' } });
  const { rawPayload } = await inner.inject('/docs/js/scalar.js');
  return rawPayload;
}
