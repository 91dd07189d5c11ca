import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useHarness } from '../test/harness.ts';
import { loadConsole } from './files.ts';

const PAGE =
  '<!doctype html><title>Halyard</title><script type="module" src="/assets/main-1a2b.js"></script>';
const SCRIPT = `console.log('${'halyard '.repeat(200)}');`;
const BROWSER_HEADERS = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate, br',
};

/** The console's policy, written out in full, so that any change to it is deliberate. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const folders: string[] = [];

function makeFolder(files: Record<string, string | Buffer>): string {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-console-'));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const harness = useHarness();
let app: App;

beforeAll(async () => {
  const folder = makeFolder({
    'index.html': PAGE,
    'index.html.br': brotliCompressSync(PAGE),
    'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'assets/main-1a2b.js': SCRIPT,
    'assets/main-1a2b.js.br': brotliCompressSync(SCRIPT),
    'assets/main-1a2b.js.gz': gzipSync(SCRIPT),
    'assets/inter-3c4d.woff2': Buffer.from([1, 2, 3]),
    '.vite/manifest.json': '{}',
    'assets/notes.gz': 'no copy of another file',
  });
  symlinkSync('/etc/hostname', join(folder, 'assets/linked.txt'));
  app = await harness.secondServer({}, {}, await loadConsole(folder));
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

type ApiResponse = { statusCode: number; headers: IncomingHttpHeaders; rawPayload: Buffer; body: string };

/** Sends the request over the network, because `inject` would normalize the path and return a body for a HEAD request. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<ApiResponse> {
  const { port } = app.server.address() as AddressInfo;
  const clientRequest = request({ port, host: '127.0.0.1', path, method, headers, agent: false }).end();
  const [response] = (await once(clientRequest, 'response')) as [IncomingMessage];
  const rawPayload = await buffer(response);
  return {
    statusCode: response.statusCode ?? 0,
    headers: response.headers,
    rawPayload,
    body: rawPayload.toString(),
  };
}

test.each([
  '/',
  '/login',
  '/projects/payments/features/x',
  '/invite/some-token',
  '/new-user?token=x',
  '/events?project=IS:a',
  '/.env',
  '/.well-known/x',
  '/%09/x',
])('a browser gets the console at %s', async path => {
  const response = await get(path, { accept: BROWSER_HEADERS.accept });

  expect(response).toMatchObject({ statusCode: 200, body: PAGE });
  expect(response.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    vary: 'accept, accept-encoding',
  });
});

test.each([
  '/api/admin/nope',
  '/api/client/nope',
  '/api/frontend',
  '/api',
  '/auth/nope',
  '/docs/nope',
  '/edge/nope',
  '/internal-backstage/nope',
  '/assets/nope.js',
  '/assets/',
  '/health/nope',
])('a browser gets a JSON error at %s', async path => {
  const response = await get(path, BROWSER_HEADERS);

  expect(response.statusCode).toBeOneOf([401, 404]);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
});

test('a client that does not accept HTML gets a JSON error at an unknown path', async () => {
  const response = await get('/projects/payments', { accept: 'application/json' });

  expect(response.statusCode).toBe(404);
  expect(JSON.parse(response.body)).toMatchObject({ name: 'NotFoundError' });
});

test('the error for an asset name with control characters names the path as the problem', async () => {
  const response = await get('/assets/%00', BROWSER_HEADERS);

  expect(response.statusCode).toBe(400);
  expect(JSON.parse(response.body).message).toContain('The path must not contain control characters.');
});

test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])(
  '%s of a page returns a JSON 404',
  async method => {
    const response = await get('/login', BROWSER_HEADERS, method);

    expect(response.statusCode).toBe(404);
    expect(JSON.parse(response.body)).toMatchObject({ name: 'NotFoundError' });
  },
);

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)('sends the %s copy of an asset, which caches may keep forever', async (encoding, decompress) => {
  const response = await get('/assets/main-1a2b.js', { 'accept-encoding': encoding });

  expect(decompress(response.rawPayload).toString()).toBe(SCRIPT);
  expect(response.headers).toMatchObject({
    'content-encoding': encoding,
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-length': String(response.rawPayload.length),
    vary: 'accept-encoding',
  });
});

test('sends uncompressed bytes if the client accepts no encoding or the file has no copies', async () => {
  const script = await get('/assets/main-1a2b.js');
  const font = await get('/assets/inter-3c4d.woff2', BROWSER_HEADERS);

  expect(script.body).toBe(SCRIPT);
  expect(script.headers).not.toHaveProperty('content-encoding');
  expect(font.rawPayload).toEqual(Buffer.from([1, 2, 3]));
  expect(font.headers).toMatchObject({ 'content-type': 'font/woff2' });
  expect(font.headers).not.toHaveProperty('content-encoding');
  expect(font.headers).not.toHaveProperty('vary');
});

test('each encoding of a file has a different strong ETag', async () => {
  const tags = await Promise.all(
    ['identity', 'gzip', 'br'].map(async encoding =>
      String((await get('/assets/main-1a2b.js', { 'accept-encoding': encoding })).headers.etag),
    ),
  );

  expect(new Set(tags).size).toBe(3);
  for (const tag of tags) expect(tag).toMatch(/^"[\w-]{22}"$/);
});

test.each(['TAG', 'W/TAG', '"other", TAG', '*'])(
  'responds to If-None-Match: %s with 304',
  async ifNoneMatch => {
    const { headers } = await get('/login', BROWSER_HEADERS);

    const response = await get('/login', {
      ...BROWSER_HEADERS,
      'if-none-match': ifNoneMatch.replace('TAG', String(headers.etag)),
    });

    expect(response).toMatchObject({ statusCode: 304, body: '' });
    expect(response.headers).toMatchObject({ etag: headers.etag, 'cache-control': 'no-cache' });
  },
);

test('does not respond with 304 to the ETag of a different encoding', async () => {
  const { headers } = await get('/assets/main-1a2b.js', { 'accept-encoding': 'gzip' });

  const response = await get('/assets/main-1a2b.js', {
    'accept-encoding': 'br',
    'if-none-match': String(headers.etag),
  });

  expect(response.statusCode).toBe(200);
});

test.each(['/', '/login', '/assets/main-1a2b.js', '/favicon.svg'])(
  'HEAD %s sends the headers of GET without the body',
  async path => {
    const getResponse = await get(path, BROWSER_HEADERS);

    const response = await get(path, BROWSER_HEADERS, 'HEAD');

    const ignored = { date: '', 'x-request-id': '' };
    expect(response).toMatchObject({ statusCode: 200, body: '' });
    expect({ ...response.headers, ...ignored }).toEqual({ ...getResponse.headers, ...ignored });
  },
);

test('makes browsers revalidate a file that is not in the assets folder', async () => {
  const icon = await get('/favicon.svg');
  const page = await get('/index.html');

  expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
  expect(page.headers).toMatchObject({ 'content-security-policy': POLICY, 'cache-control': 'no-cache' });
});

test.each([
  '/assets/../index.html',
  '/assets/%2e%2e/index.html',
  '/assets/..%2findex.html',
  '/assets/..%5c..%5cpackage.json',
  '/assets/%252e%252e/index.html',
  '/assets/linked.txt',
  '/.vite/manifest.json',
  '/assets/main-1a2b.js.br',
  '/assets/__proto__',
  '/assets/%00',
  '/assets/%zz',
  '/%e0%a4%a',
  '/../../etc/hostname',
  '/%2e%2e/%2e%2e/etc/hostname',
  '//etc/hostname',
  `/assets/${'x'.repeat(5_000)}`,
  `/${'x'.repeat(13_000)}`,
])('%s returns a JSON 400 or 404', async path => {
  const response = await get(path);

  expect(response.statusCode).toBeOneOf([400, 404]);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
});

test('serves a file that looks like a compressed copy as an ordinary file if there is no original', async () => {
  expect(await get('/assets/notes.gz')).toMatchObject({ statusCode: 200, body: 'no copy of another file' });
});

test('explains on every page how to build the console if it is not built', async () => {
  const pages = await Promise.all(
    ['/', '/login'].map(url => harness.app.inject({ url, headers: { accept: BROWSER_HEADERS.accept } })),
  );

  for (const page of pages) {
    expect(page.statusCode).toBe(404);
    expect(page.headers).toMatchObject({ 'content-security-policy': POLICY, 'cache-control': 'no-store' });
    expect(page.body).toContain('<p>The console is not built. Run npm run build and restart the server.</p>');
  }
});

test.each([
  ['has no files', {}],
  ['has no index.html', { 'assets/main.js': '' }],
])('a folder that %s is not a built console', async (_case, files) => {
  expect((await loadConsole(makeFolder(files))).problem).toMatch(/^The console is not built/);
});

test('a missing folder counts as a console that is not built', async () => {
  expect((await loadConsole('/nonexistent')).problem).toMatch(/^The console is not built/);
});

test('does not load a folder with too many files or bytes', async () => {
  const manyFiles = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`assets/${index}.js`, '']),
  );
  const largeFolder = makeFolder({ 'index.html': PAGE, 'assets/video.mp4': '' });
  truncateSync(join(largeFolder, 'assets/video.mp4'), 67_108_865);

  const results = await Promise.all(
    [makeFolder({ 'index.html': PAGE, ...manyFiles }), largeFolder].map(folder => loadConsole(folder)),
  );

  expect(results.map(({ files }) => files.size)).toEqual([0, 0]);
  expect(results.map(({ problem }) => problem)).toEqual([
    expect.stringContaining('has 1001 files. The limit is 1000.'),
    expect.stringContaining('has more than 67108864 bytes.'),
  ]);
});
