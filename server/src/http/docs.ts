import Fastify, { type FastifyInstance } from 'fastify';
import type { App } from './app.ts';

const HIDDEN = { schema: { hide: true } };

/** The document at /docs/openapi.json, and a page to read and try it at /docs/. */
export function docsRoutes(app: App): void {
  app.get('/docs/openapi.json', HIDDEN, () => app.swagger());

  app.get('/', HIDDEN, (_request, reply) => reply.redirect('/docs/'));

  const page = { loaded: undefined as Promise<FastifyInstance> | undefined };
  for (const path of ['/docs', '/docs/js/scalar.js']) {
    app.get(path, HIDDEN, async (request, reply) => {
      page.loaded ??= loadPage();
      const { statusCode, headers, rawPayload } = await (await page.loaded).inject(request.url);
      return reply.code(statusCode).headers(headers).send(rawPayload);
    });
  }
}

/** Loaded when first asked for: its script is a string of 4 MB, 150 ms that a restart need not wait for. */
async function loadPage(): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const inner = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
  await inner.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: './openapi.json',
      pageTitle: 'Halyard API',
      hideClientButton: true,
      withDefaultFonts: false,
      telemetry: false,
      // What the page offers of its maker's services, which would leave this server.
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
    },
  });
  return inner;
}
