import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../../../../plane/src/platform/http/app.ts';
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

/** Sends the headers of a request with a body, which `finish` sends. */
function begin(token: string, length = Buffer.byteLength(BODY)) {
  const { port } = app.server.address() as AddressInfo;
  const outgoing = request({ host: '127.0.0.1', port, path: PATH, method: 'POST', agent: false });
  outgoing.setHeader('authorization', token);
  outgoing.setHeader('content-type', 'application/json');
  outgoing.setHeader('content-length', length);
  outgoing.on('error', () => {});
  outgoing.flushHeaders();
  const status = once(outgoing, 'response').then(([response]) => {
    response.resume();
    return response.statusCode;
  });
  // A client that disconnects gets no status, and nothing waits for it.
  status.catch(() => {});
  return {
    status,
    finish: () => outgoing.end(BODY.padEnd(length)),
    leave: () => outgoing.destroy(),
  };
}

async function waiting(): Promise<number> {
  const { body } = await app.inject('/internal-backstage/prometheus');
  return Number(/halyard_admission_waiting\{kind="bodies"\} (\d+)/.exec(body)?.[1]);
}

test('a body waits until its caller has room for it, and others do not wait', async () => {
  const first = begin(viewer, 400);
  const second = begin(viewer, 400);
  await expect.poll(waiting).toBe(1);

  const other = begin(ADMIN_TOKEN, 100);
  other.finish();
  expect(await other.status).toBe(204);
  expect(await waiting()).toBe(1);

  first.finish();
  second.finish();
  expect(await Promise.all([first.status, second.status])).toEqual([204, 204]);
  expect(await waiting()).toBe(0);
});

test('a client that disconnects releases the bytes of its body', async () => {
  const first = begin(viewer, 400);
  const second = begin(viewer, 400);
  await expect.poll(waiting).toBe(1);

  first.leave();
  second.finish();

  expect(await second.status).toBe(204);
});
