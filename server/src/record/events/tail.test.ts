import pg from 'pg';
import { expect, test } from 'vitest';
import type { Db } from '../../platform/db/database.ts';
import { useHarness } from '../../test/harness.ts';
import { listEventsBetween } from './store.ts';
import { readWatermark } from './tail.ts';

const harness = useHarness();

const tailEvents = async (db: Db, afterId: number, limit: number) =>
  await listEventsBetween(db, afterId, await readWatermark(db), limit);

/** Opens a transaction on a separate connection. The caller ends the transaction. */
async function openTransaction(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: harness.databaseUrl });
  await client.connect();
  await client.query('begin');
  return client;
}

async function writeEvent(client: pg.Client, name: string): Promise<number> {
  const { rows } = await client.query(
    `insert into events (group_id, type, created_by, project) values ($1, 'project-created', 'test', $1) returning id`,
    [name],
  );
  return Number(rows[0].id);
}

async function end(client: pg.Client, outcome: 'commit' | 'rollback'): Promise<void> {
  await client.query(outcome);
  await client.end();
}

test('delivers events in id order even if the lower id commits last', async () => {
  const start = await readWatermark(harness.db);
  const slowWriter = await openTransaction();
  const fastWriter = await openTransaction();
  // The fast writer gets its transaction id first but its event id second, so tailing by transaction id would fail.
  await fastWriter.query('select pg_current_xact_id()');
  const low = await writeEvent(slowWriter, 'low');
  const high = await writeEvent(fastWriter, 'high');
  await end(fastWriter, 'commit');

  const early = await tailEvents(harness.db, start, 100);
  await end(slowWriter, 'commit');
  const late = await tailEvents(harness.db, early.at(-1)?.id ?? start, 100);

  expect(low).toBeLessThan(high);
  expect(early).toEqual([]);
  expect(late.map(event => event.id)).toEqual([low, high]);
});

test('a writer that begins while the watermark is read does not lower the watermark', async () => {
  const start = await readWatermark(harness.db);
  const writer = await openTransaction();
  // This is the key of a writer that began after the sequence was read and others had taken 5 more ids.
  await writer.query('select pg_advisory_xact_lock_shared(1214344281, $1)', [start + 5]);

  const watermarkDuringWrite = await readWatermark(harness.db);
  await end(writer, 'rollback');

  expect(watermarkDuringWrite).toBe(start);
});

test('skips the id of a transaction that was rolled back', async () => {
  const start = await readWatermark(harness.db);
  const rolledBackWriter = await openTransaction();
  await writeEvent(rolledBackWriter, 'rolled back');
  const keptWriter = await openTransaction();
  const id = await writeEvent(keptWriter, 'kept');
  await end(keptWriter, 'commit');
  await end(rolledBackWriter, 'rollback');

  const events = await tailEvents(harness.db, start, 100);

  expect(events.map(event => event.id)).toEqual([id]);
});

test('reads events that were committed before an open writer began', async () => {
  const start = await readWatermark(harness.db);
  const firstWriter = await openTransaction();
  const id = await writeEvent(firstWriter, 'first');
  await end(firstWriter, 'commit');
  const openWriter = await openTransaction();
  await writeEvent(openWriter, 'open');

  const events = await tailEvents(harness.db, start, 100);

  expect(events.map(event => event.id)).toEqual([id]);
  await end(openWriter, 'rollback');
});

test('misses no event and reads ids in order while 16 writers run', async () => {
  const start = await readWatermark(harness.db);
  let isWriting = true;
  const seenIds: number[] = [];
  const consume = async () => {
    for (const event of await tailEvents(harness.db, seenIds.at(-1) ?? start, 1_000)) seenIds.push(event.id);
  };
  const consumer = (async () => {
    while (isWriting) await consume();
  })();

  const writtenIds = await Promise.all(
    Array.from({ length: 16 }, async (_, writer) => {
      const ids: number[] = [];
      for (let round = 0; round < 25; round++) {
        const client = await openTransaction();
        const id = await writeEvent(client, `race ${writer}`);
        await new Promise(resolve => setTimeout(resolve, Math.random() * 8));
        await end(client, round % 5 === 0 ? 'rollback' : 'commit');
        if (round % 5 !== 0) ids.push(id);
      }
      return ids;
    }),
  );
  isWriting = false;
  await consumer;
  await consume();

  expect(seenIds).toEqual(writtenIds.flat().toSorted((a, b) => a - b));
});
