import { expect, test } from 'vitest';
import { keyringOf } from '../../platform/secrets/seal.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { recordedUnleash } from '../../test/unleash-database.ts';
import { changedFlags, changesSince, importBodies, importedSince } from './changes-here.ts';
import { importUnleash } from './run.ts';
import { closeSource, openSource } from './source/source.ts';

const harness = useHarness();
const SETTINGS = {
  keyring: keyringOf(APP_SETTINGS.secretKey, []),
  targets: { allowed: [], allowPrivate: false },
};
const OPTIONS = { plan: false, accept: true, overwrite: false, onlyChanged: false };
const FEATURES = '/api/admin/projects/default/features';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

test('finds what changed since the import, and nothing that the import wrote', async () => {
  expect(await importedSince(harness.db)).toBeUndefined();
  const source = await openSource((await recordedUnleash('8.2.0')).url);
  await importUnleash(harness.db, source, SETTINGS, OPTIONS);
  await closeSource(source);
  expect(await collect(changedFlags(harness.db))).toEqual([]);

  await call(harness.app, 'POST', FEATURES, { body: { name: 'gift-cards', type: 'release' } });
  await call(harness.app, 'DELETE', `${FEATURES}/no-strategy`);
  await call(harness.app, 'DELETE', `${FEATURES}/old-basket`);
  await call(harness.app, 'DELETE', '/api/admin/archive/old-basket');

  const flags = await collect(changedFlags(harness.db));
  expect(flags.map(({ name, change }) => `${name} ${change}`)).toEqual([
    'gift-cards created',
    'no-strategy archived',
    'old-basket deleted',
  ]);
  const changes = await collect(changesSince(harness.db, (await importedSince(harness.db)) ?? ''));
  expect(changes.map(({ type }) => type)).toEqual([
    'feature-created',
    'feature-archived',
    'feature-archived',
    'feature-deleted',
  ]);
  const bodies = await importBodies(harness.db, flags);
  expect(bodies.map(({ data }) => data.features.map(({ name }) => name))).toEqual([
    ['gift-cards'],
    ['gift-cards'],
  ]);
  expect(bodies.map(({ data }) => Object.keys(data))).not.toContainEqual(expect.arrayContaining(['links']));

  const link = { url: 'https://example.com/gifts', title: 'Gifts' };
  await call(harness.app, 'POST', `${FEATURES}/gift-cards/link`, { body: link });
  const [body] = await importBodies(harness.db, await collect(changedFlags(harness.db)));
  expect(body?.data.links).toEqual([{ feature: 'gift-cards', links: [link] }]);
});
