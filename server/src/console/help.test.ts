import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../../plane/src/platform/http/app.ts';
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
// The same option as in app.ts.
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

test('serves pages with a policy that allows only their own scripts', async () => {
  const { statusCode, headers, body } = await get('/help/concepts/');

  expect(statusCode).toBe(200);
  expect(body).toBe(PAGE);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['content-security-policy']).toContain(
    "script-src 'self' 'wasm-unsafe-eval' 'sha256-aGFzaA=='",
  );
  expect(headers['cache-control']).toBe('no-cache');
});

test('sends the compressed copy to clients that accept it, each with its own ETag', async () => {
  const plain = await get('/help/concepts/');
  const compressed = await get('/help/concepts/', { 'accept-encoding': 'br' });

  expect(compressed.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(compressed.rawPayload).toString()).toBe(PAGE);
  expect(compressed.headers.vary).toBe('accept-encoding');
  expect(compressed.headers.etag).not.toBe(plain.headers.etag);
});

test('responds with 304 to a client that has the file', async () => {
  const { headers } = await get('/help/concepts.md');
  const again = await get('/help/concepts.md', { 'if-none-match': String(headers.etag) });

  expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
  // An upgrade can change a page and keep its size and time.
  expect(headers.etag).toContain(version());
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

test('lets browsers keep files whose name has a hash', async () => {
  expect((await get('/help/_astro/page.1a2b.js')).headers['cache-control']).toContain('immutable');
});

test.each([
  ['/help', '/help/'],
  ['/help/concepts', '/help/concepts/'],
])('redirects %s to %s', async (from, to) => {
  const { statusCode, headers } = await get(from);

  expect([statusCode, headers.location]).toEqual([301, to]);
});

test.each(['/help/missing', '/help/..%2finline-scripts.json', '/help/%2fetc/hostname'])(
  'responds to %s with the page for unknown paths',
  async url => {
    const { statusCode, body } = await get(url);

    expect([statusCode, body]).toEqual([404, expect.stringMatching(/Not found/)]);
  },
);

test('an unknown path always gets the 404 page, whatever ETag the client sends', async () => {
  const { headers } = await get('/help/missing');
  const again = await get('/help/missing', { 'if-none-match': '*' });

  expect(headers).not.toHaveProperty('etag');
  expect([again.statusCode, again.body]).toEqual([404, expect.stringMatching(/Not found/)]);
});

test('a file that is removed while the server runs returns 404, which is not cached', async () => {
  const path = join(folder, '_astro/page.5c6d.js');
  writeFileSync(path, 'export {};');
  const running = Fastify();
  helpRoutes(running as unknown as App, await loadHelp(folder));
  rmSync(path);

  const { statusCode, headers, body } = await running.inject('/help/_astro/page.5c6d.js');
  await running.close();

  expect([statusCode, body]).toEqual([404, expect.stringMatching(/Not found/)]);
  expect(headers['cache-control']).toBe('no-cache');
});

test('a server without the manual says how to build it, and does not send a console page instead', async () => {
  const { statusCode, body } = await harness.app.inject({
    url: '/help/concepts/',
    headers: { accept: 'text/html' },
  });

  expect([statusCode, body]).toEqual([404, expect.stringContaining('npm run build:help')]);
  expect(await loadHelp(join(folder, 'missing'))).toBeUndefined();
});
