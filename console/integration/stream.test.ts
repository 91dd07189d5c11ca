import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { type Api, apiOf, createFlag, createPerson, createProject, unique } from '../e2e/support/api.ts';
import { type ConsoleServer, type Front, startFront, startServer } from '../e2e/support/server.ts';
import { elsewhere, logIn, openTab } from './support/tab.ts';

/** As many as one caller may have on a server. */
const MAX_STREAMS = 50;

// Separate servers, because this test would also see the events of other tests.
let server: ConsoleServer;
let admin: Api;
const target = { url: '' };
let front: Front;
let followEvents: typeof import('../src/live/stream.ts')['followEvents'];
const controllers: AbortController[] = [];

beforeAll(async () => {
  server = await startServer(inject('template'));
  admin = apiOf(server);
  target.url = server.url;
  front = await startFront(target);
  openTab(front.url);
  ({ followEvents } = await import('../src/live/stream.ts'));
});
afterEach(() => {
  for (const controller of controllers.splice(0)) controller.abort();
});
afterAll(async () => {
  await front.close();
  await server.stop();
});

/** What a tab learns from its stream. */
async function follow() {
  const seen = { start: 0, lost: 0, hidden: 0, missing: 0, ids: [] as number[], flags: [] as string[] };
  const controller = new AbortController();
  controllers.push(controller);
  void followEvents(controller.signal, {
    onStart: () => void seen.start++,
    onProgress: (_, events) => {
      seen.ids.push(...events.map(({ id }) => id));
      seen.flags.push(...events.flatMap(({ featureName }) => featureName ?? []));
    },
    onHidden: () => void seen.hidden++,
    onLost: () => void seen.lost++,
    onMissing: () => void seen.missing++,
  });
  await expect.poll(() => seen.start + seen.missing).toBeGreaterThan(0);
  return seen;
}

test('every event arrives once, even during an outage', async () => {
  const project = await createProject(admin);
  await logIn(await createPerson(admin, { rootRole: 'Admin' }));
  const seen = await follow();
  const first = await createFlag(admin, project);
  await expect.poll(() => seen.flags).toContain(first);

  front.state = 'down';
  front.cut();
  const second = await createFlag(admin, project);
  front.state = 'up';

  await expect.poll(() => seen.flags).toContain(second);
  expect(seen.flags.filter(name => [first, second].includes(name))).toEqual([first, second]);
  expect(new Set(seen.ids).size).toBe(seen.ids.length);
  expect(seen).toMatchObject({ start: 1, lost: 0 });
});

test('a change that the user may not see is announced without its content', async () => {
  await logIn(await createPerson(admin, { rootRole: 'Viewer' }));
  const seen = await follow();

  await admin.send('POST', '/api/admin/tags', { type: 'simple', value: `tag-${unique()}` });

  await expect.poll(() => seen.hidden).toBeGreaterThan(0);
  expect(seen.ids).toEqual([]);
});

test('a tab whose stream is rejected learns that it has none', async () => {
  await logIn(await createPerson(admin));
  const controller = new AbortController();
  controllers.push(controller);
  const others = await Promise.all(
    Array.from({ length: MAX_STREAMS }, () => elsewhere('/api/admin/events/stream', controller.signal)),
  );
  expect(others.every(({ ok }) => ok)).toBe(true);

  const seen = await follow();

  expect(seen).toMatchObject({ start: 0, missing: 1 });
});

test('a log that lost events is announced, and tailed from its end', async () => {
  const restored: ConsoleServer = await startServer(inject('template'));
  try {
    const person = await createPerson(admin, { rootRole: 'Admin' });
    await createPerson(apiOf(restored), { ...person, rootRole: 'Admin' });
    await logIn(person);
    const seen = await follow();
    const project = await createProject(admin);
    await createFlag(admin, project);
    await expect.poll(() => seen.ids.length).toBeGreaterThan(1);

    target.url = restored.url;
    // Before the stream reconnects, because without a session it would end.
    await logIn(person);
    front.cut();

    await expect.poll(() => seen.lost).toBeGreaterThan(0);
    await expect.poll(() => seen.start).toBe(2);
    const name = await createFlag(apiOf(restored), await createProject(apiOf(restored)));
    await expect.poll(() => seen.flags).toContain(name);
  } finally {
    target.url = server.url;
    await restored.stop();
  }
});
