import { readFile } from 'node:fs/promises';
import type { App } from '@halyard/plane/platform/http/app.ts';
import Fastify from 'fastify';
import { IS_PACKAGE, locate } from '../../files.ts';
import { PAGE_POLICY } from '../output/headers.ts';
import { type StoredFile, sendFile, storeFile } from '../output/stored-file.ts';

const HIDDEN_ROUTE = { schema: { hide: true } };

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
  // Disables services of the library's vendor, which would send data to other servers.
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
};

/**
 * The library prefills an operation's form with its examples, so a search that somebody tries would set every filter. The script
 * moves the examples into the descriptions, where a reader still sees them.
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
  // The server that sent the page, at the URL that the reader used.
  content.servers = [{ url: new URL('..', location.href).href.replace(/\\/$/, '') }];
  Scalar.createApiReference('#app', { ...${JSON.stringify(CONFIGURATION)}, content });
})();
`;

/** The browser revalidates before each use and gets 304 while nothing has changed. */
const REVALIDATE = 'no-cache';

/**
 * Serves the API document at /docs/openapi.json, and a page for reading it and trying operations at /docs/. Each file is read and
 * compressed on its first request, so that startup does not wait for it and later requests, even for the 4 MB script, are cheap.
 */
export function docsRoutes(app: App): void {
  const script = 'text/javascript; charset=utf-8';
  // Sends the committed document, because building a new one would block the server for a second.
  const document = storeOnce('application/json; charset=utf-8', () => readFile(locate('apiDocument')));
  app.get('/docs/openapi.json', HIDDEN_ROUTE, async (request, reply) =>
    sendFile(request, reply, await document(), REVALIDATE),
  );

  // All scripts come from this server and none is inline, so that the policy can forbid inline scripts.
  const page = storeOnce('text/html; charset=utf-8', () => PAGE);
  app.get('/docs', HIDDEN_ROUTE, async (request, reply) =>
    // The URLs in the page are relative to /docs/.
    request.url.split('?')[0] === '/docs'
      ? reply.redirect('/docs/')
      : sendFile(request, reply.header('content-security-policy', PAGE_POLICY), await page(), REVALIDATE),
  );

  const start = storeOnce(script, () => START);
  app.get('/docs/js/start.js', HIDDEN_ROUTE, async (request, reply) =>
    sendFile(request, reply, await start(), REVALIDATE),
  );

  const library = storeOnce(script, () => (IS_PACKAGE ? readFile(locate('apiPage')) : readLibrary()));
  app.get('/docs/js/scalar.js', HIDDEN_ROUTE, async (request, reply) =>
    sendFile(request, reply, await library(), 'public, max-age=3600'),
  );
}

/** Creates the file on the first request. If that fails, the next request retries. */
function storeOnce(
  contentType: string,
  make: () => string | Buffer | Promise<Buffer>,
): () => Promise<StoredFile> {
  let storedFile: Promise<StoredFile> | undefined;
  return () => {
    storedFile ??= Promise.resolve()
      .then(make)
      .then(content => storeFile(contentType, content))
      .catch(error => {
        storedFile = undefined;
        throw error;
      });
    return storedFile;
  };
}

/** Reads the library's script, a 4 MB string that the library exposes only through a route. */
export async function readLibrary(): Promise<Buffer> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const innerApp = Fastify();
  await innerApp.register(reference, { routePrefix: '/docs', configuration: { url: './openapi.json' } });
  const { rawPayload } = await innerApp.inject('/docs/js/scalar.js');
  return rawPayload;
}
