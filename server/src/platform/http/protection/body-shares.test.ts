import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../../app.ts';
import { makeUser } from '../../../test/factories.ts';
import { ADMIN_TOKEN, APP_SETTINGS, useHarness } from '../../../test/harness.ts';

const harness = useHarness();
const PATH = '/api/admin/constraints/validate';
const BODY = JSON.stringify({ contextName: 'userId', operator: 'IN', values: ['a'] });

let app: App;
let viewer: string;
beforeAll(async () => {
  viewer = (await makeUser(harness.db, 'Viewer')).token;
  app = await buildApp(harness.db, APP_SETTINGS, { bodies: { capacity: 1_000, share: 0.5 } });
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => await app.close());

/** Sends the headers of a request. `finish` then sends its body. */
function begin(token: string, length = Buffer.byteLength(BODY)) {
  const { port } = app.server.address() as AddressInfo;
  const clientRequest = request({ host: '127.0.0.1', port, path: PATH, method: 'POST', agent: false });
  clientRequest.setHeader('authorization', token);
  clientRequest.setHeader('content-type', 'application/json');
  clientRequest.setHeader('content-length', length);
  clientRequest.on('error', () => {});
  clientRequest.flushHeaders();
  const status = once(clientRequest, 'response').then(([response]) => {
    response.resume();
    return response.statusCode;
  });
  // A client that disconnects gets no status, so nothing waits for a status.
  status.catch(() => {});
  return {
    status,
    finish: () => clientRequest.end(BODY.padEnd(length)),
    disconnect: () => clientRequest.destroy(),
  };
}

async function countWaiting(): Promise<number> {
  const { body } = await app.inject('/internal-backstage/prometheus');
  return Number(/halyard_admission_waiting\{kind="bodies"\} (\d+)/.exec(body)?.[1]);
}

test('a body waits until its caller has room for it, without delaying others', async () => {
  const first = begin(viewer, 400);
  const second = begin(viewer, 400);
  await expect.poll(countWaiting).toBe(1);

  const other = begin(ADMIN_TOKEN, 100);
  other.finish();
  expect(await other.status).toBe(204);
  expect(await countWaiting()).toBe(1);

  first.finish();
  second.finish();
  expect(await Promise.all([first.status, second.status])).toEqual([204, 204]);
  expect(await countWaiting()).toBe(0);
});

test('a client that disconnects releases the bytes of its body', async () => {
  const first = begin(viewer, 400);
  const second = begin(viewer, 400);
  await expect.poll(countWaiting).toBe(1);

  first.disconnect();
  second.finish();

  expect(await second.status).toBe(204);
});
