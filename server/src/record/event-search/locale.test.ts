import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { type Db, openDb } from '../../platform/db/database.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../../test/database.ts';
import { WRITERS } from '../../writers.ts';
import { change } from '../change.ts';
import { registerWriters } from '../change-writers.ts';
import { CHUNK_SIZE } from '../event-index/bitmap.ts';
import { indexNext } from '../event-index/indexer.ts';
import { readIndexedChunks } from '../event-index/store.ts';
import { storeLargeTexts } from '../event-index/text/store-large.ts';
import { makeSearchMemory } from './indexed.ts';
import { searchEvents } from './search.ts';
import { findMatching } from './store.ts';

const WORDS = [
  'Ärger',
  'İstanbul',
  'istanbul',
  'Σίσυφος',
  'ΣΊΣΥΦΟΣ',
  'Straße',
  'ÉCOLE',
  'Ёлка',
  'Ⅷ',
  'ǅungla',
  'K',
];
/** Each word in every case, and parts of words, which may end at a sigma. */
const QUERIES = [
  ...WORDS.flatMap(word => [word, word.toUpperCase(), word.toLowerCase()]),
  ...[
    'ä',
    'Ä',
    'i',
    'İ',
    'i̇',
    'Σ',
    'ς',
    'σ',
    'ΦΟΣ',
    'φος',
    'ΣΊΣ',
    'σίς',
    'É',
    'é',
    'ss',
    'ё',
    'ärger İ',
    'Ос СТР',
  ],
];
const EVENTS_PER_CHUNK = 100;

registerWriters(WRITERS);

const foldCase = (text: string) => text.toLowerCase().replaceAll('ς', 'σ');
const databases: string[] = [];
afterAll(async () => {
  for (const name of databases) await dropDatabase(name);
});

/** Returns two of the words, a different pair for each number. */
const makeWordPair = (n: number): string =>
  `${WORDS[n % WORDS.length]} ${WORDS[Math.floor(n / WORDS.length) % WORDS.length]}`;
/** The ids of events in an indexed chunk, and of recent events that are not indexed. */
const ids = [
  ...Array.from({ length: EVENTS_PER_CHUNK }, (_, n) => CHUNK_SIZE + 501 + n),
  ...Array.from({ length: EVENTS_PER_CHUNK }, (_, n) => 2 * CHUNK_SIZE + 1 + n),
];
const rows = ids.map((id, n) => ({
  id,
  data: { text: n % 25 === 0 ? `${'- '.repeat(20_000)}${makeWordPair(n)}` : makeWordPair(n) },
}));

describe.each(['C', 'C.UTF-8'])('in a database with the locale %s', locale => {
  let db: Db;
  beforeAll(async () => {
    const name = `halyard_test_${randomBytes(6).toString('hex')}`;
    databases.push(name);
    await createDatabase(name, `template template0 encoding 'UTF8' locale '${locale}'`);
    await migrate(getDatabaseUrl(name));
    db = openDb({ url: getDatabaseUrl(name), poolSize: 4, onError: () => {} });
    await sql`
      insert into events (id, group_id, type, created_by, data)
      select id, 'group', 'feature-tagged', 'someone', data
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as event (id bigint, data jsonb)`.execute(db);
    await sql`select setval('events_id_seq', ${3 * CHUNK_SIZE - 100})`.execute(db);
    while (await indexNext(db));
    while (await storeLargeTexts(db));
    expect(await readIndexedChunks(db, ['filters', 'text'])).toBe(2);
    return () => db.destroy();
  });

  test('finds text by Unicode rules, with and without the index', async () => {
    const memory = makeSearchMemory();
    for (const query of new Set(QUERIES)) {
      const ids = rows
        .filter(({ data }) => foldCase(data.text).includes(foldCase(query)))
        .map(({ id }) => id)
        .toReversed();
      const search = { query, offset: 0, limit: 1_000 };

      const { events, total } = await searchEvents(db, SYSTEM, search, memory);

      expect({ query, total, ids: events.map(({ id }) => id) }).toEqual({ query, total: ids.length, ids });
      expect({ query, ...(await findMatching(db, SYSTEM, search, 0)) }).toEqual({
        query,
        total: ids.length,
        ids,
      });
    }
  });

  test('delivers an event to the integrations whose text filters match it by Unicode rules', async () => {
    const { rows: integrations } = await sql<{ id: number }>`
      insert into integrations (provider, events, filter_texts) values
        ('webhook', array['*'], array['%ΣΊΣ%']), ('webhook', array['*'], array['%σίσυφοσ%', '%nothing%']),
        ('webhook', array['*'], array['%İ%']) returning id`.execute(db);

    await change(db, SYSTEM, async ({ record }) => {
      record({ type: 'feature-tagged', data: { text: 'Σίσυφος i' } });
    });

    const { rows: deliveries } = await sql<{ id: number }>`
      select integration_id as id from integration_deliveries order by integration_id`.execute(db);
    expect(deliveries).toEqual(integrations.slice(0, 2));
  });
});
