import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { startTcpProxy } from '../../test/tcp-proxy.ts';
import { createRecordedDatabase } from '../../test/unleash-database.ts';
import { followUnleash } from './follow.ts';
import { openSource } from './source/source.ts';

const harness = useHarness();
const SETTINGS = {
  keyring: makeKeyring(APP_SETTINGS.secretKey, []),
  targets: { allowed: [], allowPrivate: false },
};
const OPTIONS = { plan: false, accept: true, overwrite: false, onlyChanged: true };
const TIMEOUT = { timeout: 120_000 };

test("continues after an outage of Unleash's database, and reports a conflict only once", async () => {
  const unleash = await createRecordedDatabase('8.2.0');
  const url = new URL(unleash.url);
  const proxy = await startTcpProxy(url.hostname, Number(url.port || 5432));
  onTestFinished(() => proxy.close());
  url.port = String(proxy.port);
  const stopped = new AbortController();
  const outages: string[] = [];
  const conflicts: string[] = [];
  let runCount = 0;
  const following = followUnleash(harness.db, await openSource(url.href), SETTINGS, OPTIONS, stopped.signal, {
    onRun: () => runCount++,
    onConflict: conflict => conflicts.push(conflict),
    onOutage: error => outages.push(error.message),
  });
  await expect.poll(() => runCount, TIMEOUT).toBe(1);

  proxy.cut();
  await expect
    .poll(() => outages, TIMEOUT)
    .toEqual([expect.stringMatching(/^Cannot read the Unleash database/)]);
  await unleash.run(`
    update features set description = 'during the outage' where name = 'dark-mode';
    insert into events (id, type, created_by, feature_name) select max(id) + 1, 'feature-updated', 'ada', 'dark-mode' from events`);
  proxy.restore();

  const description = async () =>
    (
      await sql<{ description: string }>`
      select description from features where name = 'dark-mode'`.execute(harness.db)
    ).rows[0]?.description;
  await expect.poll(description, TIMEOUT).toBe('during the outage');
  expect(outages).toHaveLength(1);

  expect(conflicts).toEqual([]);
  await sql`update features set description = 'in Halyard' where name = 'dark-mode'`.execute(harness.db);
  const changeInUnleash = (text: string) =>
    unleash.run(`
      update features set description = '${text}' where name = 'dark-mode';
      insert into events (id, type, created_by, feature_name) select max(id) + 1, 'feature-updated', 'ada', 'dark-mode' from events`);
  await changeInUnleash('in Unleash');
  const conflict = 'features: dark-mode was changed both in Halyard and in Unleash';
  await expect.poll(() => conflicts, TIMEOUT).toEqual([conflict]);
  await changeInUnleash('in Unleash again');
  await unleash.run(`
    update features set description = 'later' where name = 'parent-flag';
    insert into events (id, type, created_by, feature_name) select max(id) + 1, 'feature-updated', 'ada', 'parent-flag' from events`);
  const runsBefore = runCount;
  await expect.poll(() => runCount, TIMEOUT).toBeGreaterThan(runsBefore);
  expect(conflicts).toEqual([conflict]);
  stopped.abort();
  await following;
}, 300_000);

test('ends with an explanation if the database no longer belongs to Unleash', async () => {
  const unleash = await createRecordedDatabase('8.2.0');
  const source = await openSource(unleash.url);
  await unleash.run('drop table api_tokens');

  const following = followUnleash(harness.db, source, SETTINGS, OPTIONS, new AbortController().signal, {
    onRun: () => {},
    onConflict: () => {},
    onOutage: () => {},
  });

  await expect(following).rejects.toThrow(
    '--from is not the database of an Unleash server: it has no table api_tokens.',
  );
}, 120_000);
