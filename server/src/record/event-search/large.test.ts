import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { SEED } from '../../test/campaign.ts';
import { useHarness } from '../../test/harness.ts';
import { indexNext } from '../event-index/indexer.ts';
import { readIndexedChunks } from '../event-index/store.ts';
import { findWrongLargeTexts, rebuildLargeText, storeLargeTexts } from '../event-index/text/store-large.ts';
import { makeSearchMemory } from './indexed.ts';
import { searchEvents } from './search.ts';
import { findMatching } from './store.ts';

/** The first id of the chunk with the test events. The chunks before it are complete and have no events. */
const FIRST_ID = 72_000;
const LARGE_EVENTS = 30;
const RANDOM_EVENTS = 20;

const harness = useHarness();
const randomTexts: string[] = [];

/** Returns a segment with 4 constraints of 80 values. */
const makeSegment = (n: number) => ({
  name: 'Großes Segment 🚀',
  constraints: Array.from({ length: 4 }, (_, constraint) => ({
    contextName: 'userId',
    values: Array.from(
      { length: 80 },
      (_, value) =>
        `${n}-${value}-${constraint} ${'"\\'.repeat(20)} Ünit ${'abc日本🚀'.repeat(3)}${n * value}`,
    ),
  })),
});

beforeAll(async () => {
  await sql`
    insert into events (id, group_id, type, created_by, data)
    select id, 'group', 'feature-tagged', 'someone', jsonb_build_object('name', 'feature-' || id)
    from generate_series(${FIRST_ID + 501}::integer, ${FIRST_ID + 2500}::integer, 2) as id`.execute(
    harness.db,
  );
  for (let n = 0; n < LARGE_EVENTS; n++) {
    await sql`
      insert into events (id, group_id, type, created_by, data, pre_data)
      values (${FIRST_ID + 502 + 20 * n}, 'group', 'segment-updated', 'someone', ${JSON.stringify(makeSegment(n))}, ${JSON.stringify(makeSegment(n + 1))})`.execute(
      harness.db,
    );
  }
  // Words that are too long for the index, so that every search has to check these events.
  await sql`
    insert into events (id, group_id, type, created_by, data)
    select ${FIRST_ID + 2600}::integer + n, 'group', 'segment-updated', 'someone', jsonb_build_object('number', n, 'text',
      (select string_agg(md5(${SEED} || '-' || n || '-' || i), '') from generate_series(1, 1500) as i))
    from generate_series(1, ${RANDOM_EVENTS}::integer) as n`.execute(harness.db);
  const { rows } = await sql<{ text: string }>`
    select data ->> 'text' as text from events where id > ${FIRST_ID + 2600} order by id`.execute(harness.db);
  for (const { text } of rows) randomTexts.push(text);
  await sql`select setval('events_id_seq', ${FIRST_ID + 3000})`.execute(harness.db);
  while (await indexNext(harness.db));
});

/** Strings that no large event contains, although their parts may occur. */
const ABSENT = ['needlenot', 'needle not', 'zq', '§', 'feature-77', '"name": "feature-1'];
const PRESENT = [
  '\\',
  '"\\',
  'u',
  'ü',
  '🚀',
  '日本',
  'ÜNIT',
  'userid',
  'großes SEGMENT',
  'segment 🚀',
  '"contextName": "userId"',
  '17-79-3',
  '17-79-3 "',
  'ünit abc日本🚀abc',
  '本🚀abc',
  '-79-3 "\\"\\',
  '29-0-0 ',
  '31-0-0 ',
  '99-999-9',
  'values": ["5-0-0',
  '": ["',
  '}, {"',
];

/** Pieces of random values, which few events contain, and a string that no event contains. */
const pieces = () => [
  ...[4, 5, 6, 9, 40].flatMap(size =>
    randomTexts.slice(0, 3).map((text, n) => text.slice(999 * n, 999 * n + size)),
  ),
  `${randomTexts[0]?.slice(0, 20)}${randomTexts[0]?.slice(21, 30)}`,
];

/** Returns how many statements have searched the text of events so far. */
const countChecks = () =>
  harness.statements.filter(text => /id = any\(.*fold_case\(event_text/s.test(text)).length;

const memory = makeSearchMemory();

async function expectSameAsWithoutIndex(): Promise<void> {
  for (const query of [...ABSENT, ...PRESENT, ...pieces()]) {
    const search = { query, offset: 0, limit: 100 };
    const expected = await findMatching(harness.db, SYSTEM, search, 0);
    const { total, events } = await searchEvents(harness.db, SYSTEM, search, memory);
    expect({ query, total, ids: events.map(event => event.id) }).toEqual({ query, ...expected });
  }
}

/**
 * Words of small events are hashed with the database's random key, and about one query in several hundred hits the hash of a
 * different word.
 */
const MAX_COLLISIONS = 2;

async function expectNoChecks(queries: string[]): Promise<void> {
  const checkedQueries: string[] = [];
  for (const query of queries) {
    const checksBefore = countChecks();
    await searchEvents(harness.db, SYSTEM, { query, offset: 0, limit: 1 }, memory);
    if (countChecks() > checksBefore) checkedQueries.push(query);
  }
  expect(checkedQueries.slice(MAX_COLLISIONS)).toEqual([]);
}

test('finds text in large events before their text is stored', async () => {
  await expectSameAsWithoutIndex();
});

test('PostgreSQL does not search the events whose large texts are stored', async () => {
  await storeLargeTexts(harness.db);
  while (await storeLargeTexts(harness.db));
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from event_text_large`.execute(harness.db);
  expect(rows).toEqual([{ count: LARGE_EVENTS + RANDOM_EVENTS }]);

  // A small event in the first chunk has to be checked for this string.
  const checkedQuery = '": ["';
  await expectNoChecks([...ABSENT, ...PRESENT, ...pieces()].filter(query => query !== checkedQuery));
  await expectSameAsWithoutIndex();
});

test('verification finds stored texts that differ from their events, and rebuilding corrects them', async () => {
  const { db } = harness;
  expect(await findWrongLargeTexts(db, () => {})).toEqual([]);
  await sql`update event_text_large set text = text || 'x' where id = ${FIRST_ID + 2601}`.execute(db);
  await sql`update event_text_large set filter = set_byte(filter, 7, get_byte(filter, 7) # 255) where id = ${FIRST_ID + 2603}`.execute(
    db,
  );

  const wrongIds = await findWrongLargeTexts(db, () => {});
  for (const id of wrongIds) await rebuildLargeText(db, id);

  expect(wrongIds).toEqual([FIRST_ID + 2601, FIRST_ID + 2603]);
  expect(await findWrongLargeTexts(db, () => {})).toEqual([]);
});

test('PostgreSQL does not search indexed large events that cannot contain the text', async () => {
  await sql`select setval('events_id_seq', ${FIRST_ID + 24000})`.execute(harness.db);
  while (await indexNext(harness.db));
  expect(await readIndexedChunks(harness.db, ['filters', 'text'])).toBe(4);

  await expectNoChecks([
    '": {',
    '}, {"',
    '(((',
    'needlenot',
    'needle not',
    'zq',
    '§',
    '\\',
    '"\\',
    'u',
    'ü',
    '🚀',
    '日本',
    'userid',
  ]);
  await expectSameAsWithoutIndex();
});
