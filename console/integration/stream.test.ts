import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { type Api, createApi, createFlag, createPerson, createProject, unique } from '../e2e/support/api.ts';
import {
  type ConsoleServer,
  type LoadBalancer,
  startLoadBalancer,
  startServer,
} from '../e2e/support/server.ts';
import { logIn, openTab, sendFromOtherTab } from './support/tab.ts';

/** The server's limit on streams per caller. */
const MAX_STREAMS = 50;

// These tests have their own servers, because their streams would otherwise contain the events of other tests.
let server: ConsoleServer;
let admin: Api;
const target = { url: '' };
let loadBalancer: LoadBalancer;
let streamEvents: typeof import('../src/live/stream.ts')['streamEvents'];
const controllers: AbortController[] = [];

beforeAll(async () => {
  server = await startServer(inject('template'));
  admin = createApi(server);
  target.url = server.url;
  loadBalancer = await startLoadBalancer(target);
  openTab(loadBalancer.url);
  ({ streamEvents } = await import('../src/live/stream.ts'));
});
afterEach(() => {
  for (const controller of controllers.splice(0)) controller.abort();
});
afterAll(async () => {
  await loadBalancer.close();
  await server.stop();
});

/** Starts to consume the stream, and records every callback. */
async function startStream() {
  const received = { start: 0, lost: 0, hidden: 0, missing: 0, ids: [] as number[], flags: [] as string[] };
  const controller = new AbortController();
  controllers.push(controller);
  void streamEvents(controller.signal, {
    onStart: () => void received.start++,
    onProgress: (_, events) => {
      received.ids.push(...events.map(({ id }) => id));
      received.flags.push(...events.flatMap(({ featureName }) => featureName ?? []));
    },
    onHidden: () => void received.hidden++,
    onLost: () => void received.lost++,
    onMissing: () => void received.missing++,
  });
  await expect.poll(() => received.start + received.missing).toBeGreaterThan(0);
  return received;
}

test('every event arrives exactly once, including events from an outage', async () => {
  const project = await createProject(admin);
  await logIn(await createPerson(admin, { rootRole: 'Admin' }));
  const received = await startStream();
  const firstFlag = await createFlag(admin, project);
  await expect.poll(() => received.flags).toContain(firstFlag);

  loadBalancer.state = 'down';
  loadBalancer.cut();
  const secondFlag = await createFlag(admin, project);
  loadBalancer.state = 'up';

  await expect.poll(() => received.flags).toContain(secondFlag);
  expect(received.flags.filter(name => [firstFlag, secondFlag].includes(name))).toEqual([
    firstFlag,
    secondFlag,
  ]);
  expect(new Set(received.ids).size).toBe(received.ids.length);
  expect(received).toMatchObject({ start: 1, lost: 0 });
});

test('a change that the user cannot see is announced without its content', async () => {
  await logIn(await createPerson(admin, { rootRole: 'Viewer' }));
  const received = await startStream();

  await admin.send('POST', '/api/admin/tags', { type: 'simple', value: `tag-${unique()}` });

  await expect.poll(() => received.hidden).toBeGreaterThan(0);
  expect(received.ids).toEqual([]);
});

test('reports that the server rejects a stream', async () => {
  await logIn(await createPerson(admin));
  const controller = new AbortController();
  controllers.push(controller);
  const streams = await Promise.all(
    Array.from({ length: MAX_STREAMS }, () =>
      sendFromOtherTab('/api/admin/events/stream', controller.signal),
    ),
  );
  expect(streams.every(({ ok }) => ok)).toBe(true);

  const received = await startStream();

  expect(received).toMatchObject({ start: 0, missing: 1 });
});

test('retries until a busy server accepts the stream, and reloads data only once', async () => {
  await logIn(await createPerson(admin, { rootRole: 'Admin' }));
  loadBalancer.requestsToReject = 3;

  const received = await startStream();

  await expect.poll(() => received.start).toBe(1);
  expect(received.missing).toBe(1);
  expect(loadBalancer.requestsToReject).toBe(0);
});

test('reports that the log lost events, and continues at the end of the log', async () => {
  const restoredServer: ConsoleServer = await startServer(inject('template'));
  try {
    const person = await createPerson(admin, { rootRole: 'Admin' });
    await createPerson(createApi(restoredServer), { ...person, rootRole: 'Admin' });
    await logIn(person);
    const received = await startStream();
    const project = await createProject(admin);
    await createFlag(admin, project);
    await expect.poll(() => received.ids.length).toBeGreaterThan(1);

    target.url = restoredServer.url;
    // The login must come before the stream reconnects, because the stream would end without a session.
    await logIn(person);
    loadBalancer.cut();

    await expect.poll(() => received.lost).toBeGreaterThan(0);
    await expect.poll(() => received.start).toBe(2);
    const name = await createFlag(createApi(restoredServer), await createProject(createApi(restoredServer)));
    await expect.poll(() => received.flags).toContain(name);
  } finally {
    target.url = server.url;
    await restoredServer.stop();
  }
});
