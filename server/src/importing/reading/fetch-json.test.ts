import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { fetchJson } from './fetch-json.ts';

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?secret=hidden`);
}

const readJson = (url: URL, timeoutSeconds = 120) =>
  fetchJson(url, { product: 'Unleash', headers: { authorization: 'token' }, timeoutSeconds });

test('returns the status and the parsed body', async () => {
  const url = await serve((request, reply) => {
    reply.statusCode = request.headers.authorization === 'token' ? 200 : 401;
    reply.end('{"a":[1]}');
  });

  expect(await readJson(url)).toEqual({ status: 200, body: { a: [1] } });
});

test.each([
  ['a token', new URL('http://127.0.0.1:9'), 'hidden\nx'],
  ['a password', new URL('http://a:hidden@127.0.0.1:9'), 'token'],
])('does not quote %s that cannot be sent', async (_what, url, authorization) => {
  const request = { product: 'Unleash', headers: { authorization }, timeoutSeconds: 1 };
  const error = await fetchJson(url, request).catch(error => error);

  expect(error.message).toContain('the URL or a header of the request is invalid');
  expect(error.message).not.toContain('hidden');
});

test('returns no body for an error status', async () => {
  const url = await serve((_, reply) => void reply.writeHead(403).end('<html>'));

  expect(await readJson(url)).toEqual({ status: 403, body: undefined });
});

test('stops reading an endless body', async () => {
  const part = Buffer.alloc(1_000_000, ' ');
  const url = await serve((_, reply) => {
    const write = () => {
      while (reply.write(part));
    };
    reply.on('drain', write);
    write();
  });

  await expect(readJson(url)).rejects.toThrow('A response from Unleash is larger than 100,000,000 bytes.');
});

test('stops reading a body that inflates beyond the limit', async () => {
  const bomb = gzipSync(Buffer.alloc(100_000_001, ' '));
  const url = await serve((_, reply) => void reply.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));

  await expect(readJson(url)).rejects.toThrow('A response from Unleash is larger than 100,000,000 bytes.');
});

test.each<[string, RequestListener]>([
  ['a server that does not respond', () => {}],
  ['a body that does not end', (_, reply) => void reply.write('{"a":')],
])('stops waiting for %s', async (_, listener) => {
  const url = await serve(listener);

  await expect(readJson(url, 0.2)).rejects.toThrow(
    `Cannot read Unleash at ${url.origin}: no complete response within 0.2 seconds`,
  );
});

test('retries a request if the connection was closed before the response', async () => {
  let requestCount = 0;
  const url = await serve((request, reply) => {
    requestCount += 1;
    if (requestCount === 1) request.socket.destroy();
    else reply.end('{"a":1}');
  });

  expect(await readJson(url)).toEqual({ status: 200, body: { a: 1 } });
  expect(requestCount).toBe(2);
});

test('rejects a response that is cut off, with a reason', async () => {
  const url = await serve((_, reply) => {
    reply.writeHead(200, { 'content-length': '100' });
    reply.write('{"a":', () => reply.destroy());
  });

  await expect(readJson(url)).rejects.toThrow(/^Cannot read Unleash at http:\/\/127\.0\.0\.1:\d+: ./);
});

test('explains in one line that a server does not use TLS', async () => {
  const url = await serve((_, reply) => void reply.end('{}'));
  url.protocol = 'https:';

  await expect(readJson(url)).rejects.toThrow(
    `Cannot read Unleash at ${url.origin}: the TLS connection failed (ERR_SSL_WRONG_VERSION_NUMBER). Check the URL, and that the server is running.`,
  );
});

test('names the URL without its query if the response is a web page', async () => {
  const url = await serve((_, reply) => void reply.end('<html>'));

  await expect(readJson(url)).rejects.toThrow(
    `Unleash responded to ${url.origin}/path with something other than JSON. Check the URL.`,
  );
});

test('does not follow a redirect, so the token stays with its server', async () => {
  const url = await serve(
    (_, reply) => void reply.writeHead(302, { location: 'https://flags.example.com/path?a=1' }).end(),
  );

  await expect(readJson(url)).rejects.toThrow(
    `Unleash redirects ${url.origin}. Use the URL that it redirects to: https://flags.example.com.`,
  );
});
