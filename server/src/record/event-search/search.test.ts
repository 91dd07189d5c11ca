import fc from 'fast-check';
import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { type Actor, SYSTEM } from '../../platform/actor.ts';
import { campaignSize, GENERATED, SEED } from '../../test/campaign.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { countEvents } from '../event-counts/count.ts';
import { GROUP_PROPERTIES } from '../event-counts/schema.ts';
import { countGroups } from '../event-counts/store.ts';
import { indexNextChunk } from '../event-index/build.ts';
import { readIndexLag } from '../event-index/lag.ts';
import { indexNextText } from '../event-index/text/build.ts';
import { findWrongChunks, rebuildChunk } from '../event-index/verify.ts';
import type { EventSearch } from '../events/search-query.ts';
import { makeSearchMemory } from './indexed.ts';
import { searchEvents } from './search.ts';
import { findMatching } from './store.ts';

const RUNS = campaignSize({ usual: 20, long: 5_000 });
const PROJECTS = ['alpha', 'beta', 'gamma', 'delta', 'silent'];
const TYPES = ['feature-created', 'feature-tagged', 'segment-created'];
const ENVIRONMENTS = ['development', 'production'];

const harness = useHarness();
const memory = makeSearchMemory();
/** Enough memory for the sets of one clause in three chunks. */
const smallMemory = makeSearchMemory(10_000);
const actors: Actor[] = [];

/**
 * Writes three chunks of events, of which the tests index two. The ids have gaps, the days are out of order, and one project has
 * only old events.
 */
beforeAll(async () => {
  const { db } = harness;
  for (const id of ['alpha', 'beta', 'silent']) await makeProject(db, { id });
  for (const id of ['gamma', 'delta']) await makeProject(db, { id, mode: 'private' });
  // With these projects, there are fewer hidden projects than readable ones.
  await sql`insert into projects (id, name) select 'empty-' || n, 'Empty' from generate_series(1, 20) as n`.execute(
    db,
  );
  const stranger = await makeUser(db, 'Viewer');
  const member = await makeUser(db, 'Viewer');
  await makeMember(db, member, 'gamma', 'Reader');
  for (const { id } of [stranger, member])
    actors.push({ ...SYSTEM, kind: 'user', userId: id, isAdmin: false });
  actors.push(SYSTEM);

  await sql`select setseed(${(SEED % 1_000) / 1_000})`.execute(db);
  for (let first = 100; first <= 55_000; first += 5_000)
    await sql`
    insert into events (id, created_at, group_id, type, created_by, created_by_user_id, project, environment, feature_name)
    select id, timestamptz '2026-01-01' + (id / 7000) * interval '1 day' + random() * interval '30 hours', 'group',
      (${TYPES}::text[])[1 + floor(random() * random() * 3)], 'someone',
      (array[${stranger.id}, ${member.id}, 7, null]::integer[])[1 + floor(random() * 4)],
      case when random() < 0.9 then
        case when id < 15000 and random() < 0.2 then 'silent' else (array['alpha', 'beta', 'gamma', 'delta', 'gone', 'gone-' || id / 10000])[1 + floor(random() * 6)] end
      end,
      (array['development', 'production', null])[1 + floor(random() * 3)], case when id % 1000 = 0 then 'feature-few' else 'feature-' || floor(random() * 12) end
    from generate_series(${first}::integer, least(${first}::integer + 4999, 55000)) as id where random() < 0.95`.execute(
      db,
    );
  await sql`select setval('events_id_seq', 55000)`.execute(db);
});

const optionalSubset = <T>(values: T[]) =>
  fc.option(fc.subarray(values, { minLength: 1 }), { nil: undefined });
const day = fc.option(
  fc
    .integer({ min: 0, max: 9 })
    .map(n => `2026-01-0${n}`)
    .filter(text => text !== '2026-01-00'),
  { nil: undefined },
);
const id = fc.integer({ min: 1, max: 56_000 });
const searches = fc.record({
  project: optionalSubset([...PROJECTS, 'unknown']),
  type: optionalSubset(TYPES),
  createdBy: optionalSubset([7, 8, -42]),
  environment: optionalSubset(ENVIRONMENTS),
  feature: fc.option(fc.constantFrom(['feature-1'], ['feature-1', 'feature-2'], ['feature-few']), {
    nil: undefined,
    freq: 4,
  }),
  from: day,
  to: day,
  page: fc.oneof(
    fc.record({ offset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 55_000 })) }),
    fc.record({ offset: fc.constant(0), before: id, after: fc.option(id, { nil: undefined }) }),
  ),
  limit: fc.constantFrom(1, 50, 1_001),
});

async function expectSameAsWithoutIndex(runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      searches,
      fc.constantFrom(...actors),
      fc.constantFrom(memory, smallMemory, undefined),
      fc.constantFrom(...GROUP_PROPERTIES),
      async ({ page, ...filters }, actor, searchMemory, property) => {
        const search = Object.fromEntries(
          Object.entries({ ...filters, ...page }).filter(([, value]) => value !== undefined),
        ) as EventSearch;
        const expected = await findMatching(harness.db, actor, search, 0);

        const { total, events } = await searchEvents(harness.db, actor, search, searchMemory);

        expect({ total, ids: events.map(event => event.id) }).toEqual(expected);
        const groups = await countGroups(harness.db, actor, search, property, 0, {
          ids: [],
          values: [],
          counts: [],
        });
        expect(await countEvents(harness.db, actor, search, property, searchMemory)).toEqual(groups);
      },
    ),
    { numRuns: runs, seed: SEED },
  );
}

test('pages and counts are the same with and without the index', GENERATED, async () => {
  await expectSameAsWithoutIndex(Math.ceil(RUNS / 10));
  expect(await indexNextChunk(harness.db)).toBe(true);
  await expectSameAsWithoutIndex(Math.ceil(RUNS / 4));
  expect(await indexNextChunk(harness.db)).toBe(true);
  expect(await indexNextChunk(harness.db)).toBe(false);
  await expectSameAsWithoutIndex(RUNS);
});

test('counts without a filter are the same with and without the index', async () => {
  const { db } = harness;
  for (const actor of actors)
    for (const property of GROUP_PROPERTIES)
      expect(await countEvents(db, actor, {}, property, memory)).toEqual(
        await countGroups(db, actor, {}, property, 0, { ids: [], values: [], counts: [] }),
      );
});

test('verification finds wrong chunks, and rebuilding corrects them', async () => {
  const { db } = harness;
  expect(await findWrongChunks(db, () => {})).toEqual([]);
  await sql`update event_postings set count = count + 1 where dimension = 'project' and value = 'alpha' and chunk = 1`.execute(
    db,
  );
  await sql`delete from event_postings where dimension = 'day' and chunk = 0`.execute(db);

  expect(await findWrongChunks(db, () => {})).toEqual([0, 1]);
  for (const chunk of [0, 1]) await rebuildChunk(db, chunk);

  expect(await findWrongChunks(db, () => {})).toEqual([]);
});

test('a server drops the sets in its memory when a chunk is rebuilt', async () => {
  const { db } = harness;
  const search = { project: ['alpha'], type: ['feature-created'], offset: 0, limit: 50 };
  const expected = await findMatching(db, SYSTEM, search, 0);
  const serverMemory = makeSearchMemory();
  await sql`
    update event_postings set positions = other.positions from event_postings as other
    where event_postings.dimension = 'project' and event_postings.value = 'alpha'
      and other.dimension = 'project' and other.value = 'beta' and other.chunk = event_postings.chunk`.execute(
    db,
  );
  expect((await searchEvents(db, SYSTEM, search, serverMemory)).total).not.toBe(expected.total);

  for (const chunk of await findWrongChunks(db, () => {})) await rebuildChunk(db, chunk);

  const { total, events } = await searchEvents(db, SYSTEM, search, serverMemory);
  expect({ total, ids: events.map(event => event.id) }).toEqual(expected);
});

test('a chunk is indexed only when no open transaction can still add an event to it', async () => {
  const { db } = harness;
  while (await indexNextText(db));
  const readLags = async () => [await readIndexLag(db, 'filters'), await readIndexLag(db, 'text')];
  expect(await readLags()).toEqual([0, 0]);
  const writer = new pg.Client({ connectionString: harness.databaseUrl });
  await writer.connect();
  await writer.query('begin');
  await writer.query(`insert into events (group_id, type, created_by) values ('early', 'user-created', 'x')`);
  await sql`select setval('events_id_seq', 72000)`.execute(db);
  await sql`insert into events (group_id, type, created_by) values ('late', 'user-created', 'x')`.execute(db);

  expect(Math.min(...(await readLags()))).toBeGreaterThan(0);
  expect(await indexNextChunk(db)).toBe(false);
  await writer.query('commit');
  await writer.end();
  const indexingResults = await Promise.all([indexNextChunk(db), indexNextChunk(db)]);

  expect(indexingResults.toSorted()).toEqual([false, true]);
  expect(await findWrongChunks(db, () => {})).toEqual([]);
  expect(await readLags()).toEqual([0, expect.toSatisfy(lag => lag > 0)]);
  expect(await indexNextText(db)).toBe(true);
  expect(await readLags()).toEqual([0, 0]);
});
