import { notFound } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsPages } from '../platform/http/output/accepts-pages.ts';
import { type StoredFile, sendFile } from '../platform/http/output/stored-file.ts';
import type { ConsoleFiles } from './files.ts';
import { CONSOLE_POLICY } from './policy.ts';

/** Paths that are never pages of the console. An unknown path below one of them returns a JSON 404. */
const API_PATH = /^\/(api|auth|edge|docs|help|assets|health|ready|logout|mcp|internal-backstage)(?=\/|$)/;

/** Vite puts a content hash into these file names, so a file never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** The browser checks before each use whether the file has changed. If not, the server returns 304. */
const REVALIDATE = 'no-cache';

const HIDDEN = { schema: { hide: true } };

export function consoleRoutes(app: App, consoleFiles: ConsoleFiles): void {
  app.get('/', HIDDEN, (request, reply) => sendPage(request, reply, consoleFiles));

  app.get('/assets/*', HIDDEN, (request, reply) => {
    const { '*': name } = request.params as { '*': string };
    const file = consoleFiles.files.get(`assets/${name}`);
    if (!file) throw notFound(`GET ${getPath(request).slice(0, 200)}`);
    return sendConsoleFile(request, reply, file, IMMUTABLE);
  });
}

/** Sends a console page or file from the handler of unknown paths. Returns undefined if the request is for neither. */
export function sendConsole(
  request: FastifyRequest,
  reply: FastifyReply,
  consoleFiles: ConsoleFiles,
): FastifyReply | undefined {
  const path = getPath(request);
  if (!['GET', 'HEAD'].includes(request.method) || API_PATH.test(path)) return undefined;
  const file = consoleFiles.files.get(path.slice(1));
  if (file) return sendConsoleFile(request, reply, file, REVALIDATE);
  return acceptsPages(request) ? sendPage(request, reply, consoleFiles) : undefined;
}

const getPath = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? '';

/** Sends the console's only HTML page, in which a script renders the view for the path. */
function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { files, problem = '' }: ConsoleFiles,
): FastifyReply {
  const page = files.get('index.html');
  if (page) return sendConsoleFile(request, reply.header('vary', 'accept'), page, REVALIDATE);
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
