import { createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../test/receiver.ts';
import type { TargetPolicy } from './address.ts';
import { makeSender } from './send.ts';
import { findTargetProblem } from './target.ts';

const STRICT: TargetPolicy = { allowed: [], allowPrivate: false };
const OPEN: TargetPolicy = { allowed: [], allowPrivate: true };

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => await receiver.close());

const request = (url: string) => ({ url, headers: { 'content-type': 'text/plain' }, body: 'hello' });

/**
 * Sends with the test's own resolver. Forbidden targets are on this machine, so the receiver would record a request that gets
 * through.
 */
async function sendTo(url: string, policy = STRICT, addresses: string[][] = [['127.0.0.1']]) {
  let lookups = 0;
  const sender = makeSender(policy, async () => addresses[Math.min(lookups++, addresses.length - 1)] ?? []);
  try {
    return await sender.send(request(url));
  } finally {
    await sender.close();
  }
}

const BLOCKED_HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.0.0.1.',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.0x1',
  '１２７.０.０.１',
  '0.0.0.0',
  '0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.254',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:10.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::1]',
  '[100::1]',
  '[2001::1]',
  '[2001:0:7f00:1::]',
  '[2001:db8::1]',
  '[2001:10::1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[4000::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'foo.localhost',
];

test.each(BLOCKED_HOSTS)('%s is blocked before anything is sent', async host => {
  const url = `http://${host}:${new URL(receiver.url).port}/`;

  const response = await sendTo(url);

  expect(response).toMatchObject({ status: null, failure: 'disallowed' });
  expect(findTargetProblem(url, STRICT)).toBeDefined();
  expect(receiver.received).toEqual([]);
});

test.each([
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'data:text/plain,x',
  'unix:///var/run/docker.sock',
  'http://user@example.com/',
  'http://user:password@example.com/',
  'http://',
  'not a URL',
  'javascript:alert(1)',
  `https://${'a'.repeat(2_000)}.example.com/`,
])('rejects %s as a target URL', async url => {
  expect(await sendTo(url)).toMatchObject({ failure: 'disallowed' });
});

test.each([
  ['a name that resolves to this machine', [['127.0.0.1']]],
  ['a name with a public and a private address', [['93.184.216.34', '10.0.0.1']]],
  ['a name that resolves to the metadata service', [['169.254.169.254']]],
  ['a name that resolves to a mapped address', [['::ffff:127.0.0.1']]],
  ['a name that resolves to an address with a zone', [['fe80::1%lo']]],
])('%s is blocked', async (_, addresses) => {
  const response = await sendTo(`http://hooks.example.com:${new URL(receiver.url).port}/`, STRICT, addresses);

  expect(response).toMatchObject({ status: null, failure: 'disallowed' });
  expect(receiver.received).toEqual([]);
});

test('DNS rebinding: connects only to the checked address, and checks every new lookup', async () => {
  const lookups: string[] = [];
  // An address of this machine that stands in for a public IP address. Nothing listens there.
  const policy = { allowed: ['127.0.0.2'], allowPrivate: false };
  const lookupResults = [['127.0.0.2'], ['127.0.0.1']];
  const sender = makeSender(policy, async host => {
    lookups.push(host);
    return lookupResults[lookups.length - 1] ?? ['127.0.0.1'];
  });
  const url = `http://rebind.example.com:${new URL(receiver.url).port}/`;

  const first = await sender.send(request(url));
  const second = await sender.send(request(url));
  await sender.close();

  // The first connection fails at the checked address, instead of following the name to its new address.
  expect(first.failure).toBe('connection');
  expect(second.failure).toBe('disallowed');
  expect(lookups).toHaveLength(2);
  expect(receiver.received).toEqual([]);
});

test('connects to allowed targets by name, IP address or range, and marks their responses as private', async () => {
  receiver.respondWith((_, response) => response.end('internal secret'));
  const { port } = new URL(receiver.url);

  for (const [url, allowedTarget] of [
    [`http://127.0.0.1:${port}/`, '127.0.0.1'],
    [`http://127.0.0.1:${port}/`, '127.0.0.0/8'],
    [`http://hooks.internal:${port}/`, 'hooks.internal'],
  ] as const) {
    const response = await sendTo(url, { allowed: [allowedTarget], allowPrivate: false });
    expect(response).toMatchObject({ status: 200, isPublic: false, address: '127.0.0.1' });
  }
  expect(receiver.received.splice(0)).toHaveLength(3);
  receiver.respondWith(200);
});

test('does not follow a redirect into the private network', async () => {
  receiver.respondWith((_, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  );

  expect(await sendTo(`${receiver.url}/`, OPEN)).toMatchObject({ status: 302, failure: null });
  receiver.respondWith(200);
  receiver.received.length = 0;
});

test('returns the first 20 response headers, at most 8 KiB, without cookies', async () => {
  const manyHeaders = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`x-${n}`, `value ${n}`]));
  receiver.respondWith((_, response) =>
    response.writeHead(200, { 'set-cookie': 'a=b', ...manyHeaders }).end(),
  );
  const { headers } = await sendTo(`${receiver.url}/`, OPEN);
  expect(Object.keys(headers)).toEqual(Array.from({ length: 20 }, (_, n) => `x-${n}`));
  expect(headers['x-7']).toBe('value 7');

  receiver.respondWith((_, response) =>
    response.writeHead(200, { 'x-1': 'a', 'x-2': 'b'.repeat(8_192) }).end(),
  );
  expect((await sendTo(`${receiver.url}/`, OPEN)).headers).toEqual({ 'x-1': 'a' });
  receiver.respondWith(200);
  receiver.received.length = 0;
});

test('stops reading an endless response', async () => {
  receiver.respondWith((_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'.repeat(65_536)), 5);
    response.on('close', () => clearInterval(timer));
  });

  const response = await sendTo(`${receiver.url}/`, OPEN);

  expect(response.status).toBe(200);
  receiver.respondWith(200);
});

test('reports an unreachable receiver, a reset connection and an unknown host as failures', async () => {
  const resettingServer = createTcpServer(socket => socket.destroy());
  await new Promise<void>(resolve => resettingServer.listen(0, '127.0.0.1', resolve));
  const { port } = resettingServer.address() as { port: number };

  expect(await sendTo(`http://127.0.0.1:${port}/`, OPEN)).toMatchObject({
    status: null,
    failure: 'connection',
  });
  resettingServer.close();
  expect(await sendTo('http://127.0.0.1:1/', OPEN)).toMatchObject({ failure: 'connection' });
  const sender = makeSender(OPEN, async () => {
    throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  });
  expect(await sender.send(request('http://nowhere.example.com/'))).toMatchObject({ failure: 'dns' });
  await sender.close();
});
