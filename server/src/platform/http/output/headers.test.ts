import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { useHarness } from '../../../test/harness.ts';
import { listOperations } from '../../../test/operations.ts';
import { call } from '../../../test/request.ts';

const harness = useHarness();

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const fillPath = (path: string) => path.replaceAll(/\{\w+\}/g, '77');

test('every operation sends the security headers', async () => {
  const operationsWithoutHeaders: string[] = [];
  for (const { method, path } of listOperations()) {
    const { headers } = await call(harness.app, method, fillPath(path), { token: null });
    const wrongHeaders = Object.entries(HEADERS).filter(([name, value]) => headers[name] !== value);
    if (wrongHeaders.length > 0)
      operationsWithoutHeaders.push(`${method} ${path}: ${wrongHeaders.map(([name]) => name)}`);
  }
  expect(operationsWithoutHeaders).toEqual([]);
});

test.each(
  listOperations()
    .filter(operation => operation.returnsSecret)
    .map(operation => [operation.method, operation.path, operation.body] as const),
)('caches must not store the response of %s %s, which contains a secret', async (method, path, body) => {
  const { headers } = await call(harness.app, method, fillPath(path), { body });

  expect(headers).toMatchObject(HEADERS);
});

test.each([
  ['an unknown path', '/nope'],
  ['an unknown path of the API', '/api/admin/nope'],
  ['an invalid URL', '/api/admin/projects/%E0%A4%A'],
  ['a path segment that is too long', `/api/admin/projects/${'x'.repeat(600)}`],
  ['a URL that is too long', `/api/admin/user?x=${'x'.repeat(13_000)}`],
])('the response to %s has the security headers', async (_case, url) => {
  const response = await call(harness.app, 'GET', url);

  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.headers).toMatchObject(HEADERS);
});

test('the response to invalid HTTP has the security headers', async () => {
  const app = await harness.secondServer();
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('nonsense\r\n\r\n');

  const response = await text(socket);

  expect(response).toMatch(/^HTTP\/1\.1 400 /);
  for (const [name, value] of Object.entries(HEADERS)) expect(response).toContain(`${name}: ${value}\r\n`);
});

test('strict transport security is sent only if the public URL is https', async () => {
  const secure = await harness.secondServer({ publicUrl: 'https://flags.example.com' });

  const [http, https] = await Promise.all(
    [harness.app, secure].map(async app => (await call(app, 'GET', '/health', { token: null })).headers),
  );

  expect(http).not.toHaveProperty('strict-transport-security');
  expect(https).toHaveProperty('strict-transport-security', 'max-age=31536000');
});

test('the API page allows only scripts from this server, and none inline', async () => {
  const page = await call(harness.app, 'GET', '/docs/', { token: null });

  const policy = String(page.headers['content-security-policy']);
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(page.body).not.toMatch(/<script(?![^>]* src=)/);
  for (const [, path] of page.body.matchAll(/<script src="([^"]+)"/g)) {
    const script = await call(harness.app, 'GET', `/docs/${path}`, { token: null });
    expect(script).toMatchObject({ status: 200 });
    expect(script.headers['content-type']).toMatch(/javascript/);
  }
});
