import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../../../../server/src/app.ts';
import { APP_SETTINGS, useHarness } from '../../../../../server/src/test/harness.ts';
import { makeNetworkQueues } from '../../admission/network-queues.ts';
import type { App } from '../app.ts';

const harness = useHarness();
let app: App;
beforeAll(async () => {
  app = await buildApp(harness.db, APP_SETTINGS, { networkQueues: makeNetworkQueues(1, 20) });
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => await app.close());

const PIPELINED = 100;

/** Sends many requests on one connection without waiting for responses, and counts the statuses. */
async function flood(path: string): Promise<Record<string, number>> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  const request = `GET ${path} HTTP/1.1\r\nhost: a\r\n`;
  socket.write(`${`${request}\r\n`.repeat(PIPELINED - 1)}${request}connection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  const statuses: Record<string, number> = {};
  for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d+)/g))
    statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
}

test.each([
  ['/health', '200'],
  ['/api/client/features', '401'],
])('%s: starts a few requests from one network at a time, and rejects the excess', async (path, status) => {
  const statuses = await flood(path);

  expect(Object.keys(statuses).sort()).toEqual([status, '429']);
  expect(statuses[status]).toBeGreaterThan(20);
  expect((await app.inject(path)).statusCode).toBe(Number(status));
});
