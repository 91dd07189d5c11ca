import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../platform/errors.ts';
import { acceptedEncoding, type Encoding } from '../platform/http/accept-encoding.ts';
import { acceptsPages } from '../platform/http/accepts-pages.ts';
import type { App } from '../platform/http/app.ts';
import { hasEntityTag } from '../platform/http/entity-tag.ts';
import type { ConsoleFile, ConsoleFiles } from './files.ts';
import { CONSOLE_POLICY } from './policy.ts';

/** Paths that are never pages of the console. An unknown path below them is a JSON 404. */
const API_PATH = /^\/(api|auth|edge|docs|assets|health|ready|logout|internal-backstage)(?=\/|$)/;

/** Vite writes the hash of the content into these names, so a file never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** The browser asks before each use and gets 304 while nothing has changed. */
const REVALIDATED = 'no-cache';

const HIDDEN = { schema: { hide: true } };

export function consoleRoutes(app: App, loaded: ConsoleFiles): void {
  app.get('/', HIDDEN, (request, reply) => sendPage(request, reply, loaded));

  app.get('/assets/*', HIDDEN, (request, reply) => {
    const { '*': name } = request.params as { '*': string };
    const file = loaded.files.get(`assets/${name}`);
    if (!file) throw notFound(`GET ${pathOf(request).slice(0, 200)}`);
    return sendFile(request, reply, file, IMMUTABLE);
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
  if (file) return sendFile(request, reply, file, REVALIDATED);
  return acceptsPages(request) ? sendPage(request, reply, loaded) : undefined;
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? '';

/** The one page of the console: the script in it shows what belongs to the path. */
function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { files, problem = '' }: ConsoleFiles,
): FastifyReply {
  const page = files.get('index.html');
  if (page) return sendFile(request, reply.header('vary', 'accept'), page, REVALIDATED);
  return reply
    .code(404)
    .header('content-security-policy', CONSOLE_POLICY)
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>\n<html lang="en">\n<title>Halyard</title>\n<p>${problem}</p>\n</html>\n`);
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ConsoleFile,
  cacheControl: string,
): FastifyReply {
  const encodings = Object.keys(file.encoded) as Encoding[];
  const encoding = acceptedEncoding(headerText(request.headers['accept-encoding']), encodings);
  const copy = (encoding && file.encoded[encoding]) ?? file.plain;
  reply.headers({ 'cache-control': cacheControl, etag: copy.etag });
  if (encodings.length > 0) reply.header('vary', varyWith(reply));
  if (file.contentType.startsWith('text/html')) reply.header('content-security-policy', CONSOLE_POLICY);
  if (hasEntityTag(request.headers['if-none-match'], copy.etag)) return reply.code(304).send();
  if (encoding) reply.header('content-encoding', encoding);
  return reply.type(file.contentType).send(copy.bytes);
}

const headerText = (value: string | string[] | undefined): string | undefined => value?.toString();

const varyWith = (reply: FastifyReply): string =>
  [reply.getHeader('vary'), 'accept-encoding'].filter(name => name !== undefined).join(', ');
