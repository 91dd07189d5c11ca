import { expect, test } from 'vitest';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { createRecordedDatabase } from '../../test/unleash-database.ts';
import { readChangedFlags, readChangesSinceImport } from './changes-since-import.ts';
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

async function importRecorded(url: string): Promise<void> {
  const source = await openSource(url);
  await importUnleash(harness.db, source, SETTINGS, OPTIONS);
  await closeSource(source);
}

const send = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  expect((await call(harness.app, method, path, body ? { body } : {})).status).toBeLessThan(300);

async function readRollback() {
  const flags = await collect(readChangedFlags(harness.db));
  const changes = await collect(readChangesSinceImport(harness.db, flags));
  return await planRollback(harness.db, flags, changes);
}

test('sends only what changed, and lists what Unleash would reject', async () => {
  await importRecorded((await createRecordedDatabase('8.2.0')).url);
  const enable = (path: string) => send('POST', `/api/admin/projects/${path}/on`);
  // Unleash would reject empty-list as imported, and has no strategy type for pay.cards in staging.
  await enable('default/features/odd-weights/environments/development');
  await send(
    'DELETE',
    `${FEATURES}/odd-weights/environments/production/strategies/11111111-1111-4111-8111-111111111111`,
  );
  await send('POST', `${FEATURES}/empty-list/environments/production/off`);
  await enable('payments/features/pay.cards/environments/production');
  await send('POST', '/api/admin/projects/payments/features/pay.cards/environments/staging/off');
  // In Unleash, checkout-v2 is already both a parent and a child.
  await send('PUT', `${FEATURES}/checkout-v2`, { type: 'release', description: 'new' });
  await send('POST', `${FEATURES}/no-strategy/dependencies`, { feature: 'dark-mode' });
  await send('POST', '/api/admin/segments', { name: 'new-segment', constraints: [] });
  const segments = (await call(harness.app, 'GET', '/api/admin/segments')).body.segments;
  const { id } = segments.find(({ name }: { name: string }) => name === 'new-segment');
  await send('POST', `${FEATURES}/dark-mode/environments/production/strategies`, {
    name: 'default',
    segments: [id],
  });

  const { bodies, byHand } = await readRollback();
  expect(
    bodies.map(({ environment, data }) => [
      data.features.map(({ name }) => name).join(),
      environment,
      data.dependencies?.flatMap(({ dependencies }) => dependencies.map(({ feature }) => feature)),
    ]),
  ).toEqual([
    ['checkout-v2', 'production', []],
    ['odd-weights', 'development', []],
    ['odd-weights', 'production', []],
    ['pay.cards', 'production', []],
    ['no-strategy', 'production', ['dark-mode']],
  ]);
  expect(byHand.map(({ name, environment, reason }) => `${name} ${environment}: ${reason}`)).toEqual([
    'dark-mode production: Unleash has no segment "new-segment"',
    expect.stringMatching(/^empty-list production: Unleash would reject it, even though it has stored it: /),
    'pay.cards staging: Unleash has no strategy type "gradualRolloutUserId"',
  ]);
  expect(byHand.at(-1)?.changes).toEqual([
    expect.stringContaining('disabled flag pay.cards in environment staging'),
  ]);
});
