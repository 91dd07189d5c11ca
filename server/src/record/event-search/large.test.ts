import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { useHarness } from '../../test/harness.ts';
import { indexNext } from '../event-index/indexer.ts';
import { readIndexedChunks } from '../event-index/store.ts';
import { makeSearchMemory } from './indexed.ts';
import { searchEvents } from './search.ts';
import { findMatching } from './store.ts';

const LARGE_EVENTS = 30;

const harness = useHarness();

/** A segment with 4 constraints of 80 values. */
const segment = (n: number) => ({
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
    from generate_series(501, 2500, 2) as id`.execute(harness.db);
  for (let n = 0; n < LARGE_EVENTS; n++) {
    await sql`
      insert into events (id, group_id, type, created_by, data, pre_data)
      values (${502 + 20 * n}, 'group', 'segment-updated', 'someone', ${JSON.stringify(segment(n))}, ${JSON.stringify(segment(n + 1))})`.execute(
      harness.db,
    );
  }
  await sql`select setval('events_id_seq', 3000)`.execute(harness.db);
});

/** Texts that no large event contains. Each run of characters of the last ones is in large events. */
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

const checks = () => harness.statements.filter(text => /id = any\(.*ilike/s.test(text)).length;

const memory = makeSearchMemory();

async function expectSameAsPlain(): Promise<void> {
  for (const query of [...ABSENT, ...PRESENT]) {
    const search = { query, offset: 0, limit: 100 };
    const expected = await findMatching(harness.db, SYSTEM, search, 0);
    const { total, events } = await searchEvents(harness.db, SYSTEM, search, memory);
    expect({ query, total, ids: events.map(event => event.id) }).toEqual({ query, ...expected });
  }
}

async function expectNoChecks(queries: string[]): Promise<void> {
  for (const query of queries) {
    const before = checks();
    await searchEvents(harness.db, SYSTEM, { query, offset: 0, limit: 1 }, memory);
    expect({ query, checks: checks() - before }).toEqual({ query, checks: 0 });
  }
}

test('PostgreSQL checks no large event that is not indexed yet', { timeout: 240_000 }, async () => {
  await expectNoChecks([...ABSENT, ...PRESENT]);
  await expectSameAsPlain();
});

test('PostgreSQL checks no large event of the index that cannot contain the text', {
  timeout: 240_000,
}, async () => {
  await sql`select setval('events_id_seq', 24000)`.execute(harness.db);
  while (await indexNext(harness.db));
  expect(await readIndexedChunks(harness.db, ['filters', 'text'])).toBe(1);

  await expectNoChecks([
    '": {',
    '"], "',
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
  await expectSameAsPlain();
});
