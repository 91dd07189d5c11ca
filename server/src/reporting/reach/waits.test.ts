import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { makeApiToken, makeFeature } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { startWriteLoop, type WriteLoop } from './write-loop.ts';

const harness = useHarness();
const WAITS_PER_CALLER = 10;
const authorization = ADMIN_TOKEN;
let writeLoop: WriteLoop;
let server: App;
let address: string;
/** An event whose change the only instance lacks, and an event whose change it has. */
let event: number;
let settledEvent: number;

const findNewestEvent = async (): Promise<number> =>
  (await call(harness.app, 'GET', '/api/admin/search/events?feature=IS:awaited&limit=1')).body.events[0].id;
const reachPath = (id: number): string => `/api/admin/events/${id}/reach?wait=60`;

beforeAll(async () => {
  const { app, db } = harness;
  writeLoop = startWriteLoop(app.reach, app.serving, db, app.log, app.metrics);
  await makeFeature(db, 'default', { name: 'awaited' });
  settledEvent = await findNewestEvent();
  const fields = { tokenName: 'sdk', type: 'backend' as const, environment: 'development' };
  const { secret } = await makeApiToken(db, { ...fields, projects: ['*'] });
  await app.serving.refresh();
  const headers = { authorization: secret, 'unleash-connection-id': 'a', 'unleash-instanceid': 'pod-a' };
  const { headers: first } = await app.sdk.inject({ url: '/api/client/features', headers });
  await app.sdk.inject({
    url: '/api/client/features',
    headers: { ...headers, 'if-none-match': String(first.etag) },
  });
  await vi.waitFor(
    async () => {
      const { rows } = await sql`select from reach_instances where revision > 0`.execute(db);
      expect(rows).toHaveLength(1);
    },
    { timeout: 90_000, interval: 100 },
  );
  await call(app, 'POST', '/api/admin/projects/default/features/awaited/environments/development/on');
  event = await findNewestEvent();
});
afterAll(() => writeLoop.stop());

beforeEach(async () => {
  server = await harness.secondServer();
  address = await server.listen({ port: 0, host: '127.0.0.1' });
  // Stops the clock, so that the wait never times out, even on a slow machine.
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const get = (id: number, signal?: AbortSignal): Promise<Response> =>
  fetch(`${address}${reachPath(id)}`, { headers: { authorization }, ...(signal && { signal }) });

/** Sends as many requests as a caller can have waiting. A request that is rejected because all slots are taken is sent again. */
const fillSlots = (signal?: AbortSignal): Promise<Response>[] =>
  Array.from({ length: WAITS_PER_CALLER }, async () => {
    let response = await get(event, signal);
    while (response.status === 429) {
      await response.text();
      await sleep(50);
      response = await get(event, signal);
    }
    return response;
  });

/** Requests a settled change until the server responds with this status. Such a request needs a slot only briefly. */
async function waitForStatus(status: number): Promise<void> {
  for (;;) {
    const response = await get(settledEvent);
    await response.text();
    if (response.status === status) return;
    await sleep(50);
  }
}

test('a client that disconnects releases its slot, and a caller can have at most 10 slots', {
  timeout: 200_000,
}, async () => {
  const leaving = new AbortController();
  const outcomes = Promise.allSettled(fillSlots(leaving.signal));
  await waitForStatus(429);

  leaving.abort();

  await waitForStatus(200);
  const results = await outcomes;
  expect(results.map(({ status }) => status)).toEqual(Array(WAITS_PER_CALLER).fill('rejected'));
});

test('a server that stops responds to waiting callers', { timeout: 200_000 }, async () => {
  const requests = fillSlots();
  await waitForStatus(429);

  await server.close();

  for (const response of await Promise.all(requests)) {
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ eventId: event, state: 'behind', total: 1 });
  }
});
