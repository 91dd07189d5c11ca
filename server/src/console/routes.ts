import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../../plane/src/platform/errors.ts';
import type { App } from '../../../plane/src/platform/http/app.ts';
import { acceptsPages } from '../platform/http/output/accepts-pages.ts';
import { type StoredFile, sendFile } from '../platform/http/output/stored-file.ts';
import type { ConsoleFiles } from './files.ts';
import { CONSOLE_POLICY } from './policy.ts';

/** Paths that are never pages of the console. An unknown path below them is a JSON 404. */
const API_PATH = /^\/(api|auth|edge|docs|help|assets|health|ready|logout|mcp|internal-backstage)(?=\/|$)/;

/** Vite writes the hash of the content into these names, so a file never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** The browser revalidates before each use and gets 304 while nothing has changed. */
const REVALIDATED = 'no-cache';

const HIDDEN = { schema: { hide: true } };

export function consoleRoutes(app: App, loaded: ConsoleFiles): void {
  app.get('/', HIDDEN, (request, reply) => sendPage(request, reply, loaded));

  app.get('/assets/*', HIDDEN, (request, reply) => {
    const { '*': name } = request.params as { '*': string };
    const file = loaded.files.get(`assets/${name}`);
    if (!file) throw notFound(`GET ${pathOf(request).slice(0, 200)}`);
    return sendConsoleFile(request, reply, file, IMMUTABLE);
  });
}

/** For the handler of unknown paths: sends a page or a file of the console. Returns undefined if the request is for neither. */
export function sendConsole(
  request: FastifyRequest,
  reply: FastifyReply,
  loaded: ConsoleFiles,
): FastifyReply | undefined {
  const path = pathOf(request);
  if (!['GET', 'HEAD'].includes(request.method) || API_PATH.test(path)) return undefined;
  const file = loaded.files.get(path.slice(1));
  if (file) return sendConsoleFile(request, reply, file, REVALIDATED);
  return acceptsPages(request) ? sendPage(request, reply, loaded) : undefined;
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? '';

/** The console's single page, whose script renders the view for the path. */
function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { files, problem = '' }: ConsoleFiles,
): FastifyReply {
  const page = files.get('index.html');
  if (page) return sendConsoleFile(request, reply.header('vary', 'accept'), page, REVALIDATED);
  return reply
    .code(404)
    .header('content-security-policy', CONSOLE_POLICY)
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>\n<html lang="en">\n<title>Halyard</title>\n<p>${problem}</p>\n</html>\n`);
}

/** Sends a file of the console. Only pages need its content security policy. */
function sendConsoleFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
  cacheControl: string,
): FastifyReply {
  if (file.contentType.startsWith('text/html')) reply.header('content-security-policy', CONSOLE_POLICY);
  return sendFile(request, reply, file, cacheControl);
}
