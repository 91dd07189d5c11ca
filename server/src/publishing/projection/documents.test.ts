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

const ask = async (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object) => {
  const response = await call(harness.app, method, url, body === undefined ? {} : { body });
  expect(response.status, `${method} ${url} ${JSON.stringify(response.body)}`).toBeLessThan(300);
  return response;
};

const features = '/api/admin/projects/default/features';

async function makeFlag(name: string): Promise<string> {
  await ask('POST', features, { name, type: 'experiment', impressionData: true });
  return `${features}/${name}/environments/production`;
}

async function rowsOf(name: string) {
  const { rows } = await sql<{ project: string; revision: number; document: string | null; tags: string[] }>`
    select project, revision, document, tags from sdk_features
    where name = ${name} and environment = 'production' order by revision, project`.execute(harness.db);
  return rows.map(({ document, ...row }) => ({ ...row, document: document && JSON.parse(document) }));
}

const revisions = async () => {
  const { rows } = await sql<{ environment: string; revision: number; complete_since: number }>`
    select * from sdk_revisions order by environment`.execute(harness.db);
  return rows;
};

test('a document contains only what SDKs evaluate', async () => {
  const path = await makeFlag('rich');
  const segment = (await ask('POST', '/api/admin/segments', { name: 'beta', constraints: [] })).body.id;
  const variant = { name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'userId' };
  await ask('POST', `${path}/strategies`, {
    name: 'flexibleRollout',
    title: 'not for SDKs',
    parameters: { rollout: '50', stickiness: 'userId', groupId: 'rich' },
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['7'] }],
    variants: [variant],
    segments: [segment],
  });
  await ask('POST', `${path}/strategies`, { name: 'default', disabled: true });
  await ask('POST', `${path}/on`);
  await makeFlag('parent');
  await ask('POST', `${features}/rich/dependencies`, { feature: 'parent' });
  await ask('POST', '/api/admin/features/rich/tags', { type: 'simple', value: 'web' });

  const [row] = await rowsOf('rich');

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
  const stored = await sql<{ document: string }>`
    select document from sdk_segments where id = ${segment} and environment = 'production'`.execute(
    harness.db,
  );
  expect(stored.rows).toEqual([{ document: `{"id":${segment},"name":"beta","constraints":[]}` }]);
});

test('a flag that moves leaves a removal in its old project', async () => {
  await makeProject(harness.db, { id: 'target', environments: ['development', 'production'] });
  await makeFlag('moving');

  const { headers } = await ask('POST', `${features}/moving/changeProject`, { newProjectId: 'target' });

  const revision = Number(/production=(\d+)/.exec(String(headers['halyard-revision']))?.[1]);
  expect(await rowsOf('moving')).toMatchObject([
    { project: 'default', revision, document: null },
    { project: 'target', revision, document: { name: 'moving', project: 'target' } },
  ]);
});

test('a response names the revisions of the environments that changed, and only those', async () => {
  const path = await makeFlag('named');
  await ask('POST', `${path}/strategies`, { name: 'default' });
  const before = await revisions();

  const { headers } = await ask('POST', `${path}/on`);
  const again = await ask('POST', `${path}/on`);

  const production = before.find(({ environment }) => environment === 'production')?.revision ?? 0;
  expect(headers['halyard-revision']).toBe(`production=${production + 1}`);
  expect(again.headers['halyard-revision']).toBeUndefined();
});

test('a response names the event with which the caller can ask for the reach of the whole change', async () => {
  const path = await makeFlag('with-event');
  await ask('POST', `${path}/strategies`, { name: 'default' });
  const newest = async () => (await ask('GET', '/api/admin/search/events?limit=1')).body.events[0];

  const on = await ask('POST', `${path}/on`);
  expect(await newest()).toMatchObject({
    id: Number(on.headers['halyard-event']),
    environment: 'production',
  });
  expect((await ask('POST', `${path}/on`)).headers['halyard-event']).toBeUndefined();
  // An archived flag leaves every environment, so the event is about none in particular.
  const { headers } = await ask('DELETE', `${features}/with-event`);
  const id = Number(headers['halyard-event']);
  const { events } = (await ask('GET', `/api/admin/search/events?feature=IS:with-event`)).body;
  expect(events.find((one: { id: number }) => one.id === id)).toMatchObject({ environment: null });
});

test('changes that no SDK can notice take no revision', async () => {
  const path = await makeFlag('quiet');
  const { id } = (await ask('POST', `${path}/strategies`, { name: 'default' })).body;
  const disabled = (await ask('POST', `${path}/strategies`, { name: 'default', disabled: true })).body.id;
  const { token } = await makeUser(harness.db, 'Admin');
  const before = await revisions();

  await call(harness.app, 'POST', `${features}/quiet/favorites`, { token });
  await ask('PATCH', `${features}/quiet`, [{ op: 'add', path: '/description', value: 'new' }]);
  await ask('PATCH', `${path}/strategies/${id}`, [{ op: 'add', path: '/title', value: 'new' }]);
  await ask('PATCH', `${path}/strategies/${disabled}`, [
    { op: 'replace', path: '/parameters', value: { a: 'b' } },
  ]);
  await ask('POST', `${features}/quiet/link`, { url: 'https://example.com' });
  await ask('POST', '/api/admin/segments', { name: 'unused', constraints: [] });
  await markSeen(harness.db, 'quiet');

  expect(await revisions()).toEqual(before);
});

test('finds and rebuilds documents that differ from their rows', async () => {
  await makeFlag('tampered');
  await sql`update sdk_features set document = '{}' where name = 'tampered'`.execute(harness.db);
  await sql`insert into sdk_segments values ('production', 4711, 1, '{}', null)`.execute(harness.db);

  const found = await findDifferences(harness.db);
  await rebuildDocuments(harness.db, found);

  expect(found).toEqual([
    { kind: 'feature', environment: 'development', key: 'tampered' },
    { kind: 'feature', environment: 'production', key: 'tampered' },
    { kind: 'segment', environment: 'production', key: '4711' },
  ]);
  expect(await findDifferences(harness.db)).toEqual([]);
});

test('purges removals after 30 days, and remembers from which revision on they are complete', async () => {
  for (const name of ['old', 'recent']) {
    await makeFlag(name);
    await ask('DELETE', `${features}/${name}`);
  }
  await sql`update sdk_features set removed_at = now() - interval '31 days' where name = 'old'`.execute(
    harness.db,
  );
  const [old] = await rowsOf('old');

  const purged = await purgeRemoved(harness.db);

  expect(purged).toBe(2);
  expect(await rowsOf('old')).toEqual([]);
  expect(await rowsOf('recent')).toMatchObject([{ document: null }]);
  expect(await revisions()).toMatchObject([
    { environment: 'development' },
    { environment: 'production', complete_since: old?.revision },
  ]);
});

test('a purge that deletes nothing changes no revision', async () => {
  const before = await revisions();

  await harness.db.transaction().execute(async tx => {
    await lockRevision(tx, 'production');
    expect(await deleteRemoved(tx, 'production', 30, 10)).toBe(0);
  });

  expect(await revisions()).toEqual(before);
});

test('a new epoch has a different number, even when it starts from the same one', async () => {
  const numbers = new Set<number>();
  for (let restored = 0; restored < 3; restored++) {
    await harness.db.updateTable('sdk_epoch').set({ number: 1 }).execute();
    await startEpoch(harness.db, 'test');
    numbers.add((await harness.db.selectFrom('sdk_epoch').select('number').executeTakeFirstOrThrow()).number);
  }

  expect(numbers.size).toBe(3);
});
