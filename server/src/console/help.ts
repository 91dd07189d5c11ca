import { open, readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { chooseEncoding } from '@halyard/plane/platform/http/output/accept-encoding.ts';
import { hasEntityTag } from '@halyard/plane/platform/http/output/entity-tag.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { version } from '../platform/command-line.ts';
import { locate } from '../platform/files.ts';
import { addVary } from '../platform/http/output/stored-file.ts';
import { CONTENT_TYPES } from './content-types.ts';

export const HELP_FOLDER = fileURLToPath(locate('help'));
const DOCS_FOLDER = fileURLToPath(locate('docs'));

/** The manual of this version: the ETag of each file by path, and the content security policy of its pages. */
export type Help = { folder: string; etags: ReadonlyMap<string, string>; policy: string };

/** The limit for the folder. The manual has about 1,000 files, so a larger folder cannot be the manual. */
const MAX_FILES = 5_000;

/** Astro puts a content hash into these file names. */
const IMMUTABLE = /^_astro\//;
/** The path of a page, such as `/reference/projects/`. It cannot leave the folder, because it contains no dots. */
const PAGE_PATH = /^\/((?:[a-z\d-]+\/)?[a-z\d-]+)\/?$/;
const HIDDEN = { schema: { hide: true } };

/** Lists the files, which stay on disk because they take up 20 MB. Returns undefined if the manual is not built. */
export async function loadHelp(folder = HELP_FOLDER): Promise<Help | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)));
  const isBuilt = ['index.html', '404.html', 'inline-scripts.json'].every(path => paths.includes(path));
  if (!isBuilt || paths.length > MAX_FILES) return undefined;
  const etags = new Map<string, string>();
  // Without the version, a changed page of the same size could look unchanged, because some installers give every file the same
  // modification time.
  const release = version();
  for (const path of paths) {
    const { size, mtimeMs } = await stat(join(folder, path));
    etags.set(path, `"${release}-${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`);
  }
  const scripts: string[] = JSON.parse(await readFile(join(folder, 'inline-scripts.json'), 'utf8'));
  return { folder, etags, policy: buildPolicy(scripts) };
}

/** Returns the policy for pages that load nothing from other origins. Starlight's inline scripts are allowed by their hashes. */
const buildPolicy = (scripts: string[]): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${scripts.map(hash => `'sha256-${hash}'`).join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

export function helpRoutes(app: App, help: Help | undefined): void {
  const sendFile = async (request: FastifyRequest, reply: FastifyReply) => {
    // Reads the path from the URL, because the router ignores a trailing slash.
    const path = decodeURIComponent(request.url.split('?', 1)[0] ?? '').slice('/help'.length);
    if (!help) return (await sendSource(reply, path)) ?? sendMissing(reply);
    if (!path.endsWith('/') && help.etags.has(`${path}/index.html`.slice(1)))
      return reply.redirect(`/help${path}/`, 301);
    const file = (path.endsWith('/') ? `${path}index.html` : path).slice(1);
    return help.etags.has(file)
      ? sendHelp(request, reply, help, file)
      : sendHelp(request, reply.code(404), help, '404.html');
  };
  app.get('/help', HIDDEN, sendFile);
  app.get('/help/*', HIDDEN, sendFile);
}

/** Streams a file of the manual, compressed if the build wrote a compressed copy. */
async function sendHelp(
  request: FastifyRequest,
  reply: FastifyReply,
  help: Help,
  path: string,
): Promise<FastifyReply> {
  const { folder, etags, policy } = help;
  const hasCopy = etags.has(`${path}.br`);
  const isCompressed =
    hasCopy && chooseEncoding(request.headers['accept-encoding']?.toString(), ['br']) === 'br';
  const copy = isCompressed ? `${path}.br` : path;
  const etag = String(etags.get(copy));
  const isFound = reply.statusCode === 200;
  const isUnchanged = isFound && hasEntityTag(request.headers['if-none-match'], etag);
  const file = isUnchanged ? undefined : await open(join(folder, copy)).catch(() => undefined);
  // A listed file can be missing if the package was replaced while the server was running, because the files of the new package have
  // different names.
  if (!file && !isUnchanged)
    return isFound ? await sendHelp(request, reply.code(404), help, '404.html') : sendMissing(reply);
  reply.headers({
    ...(isFound ? { etag } : {}),
    'cache-control': IMMUTABLE.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': policy,
  });
  if (hasCopy) addVary(reply);
  if (!file) return reply.code(304).send();
  if (isCompressed) reply.header('content-encoding', 'br');
  reply.type(CONTENT_TYPES[extname(path)] ?? 'application/octet-stream');
  return reply.send(file.createReadStream());
}

/** Sends a page of the manual as Markdown, because a clone has the `docs` folder even if the manual is not built. */
async function sendSource(reply: FastifyReply, path: string): Promise<FastifyReply | undefined> {
  const page = /^\/?$/.test(path) ? 'README' : PAGE_PATH.exec(path)?.[1];
  const text = page && (await readFile(join(DOCS_FOLDER, `${page}.md`), 'utf8').catch(() => undefined));
  if (!text) return undefined;
  // Plain text, because browsers download Markdown instead of showing it.
  return reply.headers({ 'cache-control': 'no-cache' }).type('text/plain; charset=utf-8').send(text);
}

const sendMissing = (reply: FastifyReply): FastifyReply =>
  reply
    .code(404)
    .type('text/html; charset=utf-8')
    .send(
      '<!doctype html>\n<html lang="en">\n<title>Halyard</title>\n<p>This server was built without the manual. Run npm run build:help and restart it, or read the docs folder.</p>\n</html>\n',
    );
