import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import { type Actor, SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { campaignSize, SEED } from '../../test/campaign.ts';
import { makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { change } from '../change.ts';
import { countEvents } from '../event-counts/count.ts';
import { GROUP_PROPERTIES, type GroupProperty } from '../event-counts/schema.ts';
import { countGroups } from '../event-counts/store.ts';
import { readBatches } from '../event-export/batches.ts';
import { LINES } from '../event-export/lines.ts';
import type { ExportFilters } from '../event-export/query.ts';
import { indexNextChunk } from '../event-index/build.ts';
import { indexNext, startIndexer } from '../event-index/indexer.ts';
import { readIndexedChunks } from '../event-index/store.ts';
import { indexNextText } from '../event-index/text/build.ts';
import { findWrongTexts, rebuildText } from '../event-index/text/verify.ts';
import type { EventFilters, EventSearch } from '../events/search-query.ts';
import { readWatermark } from '../events/tail.ts';
import { makeSearchMemory, type SearchMemory } from './indexed.ts';
import { searchEvents } from './search.ts';
import { findMatching } from './store.ts';

const RUNS = campaignSize({ usual: 10, long: 5_000 });

const harness = useHarness();
const actors: Actor[] = [SYSTEM];
let texts: string[] = [];

const WORDS = [
  'İstanbul',
  'Straße',
  'ΣΊΣΥΦΟΣ',
  'naïve',
  '日本語',
  '🚀',
  'Ωmega',
  'rollout',
  'step',
  'checkout',
  'ǅungla',
  'a',
  'to',
];
const PHRASES = [
  'rolled out to everyone',
  'say "hello" twice',
  'C:\\temp\\new',
  '100% of users',
  'snake_case_name',
  'tab\tand\nline',
  '\u0001\u007f',
  "it's 5 < 6 && 7 > 3",
  'wait... what?!',
  `line ${'-'.repeat(250)} end`,
];

/**
 * Writes two chunks and a tail with ids that have gaps. The events have frequent and rare words, names, numbers, escapes, long
 * words and strings.
 */
beforeAll(async () => {
  const { db } = harness;
  await makeProject(db, { id: 'alpha' });
  await makeProject(db, { id: 'secret', mode: 'private' });
  const viewer = await makeUser(db, 'Viewer');
  actors.push({ ...SYSTEM, kind: 'user', userId: viewer.id, isAdmin: false });
  await sql`select setseed(${(SEED % 1_000) / 1_000})`.execute(db);
  await sql`
    insert into events (id, created_at, group_id, type, created_by, project, data, pre_data, tags, comment)
    select id, timestamptz '2026-01-01' + id * interval '1 minute', 'group', 'feature-tagged', 'someone',
      (array['alpha', 'secret', null])[1 + floor(random() * 3)],
      jsonb_build_object(
        'id', gen_random_uuid(), 'name', 'feature-' || floor(random() * random() * 500), 'enabled', random() < 0.5,
        'createdAt', timestamptz '2026-01-01' + id * interval '1 minute', 'weight', floor(random() * 1000),
        'description', (${WORDS}::text[])[1 + floor(random() * ${WORDS.length})] || ' ' || (${PHRASES}::text[])[1 + floor(random() * 40)]
          || ' ' || (${WORDS}::text[])[1 + floor(random() * ${WORDS.length})]),
      case when random() < 0.3 then jsonb_build_object('rollout', floor(random() * 100), 'name', 'feature-' || floor(random() * 500)) end,
      case when random() < 0.2 then '[{"type": "simple", "value": "Checkout"}]' else '[]' end::jsonb,
      case when random() < 0.3 then 'Because ' || (${PHRASES}::text[])[1 + floor(random() * 8)] end
    from generate_series(108, 66000, 11) as id where random() < 0.98`.execute(db);
  const huge = {
    text: 'needle-in-huge '.repeat(70_000),
    words: Array.from({ length: 5_000 }, (_, n) => `huge${n}`),
  };
  const longWord = { word: `Long${'x'.repeat(5_000)}Word`, many: Array.from({ length: 3_000 }, (_, n) => n) };
  for (const [id, data] of [
    [31_000, huge],
    [31_001, longWord],
    [40_001, longWord],
  ] as const) {
    await sql`insert into events (id, group_id, type, created_by, data) values (${id}, 'group', 'feature-tagged', 'someone', ${JSON.stringify(data)})`.execute(
      db,
    );
  }
  for (let n = 0; n < 40; n++) {
    await sql`insert into events (id, group_id, type, created_by, data) values
      (${20_007 + 11 * n + 1}, 'group', 'feature-tagged', 'someone', ${JSON.stringify({ value: 'y'.repeat(3_000) })})`.execute(
      db,
    );
  }
  // The viewer's own event, which the viewer cannot search, because it names a project that the viewer cannot read.
  await sql`insert into events (id, group_id, type, created_by, created_by_user_id, created_by_kind, data) values
    (30002, 'group', 'addon-config-created', 'viewer', ${viewer.id}, 'user', '{"projects": ["secret"], "name": "rollout"}')`.execute(
    db,
  );
  await sql`select setval('events_id_seq', 66000)`.execute(db);
  const sample = await sql<{ text: string }>`
    select left(event_text(data, pre_data, tags, comment), 5000) as text from events order by random() limit 500`.execute(
    db,
  );
  texts = sample.rows.map(row => row.text);
});

/** A piece of an event's text, so that most searches find something. */
const pieces = fc
  .tuple(
    fc.nat(),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 60 })),
    fc.constantFrom('same', 'upper', 'lower'),
  )
  .map(([event, at, length, form]) => {
    const characters = [...(texts[event % texts.length] ?? '')];
    const start = Math.floor(at * Math.max(0, characters.length - length));
    const piece = characters.slice(start, start + length).join('');
    return form === 'upper' ? piece.toUpperCase() : form === 'lower' ? piece.toLowerCase() : piece;
  })
  .filter(text => text !== '' && !text.includes('\0'));
const commonText = fc.constantFrom(
  ...WORDS,
  ...PHRASES,
  ...[
    'feature-1',
    'feature-12',
    'rollout s',
    'out to e',
    'out to ev',
    '-1',
    '12',
    '123',
    'feature-',
    '-1"',
    '"name": "feature-1',
    '"enabled": true',
    ...[
      '": ',
      '": {',
      '": {"',
      '", "',
      '}\n{',
      '"}\n\n[',
      '...',
      '?!"',
      '-----',
      '&& ',
      '\\" ',
      '({[',
      '-'.repeat(251),
    ],
    '%',
    '_',
    '\\',
    '\\\\',
    '"',
    "'",
    ' ',
  ],
  ...[
    'i̇',
    'ß',
    'ss',
    'σ',
    'ς',
    'Σ',
    '🚀',
    '\ud83d',
    'zz',
    'qqq',
    'nowhere to be found',
    'rollout step',
    '\\u0001',
    '\u0001',
    '\n',
  ],
  ...[
    'needle-in-huge',
    'huge4999',
    'xxxlong',
    'xxxword',
    'x'.repeat(5_001),
    'yyyy',
    'y'.repeat(2_999),
    '"y',
    '2026-01-0',
    '01-02T',
    'a b c d e f g'.repeat(300),
  ],
);
const searches = fc.record({
  query: fc.oneof({ weight: 3, arbitrary: pieces }, { weight: 1, arbitrary: commonText }),
  project: fc.option(fc.constantFrom<string[]>(['alpha'], ['secret'], ['alpha', 'secret']), {
    nil: undefined,
    freq: 2,
  }),
  page: fc.constantFrom<Pick<EventSearch, 'offset' | 'before' | 'after'>>(
    { offset: 0 },
    { offset: 30 },
    { offset: 0, before: 40_000 },
    { offset: 0, before: 50_000, after: 20_000 },
  ),
  limit: fc.constantFrom(3, 50, 1_001),
});

const memory = makeSearchMemory();

const countWithoutIndex = (actor: Actor, filters: EventFilters, by: GroupProperty) =>
  countGroups(harness.db, actor, filters, by, 0, { ids: [], values: [], counts: [] });

async function exportIds(
  actor: Actor,
  filters: ExportFilters,
  searchMemory?: SearchMemory,
): Promise<number[]> {
  const source = { read: <T>(read: (db: Db) => Promise<T>) => read(harness.db), isGone: () => false };
  const pieces: Buffer[] = [];
  for await (const piece of readBatches(source, actor, filters, LINES.ndjson.line(actor), searchMemory))
    pieces.push(piece);
  const lines = Buffer.concat(pieces).toString().split('\n').slice(0, -1);
  return lines.map(line => JSON.parse(line).id);
}

async function expectSameAsWithoutIndex(runs: number): Promise<void> {
  const { db } = harness;
  await fc.assert(
    fc.asyncProperty(
      searches,
      fc.constantFrom(...actors),
      fc.constantFrom(memory, undefined),
      fc.constantFrom('page', 'export', ...GROUP_PROPERTIES),
      async ({ page, project, ...otherFields }, actor, searchMemory, result) => {
        const search = { ...otherFields, ...page, ...(project ? { project } : {}) };
        if (result === 'page') {
          const { total, events } = await searchEvents(db, actor, search, searchMemory);
          expect({ total, ids: events.map(event => event.id) }).toEqual(
            await findMatching(db, actor, search, 0),
          );
        } else if (result === 'export') {
          const { ids } = await findMatching(db, actor, { ...search, offset: 0, limit: 100_000 }, 0);
          expect(await exportIds(actor, search, searchMemory)).toEqual(ids);
        } else {
          const counts = await countEvents(db, actor, search, result, searchMemory);
          expect(counts).toEqual(await countWithoutIndex(actor, search, result));
        }
      },
    ),
    { numRuns: runs, seed: SEED },
  );
}

const countTextSets = async () =>
  (await sql<{ count: number }>`select count(*) as count from event_text_sets`.execute(harness.db)).rows[0];

test('an interrupted attempt to index a chunk leaves nothing behind', async () => {
  const { db } = harness;
  const interruptedRun = indexNextText(db).catch(error => error);
  await vi.waitFor(
    async () => {
      const { rows } = await sql<{ done: boolean }>`
      select pg_terminate_backend(pid) as done from pg_stat_activity
      where datname = current_database() and query ilike '%insert into event_text_dictionary%' and pid <> pg_backend_pid()`.execute(
        db,
      );
      expect(rows).not.toEqual([]);
    },
    { timeout: 60_000, interval: 5 },
  );

  expect(await interruptedRun).toBeInstanceOf(Error);
  expect(await countTextSets()).toEqual({ count: 0 });
  expect(await readIndexedChunks(db, ['text'])).toBe(0);
});

/** Counts the connections of indexing processes. */
const countIndexingConnections = async () =>
  (
    await sql<{ count: number }>`select count(*) as count from pg_stat_activity
      where datname = current_database() and application_name = 'halyard index'`.execute(harness.db)
  ).rows[0]?.count;

test('stopping the indexer ends its process and leaves no indexed text behind', async () => {
  const errors: unknown[] = [];
  const stop = startIndexer(harness.db, harness.databaseUrl, error => errors.push(error));
  await expect.poll(countIndexingConnections).toBe(1);

  await stop();

  await expect.poll(countIndexingConnections).toBe(0);
  expect(errors).toEqual([]);
  expect(await readIndexedChunks(harness.db, ['text'])).toBe(0);
});

test('pages, exports and counts of text searches are the same with and without the index', {
  timeout: 300_000 + 1_000 * RUNS,
}, async () => {
  const { db } = harness;
  while (await indexNextChunk(db));
  await expectSameAsWithoutIndex(Math.ceil(RUNS / 10));
  const results = await Promise.all([indexNextText(db), indexNextText(db)]);
  expect(results.toSorted()).toEqual([false, true]);
  await expectSameAsWithoutIndex(Math.ceil(RUNS / 4));
  expect(await indexNextText(db)).toBe(true);
  expect(await indexNextText(db)).toBe(false);
  await expectSameAsWithoutIndex(RUNS);
});

test('a search that runs out of time returns what it has found, and the next page continues from there', async () => {
  const { db } = harness;
  const query = 'e": "f';
  const expected = await findMatching(db, SYSTEM, { query, offset: 0, limit: 100_000 }, 0);
  const ids: number[] = [];
  let pageCount = 0;
  for (let before: number | undefined; ; pageCount++) {
    const search = { query, offset: 0, limit: 1_000, ...(before === undefined ? {} : { before }) };
    const { events, total, completeFrom } = await searchEvents(db, SYSTEM, search, memory, {
      checkMs: 0,
      maxUnindexed: 100_000,
    });
    ids.push(...events.map(event => event.id));
    expect(total).toBeLessThanOrEqual(expected.total);
    const next = events.length === search.limit ? events.at(-1)?.id : completeFrom;
    if (next === undefined || next === Number.MIN_SAFE_INTEGER) break;
    before = next;
  }

  expect(pageCount).toBeGreaterThan(2);
  expect(ids).toEqual(expected.ids);
});

test('finds a new event by its text as soon as the transaction commits', async () => {
  const { db } = harness;
  const find = async () =>
    (await searchEvents(db, SYSTEM, { query: 'brand-NEW "Ünit"', offset: 0, limit: 10 }, memory)).total;
  expect(await find()).toBe(0);
  await change(db, SYSTEM, async ({ record }) => {
    record({ type: 'feature-tagged', project: 'alpha', data: { text: 'Brand-new "üNIT"' } });
  });

  expect(await find()).toBe(1);
  await setTimeout(300);
  expect(await find()).toBe(1);
});

test('counts and exports without gaps while events are written', async () => {
  const { db } = harness;
  const query = 'written-Meanwhile';
  const [, viewer = SYSTEM] = actors;
  const write = async () => {
    for (let n = 0; n < 150; n++) {
      await change(db, SYSTEM, async ({ record }) => {
        for (const project of ['alpha', 'secret'])
          record({ type: 'feature-tagged', project, data: { text: `${query} ${'x'.repeat(n)}` } });
      });
      await setTimeout(5);
    }
  };
  const countByProject = async (actor: Actor) =>
    new Map((await countWithoutIndex(actor, { query }, 'project')).map(({ value, count }) => [value, count]));
  let isWriting = true;
  const allWrites = Promise.all([write(), write(), write(), write()]).finally(() => {
    isWriting = false;
  });

  for (let n = 0; isWriting && n < 20; n++) {
    const actor = n % 2 === 0 ? SYSTEM : viewer;
    const watermark = await readWatermark(db);
    const before = await countByProject(actor);
    const indexedCounts = await countEvents(db, actor, { query }, 'project', memory);
    const ids = await exportIds(actor, { query }, memory);
    const after = await countByProject(actor);
    const allMatches = await findMatching(db, actor, { query, offset: 0, limit: 100_000 }, 0);

    for (const { value, count } of indexedCounts) {
      expect(count).toBeGreaterThanOrEqual(before.get(value) ?? 0);
      expect(count).toBeLessThanOrEqual(after.get(value) ?? 0);
    }
    expect(indexedCounts.length).toBeGreaterThanOrEqual(before.size);
    expect(ids).toEqual(allMatches.ids.filter(id => id <= (ids[0] ?? 0)));
    expect(ids[0] ?? 0).toBeGreaterThanOrEqual(allMatches.ids.find(id => id <= watermark) ?? 0);
  }
  await allWrites;
  expect([...(await countByProject(viewer))]).toEqual([['alpha', 600]]);
});

test('the text of the last complete chunk is indexed before its filters', async () => {
  const { db } = harness;
  await sql`select setval('events_id_seq', 72000)`.execute(db);
  const readProgress = async () => [await readIndexedChunks(db), await readIndexedChunks(db, ['text'])];
  expect(await readProgress()).toEqual([2, 2]);

  expect(await indexNext(db)).toBe(true);
  expect(await readProgress()).toEqual([2, 3]);
  expect(await indexNext(db)).toBe(true);
  expect(await readProgress()).toEqual([3, 3]);
  expect(await indexNext(db)).toBe(false);
});

test('verification finds chunks whose text index is wrong, and rebuilding corrects their search results', {
  timeout: 180_000,
}, async () => {
  const { db } = harness;
  const find = async (query: string) =>
    (await searchEvents(db, SYSTEM, { query, offset: 0, limit: 1 })).total;
  const expected = [await find('rollout'), await find('"name"')];
  await sql`delete from event_text_sets where value = 'rollout' and chunk = 1`.execute(db);
  await sql`update event_text_sets set count = count + 1 where kind = 'gram' and value = 'e' and chunk = 2`.execute(
    db,
  );
  expect(await find('rollout')).not.toBe(expected[0]);

  expect(await findWrongTexts(db, () => {})).toEqual([1, 2]);
  await sql`delete from event_text_dictionary where kind = 'phrase' and value like '"name":%'`.execute(db);
  expect(await findWrongTexts(db, () => {})).toEqual([0, 1, 2]);
  for (const chunk of [0, 1, 2]) await rebuildText(db, chunk);

  expect([await find('rollout'), await find('"name"')]).toEqual(expected);
});

test('searches check each event of a chunk if three attempts to index the chunk ran out of memory', {
  timeout: 180_000,
}, async () => {
  const { db } = harness;
  await sql`
    insert into events (id, group_id, type, created_by, data)
    select id, 'group', 'feature-tagged', 'someone', jsonb_build_object('text', 'unsplit ' || gen_random_uuid())
    from generate_series(72100, 95000, 10) as id`.execute(db);
  await sql`select setval('events_id_seq', 96000)`.execute(db);

  const errors: string[] = [];
  const stop = startIndexer(db, harness.databaseUrl, error => errors.push((error as Error).message), 4);
  await expect.poll(() => errors.length).toBe(3);
  await stop();
  await indexNextChunk(db);

  const outOfMemory = 'Indexing chunk 3 of the events ran out of memory (attempt';
  expect(errors).toEqual([
    `${outOfMemory} 1 of 3).`,
    `${outOfMemory} 2 of 3).`,
    `${outOfMemory} 3 of 3). Searches check the events of this chunk one by one.`,
  ]);
  expect(await readIndexedChunks(db, ['text'])).toBe(4);
  const search = { query: 'Unsplit', offset: 0, limit: 10 };
  const { total, events } = await searchEvents(db, SYSTEM, search);
  expect({ total, ids: events.map(event => event.id) }).toEqual(await findMatching(db, SYSTEM, search, 0));
  expect(total).toBe(2291);
  expect(await findWrongTexts(db, () => {})).toEqual([3]);
  await rebuildText(db, 3);
  expect((await searchEvents(db, SYSTEM, search)).total).toBe(2291);
});

test('the indexing process ends after it has indexed all complete chunks', async () => {
  const { db } = harness;
  await sql`insert into events (id, group_id, type, created_by, data)
    select id, 'group', 'feature-tagged', 'someone', jsonb_build_object('text', 'late ' || id)
    from generate_series(96100, 143000, 100) as id`.execute(db);
  await sql`select setval('events_id_seq', 144000)`.execute(db);
  const errors: unknown[] = [];
  const stop = startIndexer(db, harness.databaseUrl, error => errors.push(error));
  await expect.poll(() => readIndexedChunks(db, ['filters', 'text'])).toBe(6);
  await expect.poll(countIndexingConnections).toBe(0);
  await stop();

  expect(errors).toEqual([]);
  expect(await findWrongTexts(db, () => {})).toEqual([]);
});

test('an indexing process that cannot connect to the database reports the error', async () => {
  const { db } = harness;
  await sql`select setval('events_id_seq', 168000)`.execute(db);
  const errors: Error[] = [];
  const stop = startIndexer(db, `${harness.databaseUrl}_gone`, error => errors.push(error as Error));
  await expect.poll(() => errors[0]?.message).toMatch(/does not exist/);
  await stop();
});
