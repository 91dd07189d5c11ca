import { readFile } from 'node:fs/promises';
import Fastify from 'fastify';
import type { App } from '../../../../../plane/src/platform/http/app.ts';
import { IS_PACKAGE, locate } from '../../files.ts';
import { PAGE_POLICY } from '../output/headers.ts';
import { type StoredFile, sendFile, storeFile } from '../output/stored-file.ts';

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
  // Services of the library's vendor, which would send data away from this server.
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
  // The server that sent the page, whichever of its URLs the reader used.
  content.servers = [{ url: new URL('..', location.href).href.replace(/\\/$/, '') }];
  Scalar.createApiReference('#app', { ...${JSON.stringify(CONFIGURATION)}, content });
})();
`;

/** The browser revalidates before each use and gets 304 while nothing has changed. */
const REVALIDATED = 'no-cache';

/**
 * The document at /docs/openapi.json, and a page to read and try it at /docs/. Each file is read and compressed at its first
 * request, so that a restart does not wait for it, and further requests for the 4 MB cost little.
 */
export function docsRoutes(app: App): void {
  const script = 'text/javascript; charset=utf-8';
  // The committed document rather than a new one, because building it blocks the server for a second.
  const document = storedOnce('application/json; charset=utf-8', () => readFile(locate('apiDocument')));
  app.get('/docs/openapi.json', HIDDEN, async (request, reply) =>
    sendFile(request, reply, await document(), REVALIDATED),
  );

  // Scripts come from this server only and none is inline, so that the policy can forbid inline ones.
  const page = storedOnce('text/html; charset=utf-8', () => PAGE);
  app.get('/docs', HIDDEN, async (request, reply) =>
    // The URLs in the page are relative to /docs/.
    request.url.split('?')[0] === '/docs'
      ? reply.redirect('/docs/')
      : sendFile(request, reply.header('content-security-policy', PAGE_POLICY), await page(), REVALIDATED),
  );

  const start = storedOnce(script, () => START);
  app.get('/docs/js/start.js', HIDDEN, async (request, reply) =>
    sendFile(request, reply, await start(), REVALIDATED),
  );

  const library = storedOnce(script, () => (IS_PACKAGE ? readFile(locate('apiPage')) : readLibrary()));
  app.get('/docs/js/scalar.js', HIDDEN, async (request, reply) =>
    sendFile(request, reply, await library(), 'public, max-age=3600'),
  );
}

/** Creates the file at the first request, and again after a failure. */
function storedOnce(
  contentType: string,
  make: () => string | Buffer | Promise<Buffer>,
): () => Promise<StoredFile> {
  let stored: Promise<StoredFile> | undefined;
  return () => {
    stored ??= Promise.resolve()
      .then(make)
      .then(content => storeFile(contentType, content))
      .catch(error => {
        stored = undefined;
        throw error;
      });
    return stored;
  };
}

/** The library contains its script as a 4 MB string, and exposes it only through a route. */
export async function readLibrary(): Promise<Buffer> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const inner = Fastify();
  await inner.register(reference, { routePrefix: '/docs', configuration: { url: './openapi.json' } });
  const { rawPayload } = await inner.inject('/docs/js/scalar.js');
  return rawPayload;
}
