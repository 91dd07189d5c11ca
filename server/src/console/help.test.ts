import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { App } from '@halyard/plane/platform/http/app.ts';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { version } from '../platform/command-line.ts';
import { useHarness } from '../test/harness.ts';
import { helpRoutes, loadHelp } from './help.ts';

const PAGE = `<!doctype html><title>Concepts</title>${'<p>flags</p>'.repeat(200)}`;
const FILES: Record<string, string | Buffer> = {
  'index.html': '<!doctype html><title>Halyard</title>',
  '404.html': '<!doctype html><title>Not found</title>',
  'concepts/index.html': PAGE,
  'concepts/index.html.br': brotliCompressSync(PAGE),
  'concepts.md': '# Concepts',
  '_astro/page.1a2b.js': 'export {};',
  'inline-scripts.json': '["aGFzaA=="]',
};

const folder = mkdtempSync(join(tmpdir(), 'halyard-help-'));
const harness = useHarness();
// The same router option as in app.ts.
const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } });

beforeAll(async () => {
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  helpRoutes(app as unknown as App, await loadHelp(folder));
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

test('serves pages with a policy that allows scripts from this server, and inline scripts with a known hash', async () => {
  const { statusCode, headers, body } = await get('/help/concepts/');

  expect(statusCode).toBe(200);
  expect(body).toBe(PAGE);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['content-security-policy']).toContain(
    "script-src 'self' 'wasm-unsafe-eval' 'sha256-aGFzaA=='",
  );
  expect(headers['cache-control']).toBe('no-cache');
});

test('sends the compressed copy, with a different ETag, to clients that accept its encoding', async () => {
  const plainResponse = await get('/help/concepts/');
  const compressedResponse = await get('/help/concepts/', { 'accept-encoding': 'br' });

  expect(compressedResponse.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(compressedResponse.rawPayload).toString()).toBe(PAGE);
  expect(compressedResponse.headers.vary).toBe('accept-encoding');
  expect(compressedResponse.headers.etag).not.toBe(plainResponse.headers.etag);
});

test('responds with 304 if the client already has the current file', async () => {
  const { headers } = await get('/help/concepts.md');
  const repeated = await get('/help/concepts.md', { 'if-none-match': String(headers.etag) });

  expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
  // The ETag contains the version, because an upgrade can change a page without changing its size and modification time.
  expect(headers.etag).toContain(version());
  expect([repeated.statusCode, repeated.body]).toEqual([304, '']);
});

test('marks files with a hash in their name as immutable', async () => {
  expect((await get('/help/_astro/page.1a2b.js')).headers['cache-control']).toContain('immutable');
});

test.each([
  ['/help', '/help/'],
  ['/help/concepts', '/help/concepts/'],
])('redirects %s to %s', async (path, location) => {
  const { statusCode, headers } = await get(path);

  expect([statusCode, headers.location]).toEqual([301, location]);
});

test.each(['/help/missing', '/help/..%2finline-scripts.json', '/help/%2fetc/hostname'])(
  'responds to %s with the 404 page',
  async url => {
    const { statusCode, body } = await get(url);

    expect([statusCode, body]).toEqual([404, expect.stringMatching(/Not found/)]);
  },
);

test('returns the 404 page for an unknown path, regardless of the ETag that the client sends', async () => {
  const { headers } = await get('/help/missing');
  const repeated = await get('/help/missing', { 'if-none-match': '*' });

  expect(headers).not.toHaveProperty('etag');
  expect([repeated.statusCode, repeated.body]).toEqual([404, expect.stringMatching(/Not found/)]);
});

test('returns an uncached 404 for a file that was removed while the server was running', async () => {
  const path = join(folder, '_astro/page.5c6d.js');
  writeFileSync(path, 'export {};');
  const server = Fastify();
  helpRoutes(server as unknown as App, await loadHelp(folder));
  rmSync(path);

  const { statusCode, headers, body } = await server.inject('/help/_astro/page.5c6d.js');
  await server.close();

  expect([statusCode, body]).toEqual([404, expect.stringMatching(/Not found/)]);
  expect(headers['cache-control']).toBe('no-cache');
});

test.each([
  ['/help/', /^# Documentation/],
  ['/help/reference/projects/', /^# Projects/],
])('a server without the manual sends the source of %s in a clone', async (url, text) => {
  const { statusCode, headers, body } = await harness.app.inject({ url, headers: { accept: 'text/html' } });

  expect([statusCode, body]).toEqual([200, expect.stringMatching(text)]);
  expect(headers['content-type']).toBe('text/plain; charset=utf-8');
});

test.each(['/help/missing/', '/help/..%2fREADME/', '/help/%2fetc/hostname'])(
  'at %s, a server without the manual explains how to build it and does not send a console page',
  async url => {
    const { statusCode, body } = await harness.app.inject({
      url,
      headers: { accept: 'text/html' },
    });

    expect([statusCode, body]).toEqual([404, expect.stringContaining('npm run build:help')]);
    expect(await loadHelp(join(folder, 'missing'))).toBeUndefined();
  },
);
