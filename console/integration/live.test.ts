import { notifyManager, QueryClient, QueryObserver } from '@tanstack/react-query';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { apiOf, createFlag, createPerson, createProject } from '../e2e/support/api.ts';
import { type Front, startFront } from '../e2e/support/server.ts';
import { countSent, logIn, openTab, setVisible } from './support/tab.ts';

const server = inject('clientServer');
const admin = apiOf(server);
const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
let front: Front;
let flags: typeof import('../src/features/queries.ts');
let session: typeof import('../src/api/session.ts');
const stops: (() => void)[] = [];

beforeAll(async () => {
  front = await startFront(server);
  openTab(front.url);
  const { startLive } = await import('../src/live/live.ts');
  const { meQuery } = await import('../src/api/me.ts');
  flags = await import('../src/features/queries.ts');
  session = await import('../src/api/session.ts');
  await logIn(await createPerson(admin, { rootRole: 'Admin' }));
  await client.fetchQuery(meQuery);
  startLive(client);
});
afterAll(async () => {
  for (const stop of stops) stop();
  await front.close();
});

/** A flag that a page shows. */
async function shownFlag() {
  const projectId = await createProject(admin);
  const place = { projectId, featureName: await createFlag(admin, projectId) };
  const observer = new QueryObserver(client, flags.featureQuery(place));
  const shown = () => observer.getCurrentResult().data;
  const isEnabled = () => shown()?.environments.find(({ name }) => name === 'development')?.enabled;
  const seen: (boolean | undefined)[] = [];
  // Reads the state as React does, after all changes of the same turn.
  stops.push(observer.subscribe(notifyManager.batchCalls(() => seen.push(isEnabled()))));
  await expect.poll(() => observer.getCurrentResult().data?.name).toBe(place.featureName);
  const address = `/api/admin/projects/${projectId}/features/${place.featureName}`;
  const environment = { ...place, environment: 'development' };
  return { place, environment, address, shown, isEnabled, seen };
}

test('a change by somebody else appears without polling', async () => {
  const { address, shown } = await shownFlag();

  await admin.send('PUT', address, { description: 'Changed elsewhere' });

  await expect.poll(() => shown()?.description).toBe('Changed elsewhere');
});

test('changes while the tab is hidden appear when it is visible again', async () => {
  const { address, shown } = await shownFlag();

  setVisible(false);
  await admin.send('PUT', address, { description: 'While hidden' });
  setVisible(true);

  await expect.poll(() => shown()?.description).toBe('While hidden');
});

test('changes during an outage appear after it', async () => {
  const { address, shown } = await shownFlag();

  front.state = 'down';
  front.cut();
  await admin.send('PUT', address, { description: 'In the outage' });
  await expect.poll(() => session.readConnection().unavailable).toBe(true);
  front.state = 'up';

  await expect.poll(() => shown()?.description).toBe('In the outage');
  expect(session.readConnection().unavailable).toBe(false);
});

test('1,000 events cause few requests', async () => {
  const { place, address, shown } = await shownFlag();
  const path = new RegExp(`^${address}$`);
  const before = countSent('GET', path);
  const database = new pg.Client({ connectionString: server.databaseUrl });
  await database.connect();
  const startedAt = performance.now();

  await database.query(
    `insert into events (group_id, type, created_by, project, feature_name)
     select 'burst ' || n, 'feature-metadata-updated', 'burst', $1, $2 from generate_series(1, 1000) n`,
    [place.projectId, place.featureName],
  );
  await admin.send('PUT', address, { description: 'After the burst' });
  await expect.poll(() => shown()?.description).toBe('After the burst');

  // A refresh, followed by a pause of a second.
  const seconds = (performance.now() - startedAt) / 1000;
  expect(countSent('GET', path) - before).toBeLessThanOrEqual(seconds + 2);
  await database.end();
});

test('a toggle is shown immediately, and no response with the previous state reverts it', async () => {
  const { place, environment, isEnabled, seen } = await shownFlag();

  front.lost = 1;
  const toggled = flags.setEnabled(client, environment, true);
  await expect.poll(isEnabled).toBe(true);
  const from = seen.indexOf(true);
  // Loaded before the retry of the change.
  await client.invalidateQueries({ queryKey: flags.featureQuery(place).queryKey });
  await toggled;
  await client.invalidateQueries({ queryKey: flags.featureQuery(place).queryKey });

  expect(from).toBeGreaterThanOrEqual(0);
  expect(seen.slice(from)).not.toContain(false);
  expect(isEnabled()).toBe(true);
});

test('a rejected toggle reverts itself, but nothing that somebody else changed meanwhile', async () => {
  const { environment, address, isEnabled, shown } = await shownFlag();

  const [toggled] = await Promise.allSettled([
    flags.setEnabled(client, environment, true, { etag: '"older"' }),
    admin.send('PUT', address, { description: 'By somebody else' }),
  ]);

  expect(toggled).toMatchObject({ status: 'rejected', reason: { status: 412 } });
  await expect.poll(() => shown()?.description).toBe('By somebody else');
  expect(isEnabled()).toBe(false);
});

test('a change of the user refreshes what it changed before it returns', async () => {
  const { place, shown } = await shownFlag();
  const startedAt = performance.now();

  await flags.updateFeature(place, { description: 'By the user' });

  // A page waits for at most a second.
  if (performance.now() - startedAt < 1_000) expect(shown()?.description).toBe('By the user');
  await expect.poll(() => shown()?.description).toBe('By the user');
});
