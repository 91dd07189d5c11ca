import { notifyManager, QueryClient, QueryObserver } from '@tanstack/react-query';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createApi, createFlag, createPerson, createProject } from '../e2e/support/api.ts';
import { type LoadBalancer, startLoadBalancer } from '../e2e/support/server.ts';
import { countSent, logIn, openTab, setVisible } from './support/tab.ts';

const server = inject('clientServer');
const admin = createApi(server);
const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
let loadBalancer: LoadBalancer;
let flags: typeof import('../src/features/queries.ts');
let session: typeof import('../src/api/session.ts');
const unsubscribers: (() => void)[] = [];

beforeAll(async () => {
  loadBalancer = await startLoadBalancer(server);
  openTab(loadBalancer.url);
  const { startLiveUpdates } = await import('../src/live/live.ts');
  const { meQuery } = await import('../src/api/me.ts');
  flags = await import('../src/features/queries.ts');
  session = await import('../src/api/session.ts');
  await logIn(await createPerson(admin, { rootRole: 'Admin' }));
  await client.fetchQuery(meQuery);
  startLiveUpdates(client);
});
afterAll(async () => {
  for (const unsubscribe of unsubscribers) unsubscribe();
  await loadBalancer.close();
});

/** Creates a flag, and observes it like a page that shows the flag. */
async function showFlag() {
  const projectId = await createProject(admin);
  const target = { projectId, featureName: await createFlag(admin, projectId) };
  const observer = new QueryObserver(client, flags.featureQuery(target));
  const readShown = () => observer.getCurrentResult().data;
  const isEnabled = () => readShown()?.environments.find(({ name }) => name === 'development')?.enabled;
  const states: (boolean | undefined)[] = [];
  // Like React, the test reads the state only after all changes of a tick.
  unsubscribers.push(observer.subscribe(notifyManager.batchCalls(() => states.push(isEnabled()))));
  await expect.poll(() => observer.getCurrentResult().data?.name).toBe(target.featureName);
  const path = `/api/admin/projects/${projectId}/features/${target.featureName}`;
  const environment = { ...target, environment: 'development' };
  return { target, environment, path, readShown, isEnabled, states };
}

test('a change by somebody else appears without polling', async () => {
  const { path, readShown } = await showFlag();

  await admin.send('PUT', path, { description: 'Changed elsewhere' });

  await expect.poll(() => readShown()?.description).toBe('Changed elsewhere');
});

test('changes made while the tab is hidden appear when it becomes visible', async () => {
  const { path, readShown } = await showFlag();

  setVisible(false);
  await admin.send('PUT', path, { description: 'While hidden' });
  setVisible(true);

  await expect.poll(() => readShown()?.description).toBe('While hidden');
});

test('changes made during an outage appear after the outage', async () => {
  const { path, readShown } = await showFlag();

  loadBalancer.state = 'down';
  loadBalancer.cut();
  await admin.send('PUT', path, { description: 'In the outage' });
  await expect.poll(() => session.readConnection().unavailable).toBe(true);
  loadBalancer.state = 'up';

  await expect.poll(() => readShown()?.description).toBe('In the outage');
  expect(session.readConnection().unavailable).toBe(false);
});

test('1,000 events cause at most about one request per second', async () => {
  const { target, path, readShown } = await showFlag();
  const pattern = new RegExp(`^${path}$`);
  const requestsBefore = countSent('GET', pattern);
  const database = new pg.Client({ connectionString: server.databaseUrl });
  await database.connect();
  const startedAt = performance.now();

  await database.query(
    `insert into events (group_id, type, created_by, project, feature_name)
     select 'burst ' || n, 'feature-metadata-updated', 'burst', $1, $2 from generate_series(1, 1000) n`,
    [target.projectId, target.featureName],
  );
  await admin.send('PUT', path, { description: 'After the burst' });
  await expect.poll(() => readShown()?.description).toBe('After the burst');

  // At most one refresh starts each second.
  const seconds = (performance.now() - startedAt) / 1000;
  expect(countSent('GET', pattern) - requestsBefore).toBeLessThanOrEqual(seconds + 2);
  await database.end();
});

test('a toggle appears immediately and survives a response with the previous state', async () => {
  const { target, environment, isEnabled, states } = await showFlag();

  loadBalancer.responsesToLose = 1;
  const toggling = flags.setEnabled(client, environment, true);
  await expect.poll(isEnabled).toBe(true);
  const firstEnabled = states.indexOf(true);
  // This refetch returns the previous state, because the lost change has not been retried yet.
  await client.invalidateQueries({ queryKey: flags.featureQuery(target).queryKey });
  await toggling;
  await client.invalidateQueries({ queryKey: flags.featureQuery(target).queryKey });

  expect(firstEnabled).toBeGreaterThanOrEqual(0);
  expect(states.slice(firstEnabled)).not.toContain(false);
  expect(isEnabled()).toBe(true);
});

test('a rejected toggle reverts without losing changes by somebody else', async () => {
  const { environment, path, isEnabled, readShown } = await showFlag();

  const [toggling] = await Promise.allSettled([
    flags.setEnabled(client, environment, true, { etag: '"older"' }),
    admin.send('PUT', path, { description: 'By somebody else' }),
  ]);

  expect(toggling).toMatchObject({ status: 'rejected', reason: { status: 412 } });
  await expect.poll(() => readShown()?.description).toBe('By somebody else');
  expect(isEnabled()).toBe(false);
});

test('a save refreshes the affected queries before it resolves', async () => {
  const { target, readShown } = await showFlag();
  const startedAt = performance.now();

  await flags.updateFeature(target, { description: 'By the user' });

  // A page waits at most a second for the refresh, so a slower refresh may still be running.
  if (performance.now() - startedAt < 1_000) expect(readShown()?.description).toBe('By the user');
  await expect.poll(() => readShown()?.description).toBe('By the user');
});
