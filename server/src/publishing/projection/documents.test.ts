import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startEpoch } from '../../record/epoch/start.ts';
import { makeProject, makeUser, markSeen } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { purgeRemoved } from './purge.ts';
import { deleteRemoved, lockRevision } from './store.ts';
import { findDifferences, rebuildDocuments } from './verify.ts';

const harness = useHarness();

const callApi = async (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object) => {
  const response = await call(harness.app, method, url, body === undefined ? {} : { body });
  expect(response.status, `${method} ${url} ${JSON.stringify(response.body)}`).toBeLessThan(300);
  return response;
};

const features = '/api/admin/projects/default/features';

async function makeFlag(name: string): Promise<string> {
  await callApi('POST', features, { name, type: 'experiment', impressionData: true });
  return `${features}/${name}/environments/production`;
}

async function readRows(name: string) {
  const { rows } = await sql<{ project: string; revision: number; document: string | null; tags: string[] }>`
    select project, revision, document, tags from sdk_features
    where name = ${name} and environment = 'production' order by revision, project`.execute(harness.db);
  return rows.map(({ document, ...row }) => ({ ...row, document: document && JSON.parse(document) }));
}

const readRevisions = async () => {
  const { rows } = await sql<{ environment: string; revision: number; complete_since: number }>`
    select * from sdk_revisions order by environment`.execute(harness.db);
  return rows;
};

test('a document contains only what SDKs receive', async () => {
  const path = await makeFlag('rich');
  const segment = (await callApi('POST', '/api/admin/segments', { name: 'beta', constraints: [] })).body.id;
  const variant = { name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'userId' };
  await callApi('POST', `${path}/strategies`, {
    name: 'flexibleRollout',
    title: 'not for SDKs',
    parameters: { rollout: '50', stickiness: 'userId', groupId: 'rich' },
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['7'] }],
    variants: [variant],
    segments: [segment],
  });
  await callApi('POST', `${path}/strategies`, { name: 'default', disabled: true });
  await callApi('POST', `${path}/on`);
  await makeFlag('parent');
  await callApi('POST', `${features}/rich/dependencies`, { feature: 'parent' });
  await callApi('POST', '/api/admin/features/rich/tags', { type: 'simple', value: 'web' });

  const [row] = await readRows('rich');

  expect(row?.document).toEqual({
    name: 'rich',
    type: 'experiment',
    enabled: true,
    project: 'default',
    stale: false,
    impressionData: true,
    strategies: [
      {
        name: 'flexibleRollout',
        constraints: [expect.objectContaining({ contextName: 'userId', operator: 'IN', values: ['7'] })],
        parameters: { rollout: '50', stickiness: 'userId', groupId: 'rich' },
        variants: [variant],
        segments: [segment],
      },
    ],
    variants: [],
    dependencies: [{ feature: 'parent', enabled: true }],
  });
  expect(row?.tags).toEqual(['simple:web']);
  const storedRow = await sql<{ document: string }>`
    select document from sdk_segments where id = ${segment} and environment = 'production'`.execute(
    harness.db,
  );
  expect(storedRow.rows).toEqual([{ document: `{"id":${segment},"name":"beta","constraints":[]}` }]);
});

test('a flag that moves leaves a removal in its old project', async () => {
  await makeProject(harness.db, { id: 'target', environments: ['development', 'production'] });
  await makeFlag('moving');

  const { headers } = await callApi('POST', `${features}/moving/changeProject`, { newProjectId: 'target' });

  const revision = Number(/production=(\d+)/.exec(String(headers['halyard-revision']))?.[1]);
  expect(await readRows('moving')).toMatchObject([
    { project: 'default', revision, document: null },
    { project: 'target', revision, document: { name: 'moving', project: 'target' } },
  ]);
});

test('a response contains only the revisions of the environments that changed', async () => {
  const path = await makeFlag('named');
  await callApi('POST', `${path}/strategies`, { name: 'default' });
  const revisionsBefore = await readRevisions();

  const { headers } = await callApi('POST', `${path}/on`);
  const secondToggle = await callApi('POST', `${path}/on`);

  const production = revisionsBefore.find(({ environment }) => environment === 'production')?.revision ?? 0;
  expect(headers['halyard-revision']).toBe(`production=${production + 1}`);
  expect(secondToggle.headers['halyard-revision']).toBeUndefined();
});

test('a response contains the id of an event that covers the whole change', async () => {
  const path = await makeFlag('with-event');
  await callApi('POST', `${path}/strategies`, { name: 'default' });
  const findNewestEvent = async () =>
    (await callApi('GET', '/api/admin/search/events?limit=1')).body.events[0];

  const toggle = await callApi('POST', `${path}/on`);
  expect(await findNewestEvent()).toMatchObject({
    id: Number(toggle.headers['halyard-event']),
    environment: 'production',
  });
  expect((await callApi('POST', `${path}/on`)).headers['halyard-event']).toBeUndefined();
  // An archived flag leaves every environment, so the event has no environment.
  const { headers } = await callApi('DELETE', `${features}/with-event`);
  const id = Number(headers['halyard-event']);
  const { events } = (await callApi('GET', `/api/admin/search/events?feature=IS:with-event`)).body;
  expect(events.find((event: { id: number }) => event.id === id)).toMatchObject({ environment: null });
});

test('changes that no SDK can notice create no revision', async () => {
  const path = await makeFlag('quiet');
  const { id } = (await callApi('POST', `${path}/strategies`, { name: 'default' })).body;
  const disabledId = (await callApi('POST', `${path}/strategies`, { name: 'default', disabled: true })).body
    .id;
  const { token } = await makeUser(harness.db, 'Admin');
  const revisionsBefore = await readRevisions();

  await call(harness.app, 'POST', `${features}/quiet/favorites`, { token });
  await callApi('PATCH', `${features}/quiet`, [{ op: 'add', path: '/description', value: 'new' }]);
  await callApi('PATCH', `${path}/strategies/${id}`, [{ op: 'add', path: '/title', value: 'new' }]);
  await callApi('PATCH', `${path}/strategies/${disabledId}`, [
    { op: 'replace', path: '/parameters', value: { a: 'b' } },
  ]);
  await callApi('POST', `${features}/quiet/link`, { url: 'https://example.com' });
  await callApi('POST', '/api/admin/segments', { name: 'unused', constraints: [] });
  await markSeen(harness.db, 'quiet');

  expect(await readRevisions()).toEqual(revisionsBefore);
});

test('finds and rebuilds documents that differ from their rows', async () => {
  await makeFlag('tampered');
  await sql`update sdk_features set document = '{}' where name = 'tampered'`.execute(harness.db);
  await sql`insert into sdk_segments values ('production', 4711, 1, '{}', null)`.execute(harness.db);

  const differences = await findDifferences(harness.db);
  await rebuildDocuments(harness.db, differences);

  expect(differences).toEqual([
    { kind: 'feature', environment: 'development', key: 'tampered' },
    { kind: 'feature', environment: 'production', key: 'tampered' },
    { kind: 'segment', environment: 'production', key: '4711' },
  ]);
  expect(await findDifferences(harness.db)).toEqual([]);
});

test('purges removals after 30 days, and records the revision since which the removals are complete', async () => {
  for (const name of ['old', 'recent']) {
    await makeFlag(name);
    await callApi('DELETE', `${features}/${name}`);
  }
  await sql`update sdk_features set removed_at = now() - interval '31 days' where name = 'old'`.execute(
    harness.db,
  );
  const [oldRow] = await readRows('old');

  const purgedDocuments = await purgeRemoved(harness.db);

  expect(purgedDocuments).toBe(2);
  expect(await readRows('old')).toEqual([]);
  expect(await readRows('recent')).toMatchObject([{ document: null }]);
  expect(await readRevisions()).toMatchObject([
    { environment: 'development' },
    { environment: 'production', complete_since: oldRow?.revision },
  ]);
});

test('a purge that deletes nothing changes no revision', async () => {
  const revisionsBefore = await readRevisions();

  await harness.db.transaction().execute(async tx => {
    await lockRevision(tx, 'production');
    expect(await deleteRemoved(tx, 'production', 30, 10)).toBe(0);
  });

  expect(await readRevisions()).toEqual(revisionsBefore);
});

test('a new epoch gets a different number each time, even if it follows the same epoch', async () => {
  const numbers = new Set<number>();
  for (let restore = 0; restore < 3; restore++) {
    await harness.db.updateTable('sdk_epoch').set({ number: 1 }).execute();
    await startEpoch(harness.db, 'test');
    numbers.add((await harness.db.selectFrom('sdk_epoch').select('number').executeTakeFirstOrThrow()).number);
  }

  expect(numbers.size).toBe(3);
});
