import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { useHarness } from '../../test/harness.ts';
import { indexNext, startIndexer } from '../event-index/indexer.ts';
import { readIndexLag } from '../event-index/lag.ts';
import { readIndexedChunks } from '../event-index/store.ts';
import { storeLargeTexts } from '../event-index/text/store-large.ts';
import { makeSearchMemory } from './indexed.ts';
import { searchEvents } from './search.ts';
import { findMatching } from './store.ts';

const harness = useHarness();
const memory = makeSearchMemory();
const QUERIES = ['feature-1', 'rolled out', 'Feature', '74', 'nowhere'];

beforeAll(async () => {
  await sql`
    insert into events (id, group_id, type, created_by, project, data)
    select id, 'group', 'feature-tagged', 'someone', 'alpha',
      jsonb_build_object('name', 'feature-' || id / 100, 'text', case when id % 2 = 0 then 'rolled out' end)
    from generate_series(1000, 49990, 10) as id`.execute(harness.db);
  await sql`
    insert into events (id, group_id, type, created_by, data)
    values (40001, 'group', 'segment-updated', 'someone', jsonb_build_object('text', repeat('large ', 10000)))`.execute(
    harness.db,
  );
  await sql`select setval('events_id_seq', 49999)`.execute(harness.db);
});

async function expectSameAsWithoutIndex(): Promise<void> {
  for (const query of [...QUERIES, undefined]) {
    const search = { ...(query ? { query } : { project: ['alpha'] }), offset: 0, limit: 100 };
    const { total, events } = await searchEvents(harness.db, SYSTEM, search, memory);
    expect({ query, total, ids: events.map(event => event.id) }).toEqual({
      query,
      ...(await findMatching(harness.db, SYSTEM, search, 0)),
    });
  }
}

/** Returns the number of rows in each table of the index. */
async function countIndexRows(): Promise<number[]> {
  const counts: number[] = [];
  for (const table of ['event_postings', 'event_text_sets', 'event_text_dictionary', 'event_text_large']) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
      harness.db,
    );
    counts.push(rows[0]?.count ?? 0);
  }
  return counts;
}

test('a log whose last id is below 50,000 is not indexed, and reports no lag', async () => {
  expect(await indexNext(harness.db)).toBe(false);
  expect(await storeLargeTexts(harness.db)).toBe(false);

  expect(await countIndexRows()).toEqual([0, 0, 0, 0]);
  expect([await readIndexLag(harness.db, 'filters'), await readIndexLag(harness.db, 'text')]).toEqual([0, 0]);
  await expectSameAsWithoutIndex();
});

test('without an index, each page of a text search checks a limited number of events', async () => {
  const { db } = harness;
  const query = 'rolled out';
  const expected = await findMatching(db, SYSTEM, { query, offset: 0, limit: 100_000 }, 0);
  const ids: number[] = [];
  let pageCount = 0;
  for (let before: number | undefined; ; ) {
    const search = { query, offset: 0, limit: 2_000, ...(before === undefined ? {} : { before }) };
    const result = await searchEvents(db, SYSTEM, search, memory, { checkMs: 1_000, maxUnindexed: 10_000 });
    ids.push(...result.events.map(event => event.id));
    pageCount += 1;
    before = result.completeFrom;
    if (before === undefined) break;
    expect(result.total).toBeLessThan(expected.total);
  }

  expect(pageCount).toBe(5);
  expect(ids).toEqual(expected.ids);
});

test('indexing is postponed, and reported once, while a container has too little memory for its process', async () => {
  const { db } = harness;
  await sql`select setval('events_id_seq', 50000)`.execute(db);
  const errors: string[] = [];
  let checkCount = 0;
  const memoryLimit = () => {
    checkCount += 1;
    return process.memoryUsage.rss() + 2 ** 20;
  };
  const report = (error: unknown) => errors.push((error as Error).message);
  const stop = startIndexer(db, harness.databaseUrl, report, 128, memoryLimit);
  await expect.poll(() => checkCount).toBeGreaterThan(2);
  await stop();

  expect(errors).toEqual([expect.stringContaining('less than 80 MB left')]);
  expect(await readIndexedChunks(db, ['filters'])).toBe(0);
  await expectSameAsWithoutIndex();
});

test('a log whose last id reaches 50,000 is indexed from its beginning', async () => {
  const { db } = harness;
  await sql`select setval('events_id_seq', 50000)`.execute(db);
  const errors: unknown[] = [];
  const stop = startIndexer(db, harness.databaseUrl, error => errors.push(error));
  await expect.poll(() => readIndexedChunks(db, ['filters', 'text'])).toBe(2);
  await stop();
  while (await storeLargeTexts(db));

  expect(errors).toEqual([]);
  expect((await countIndexRows()).every(count => count > 0)).toBe(true);
  await expectSameAsWithoutIndex();
});

test('an index in a different format is ignored, and rebuilt with a new key', async () => {
  const { db } = harness;
  const listKeys = async () => {
    const { rows } = await sql<{ key: number }>`select distinct key from event_text_sets`.execute(db);
    return rows.map(({ key }) => key);
  };
  const [before] = await listKeys();
  // The rows that a server of a different version leaves behind.
  await sql`update event_index_progress set format = 77 where part = 'keyed-text'`.execute(db);
  await sql`update event_text_sets set positions = '' where kind = 'word'`.execute(db);
  expect(await readIndexedChunks(db, ['text'])).toBe(0);
  await expectSameAsWithoutIndex();

  const errors: unknown[] = [];
  const stop = startIndexer(db, harness.databaseUrl, error => errors.push(error));
  await expect.poll(() => readIndexedChunks(db, ['text'])).toBe(2);
  await expect.poll(listKeys).not.toContain(before);
  await stop();
  while (await storeLargeTexts(db));

  expect(errors).toEqual([]);
  expect(await listKeys()).toHaveLength(1);
  expect((await countIndexRows()).every(count => count > 0)).toBe(true);
  await expectSameAsWithoutIndex();
});
