import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { readEventBatch } from './batch.ts';
import { readLastAssigned } from './tail.ts';

const harness = useHarness();

/** Writes events of about 330 kB and returns their ids. Random text hardly compresses, but repeated text shrinks to a few kB. */
async function writeLargeEvents(
  count: number,
  text: 'random' | 'repeated',
  hashes = 10_000,
): Promise<number[]> {
  const item = text === 'random' ? sql`md5(item::text || event::text)` : sql`repeat('x', 32)`;
  const { rows } = await sql<{ id: number }>`
    insert into events (group_id, type, created_by, data)
    select 'g', 'project-created', 'x', jsonb_build_object('items',
      (select jsonb_agg(${item}) from generate_series(1, ${hashes}::integer) as item))
    from generate_series(1, ${count}::integer) as event returning id`.execute(harness.db);
  return rows.map(({ id }) => id);
}

async function listBatchesAfter(after: number, limit = 100): Promise<number[][]> {
  const lastId = await readLastAssigned(harness.db);
  const batches: number[][] = [];
  for (let position = after; position < lastId; ) {
    const batch = await readEventBatch(harness.db, { afterId: position, lastId }, limit);
    batches.push(batch.events.map(({ id }) => id));
    position = batch.lastId;
  }
  return batches;
}

test.each(['random', 'repeated'] as const)(
  'reads 12 large events of %s text in small batches',
  async text => {
    const start = await readLastAssigned(harness.db);
    const writtenIds = await writeLargeEvents(12, text);

    const batches = await listBatchesAfter(start);

    expect(batches.flat()).toEqual(writtenIds);
    for (const batch of batches) expect(batch.length).toBeLessThan(10);
  },
);

test('a batch contains one event even if that event exceeds the maximum size', async () => {
  const start = await readLastAssigned(harness.db);
  const writtenIds = await writeLargeEvents(2, 'random', 40_000);

  expect(await listBatchesAfter(start)).toEqual(writtenIds.map(id => [id]));
});

test('small events fill batches up to the maximum number, and the last batch ends at the end of the range', async () => {
  const start = await readLastAssigned(harness.db);
  const writtenIds = await writeLargeEvents(5, 'random', 1);

  expect(await listBatchesAfter(start, 2)).toEqual([
    writtenIds.slice(0, 2),
    writtenIds.slice(2, 4),
    writtenIds.slice(4),
  ]);
  const lastId = start + 1_000;
  expect(await readEventBatch(harness.db, { afterId: start, lastId }, 100)).toMatchObject({ lastId });
  expect(await readEventBatch(harness.db, { afterId: lastId, lastId: lastId + 5 }, 100)).toEqual({
    events: [],
    lastId: lastId + 5,
  });
});
