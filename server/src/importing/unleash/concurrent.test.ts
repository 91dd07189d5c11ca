import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { toImportedId } from '../../record/events/imported.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { createRecordedDatabase } from '../../test/unleash-database.ts';
import type { Report } from './report.ts';
import { importUnleash } from './run.ts';
import { closeSource, openSource } from './source/source.ts';

// Imports that run while something else writes to Halyard.

const harness = useHarness();

async function run(url: string): Promise<Report> {
  const source = await openSource(url);
  try {
    return await importUnleash(
      harness.db,
      source,
      { keyring: makeKeyring(APP_SETTINGS.secretKey, []), targets: { allowed: [], allowPrivate: false } },
      { plan: false, accept: true, overwrite: false, onlyChanged: false },
    );
  } finally {
    await closeSource(source);
  }
}

async function waitUntilBlocked(count: number): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      harness.db,
    );
    if (rows.length >= count) return;
    await sleep(20);
  }
}

test('waits for a concurrent edit of a flag, and keeps the edit', async () => {
  const unleash = await createRecordedDatabase('8.2.0');
  await run(unleash.url);
  await unleash.run(`update features set description = 'Changed in Unleash' where name = 'checkout-v2'`);

  const edit = await harness.db.startTransaction().execute();
  await sql`update features set description = 'Changed here' where name = 'checkout-v2'`.execute(edit);
  const importing = run(unleash.url);
  await waitUntilBlocked(1);
  await edit.commit().execute();
  const report = await importing;

  expect(report.get('features')?.conflicts).toEqual([
    'checkout-v2 was changed both in Halyard and in Unleash',
  ]);
  const { body } = await call(harness.app, 'GET', '/api/admin/projects/default/features/checkout-v2');
  expect(body.description).toBe('Changed here');
});

test('two simultaneous imports create and record each item only once', async () => {
  const unleash = await createRecordedDatabase('4.19.5');
  const holder = await harness.db.startTransaction().execute();
  await sql`lock table imported in exclusive mode`.execute(holder);

  const imports = Promise.all([run(unleash.url), run(unleash.url)]);
  await waitUntilBlocked(2);
  await holder.commit().execute();
  const [firstReport, secondReport] = await imports;

  const createdCounts = (kind: string) =>
    [firstReport, secondReport].map(report => report.get(kind)?.created ?? 0);
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from events where type = 'feature-import' and id > 0
    group by feature_name, data having count(*) > 1`.execute(harness.db);
  expect(rows).toEqual([]);
  expect(Math.max(...createdCounts('context fields'))).toBe(
    createdCounts('context fields').reduce((a, b) => a + b),
  );
});

test('counts an event as unchanged if a simultaneous import writes it first', async () => {
  const unleash = await createRecordedDatabase('8.2.0');
  await run(unleash.url);
  await unleash.run(
    `insert into events (id, type, created_by, data) values (7000, 'feature-updated', 'ada', '{}')`,
  );
  await sql`create table held as select * from events_imported order by id desc limit 1`.execute(harness.db);
  await sql`update held set id = ${toImportedId(7000)}`.execute(harness.db);

  const transaction = await harness.db.startTransaction().execute();
  await sql`insert into events_imported select * from held`.execute(transaction);
  const importing = run(unleash.url);
  await waitUntilBlocked(1);
  await transaction.commit().execute();

  expect((await importing).get('events')).toMatchObject({ created: 0 });
});
