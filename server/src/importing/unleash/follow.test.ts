import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { keyringOf } from '../../platform/secrets/seal.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { startTcpProxy } from '../../test/tcp-proxy.ts';
import { recordedUnleash } from '../../test/unleash-database.ts';
import { followUnleash } from './follow.ts';
import { openSource } from './source/source.ts';

const harness = useHarness();
const SETTINGS = {
  keyring: keyringOf(APP_SETTINGS.secretKey, []),
  targets: { allowed: [], allowPrivate: false },
};
const OPTIONS = { plan: false, accept: true, overwrite: false, onlyChanged: true };
const TIMEOUT = { timeout: 120_000 };

test('continues after the database of Unleash was down', async () => {
  const unleash = await recordedUnleash('8.2.0');
  const url = new URL(unleash.url);
  const proxy = await startTcpProxy(url.hostname, Number(url.port || 5432));
  onTestFinished(() => proxy.close());
  url.port = String(proxy.port);
  const stopped = new AbortController();
  const outages: string[] = [];
  let runs = 0;
  const following = followUnleash(harness.db, await openSource(url.href), SETTINGS, OPTIONS, stopped.signal, {
    onRun: () => runs++,
    onOutage: error => outages.push(error.message),
  });
  await expect.poll(() => runs, TIMEOUT).toBe(1);

  proxy.cut();
  await expect
    .poll(() => outages, TIMEOUT)
    .toEqual([expect.stringMatching(/^Cannot read the Unleash database/)]);
  await unleash.run(`
    update features set description = 'during the outage' where name = 'dark-mode';
    insert into events (id, type, created_by, feature_name) select max(id) + 1, 'feature-updated', 'ada', 'dark-mode' from events`);
  proxy.thaw();

  const description = async () =>
    (
      await sql<{ description: string }>`
      select description from features where name = 'dark-mode'`.execute(harness.db)
    ).rows[0]?.description;
  await expect.poll(description, TIMEOUT).toBe('during the outage');
  expect(outages).toHaveLength(1);
  stopped.abort();
  await following;
}, 300_000);

test('ends with an explanation if the database no longer belongs to Unleash', async () => {
  const unleash = await recordedUnleash('8.2.0');
  const source = await openSource(unleash.url);
  await unleash.run('drop table api_tokens');

  const following = followUnleash(harness.db, source, SETTINGS, OPTIONS, new AbortController().signal, {
    onRun: () => {},
    onOutage: () => {},
  });

  await expect(following).rejects.toThrow('This is not an Unleash database: it has no table api_tokens.');
}, 120_000);
