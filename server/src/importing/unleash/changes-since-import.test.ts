import { expect, test } from 'vitest';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { createRecordedDatabase } from '../../test/unleash-database.ts';
import { hasImportedData, readChangedFlags, readChangesSinceImport } from './changes-since-import.ts';
import { planRollback } from './rollback.ts';
import { importUnleash } from './run.ts';
import { closeSource, openSource } from './source/source.ts';

const harness = useHarness();
const SETTINGS = {
  keyring: makeKeyring(APP_SETTINGS.secretKey, []),
  targets: { allowed: [], allowPrivate: false },
};
const OPTIONS = { plan: false, accept: true, overwrite: false, onlyChanged: false };
const FEATURES = '/api/admin/projects/default/features';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function importRecorded(url: string, overwrite = false): Promise<void> {
  const source = await openSource(url);
  await importUnleash(harness.db, source, SETTINGS, { ...OPTIONS, overwrite });
  await closeSource(source);
}

const send = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  expect((await call(harness.app, method, path, body ? { body } : {})).status).toBeLessThan(300);

async function readRollback() {
  const flags = await collect(readChangedFlags(harness.db));
  const changes = await collect(readChangesSinceImport(harness.db, flags));
  return { flags, changes, ...(await planRollback(harness.db, flags, changes)) };
}

test('finds what changed since the import, but nothing that the import wrote', async () => {
  expect(await hasImportedData(harness.db)).toBe(false);
  await importRecorded((await createRecordedDatabase('8.2.0')).url);
  expect(await readRollback()).toEqual({ flags: [], changes: [], bodies: [], byHand: [] });

  await send('POST', FEATURES, { name: 'gift-cards', type: 'release' });
  await send('DELETE', `${FEATURES}/no-strategy`);
  await send('DELETE', `${FEATURES}/old-basket`);
  await send('DELETE', '/api/admin/archive/old-basket');

  const { flags, changes, bodies, byHand } = await readRollback();
  expect(flags.map(({ name, change }) => `${name} ${change}`)).toEqual([
    'gift-cards created',
    'no-strategy archived',
    'old-basket deleted',
  ]);
  expect(changes.map(({ type }) => type)).toEqual([
    'feature-created',
    'feature-archived',
    'feature-archived',
    'feature-deleted',
  ]);
  expect(bodies.map(({ data }) => data.features.map(({ name }) => name))).toEqual([['gift-cards']]);
  expect(byHand.map(({ name, changes: texts }) => [name, texts.length])).toEqual([
    ['no-strategy', 1],
    ['old-basket', 2],
  ]);
  expect(bodies.map(({ data }) => Object.keys(data))).not.toContainEqual(expect.arrayContaining(['links']));

  const link = { url: 'https://example.com/gifts', title: 'Gifts' };
  await send('POST', `${FEATURES}/gift-cards/link`, link);
  const [body] = (await readRollback()).bodies;
  expect(body?.data.links).toEqual([{ feature: 'gift-cards', links: [link] }]);
});

test('lists changes to repeat in Unleash, but not what an import replaced or what Halyard did itself', async () => {
  const { url } = await createRecordedDatabase('8.2.0');
  await importRecorded(url);
  const lastId = (await readRollback()).changes.at(-1)?.id ?? 0;
  await send('PUT', `${FEATURES}/dark-mode`, { type: 'release', description: 'replaced by the import' });
  await send('PUT', '/api/admin/segments/1', { name: 'beta-users', constraints: [] });
  await importRecorded(url, true);

  await send('PUT', '/api/admin/maintenance', { enabled: true });
  await send('PUT', '/api/admin/maintenance', { enabled: false });
  await send('POST', `${FEATURES}/checkout-v2/environments/production/off`);
  await send('POST', `${FEATURES}/checkout-v2/environments/production/on`);
  const byHalyard = { created_by: 'system', created_by_kind: 'system', group_id: 'x' };
  await harness.db
    .insertInto('events')
    .values([
      { ...byHalyard, type: 'application-created' },
      { ...byHalyard, type: 'feature-stage-entered', project: 'default', feature_name: 'gift-cards' },
    ])
    .execute();
  await send('PUT', '/api/admin/segments/2', { name: 'nordics', constraints: [] });

  const { changes } = await readRollback();
  expect(changes.filter(({ id }) => id > lastId).map(({ text }) => text)).toEqual([
    expect.stringContaining('nordics'),
  ]);
});
