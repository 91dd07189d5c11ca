import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { campaignSize, GENERATED, SEED } from '../../test/campaign.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { toConditions } from '../events/conditions.ts';
import type { EventFilters } from '../events/search-query.ts';
import { type EventRow, isVisible, listEventsBetween } from '../events/store.ts';
import { readAccess } from './access.ts';
import { makeListener } from './listener.ts';
import { matches } from './matches.ts';
import { findTexts } from './store.ts';

const RUNS = campaignSize({ usual: 100, long: 5_000 });

const harness = useHarness();
let events: EventRow[] = [];
let users: TestUser[] = [];

/** Letters whose lower case differs between JavaScript and PostgreSQL, and characters with a meaning in JSON or `like`. */
const TEXTS = [
  'Straße',
  'STRASSE',
  'İstanbul',
  'istanbul',
  'ΣΊΣΥΦΟΣ',
  'σίσυφος',
  'Kelvin',
  '100%_\\',
  'say "hello"',
  'a\nb',
  'ÅNGSTRÖM',
  '{"a": 1}',
  ', ',
  'null',
  '🚩',
  'a',
];
const NAMES = ['checkout', 'Checkout', 'pay', 'private', 'gone', 'É'];
const DAYS = ['2026-10-31', '2026-11-01', '2026-11-02', '2026-12-31'];

beforeAll(async () => {
  const { db } = harness;
  await makeProject(db, { id: 'pay' });
  await makeProject(db, { id: 'private', mode: 'private' });
  users = [await makeUser(db, 'Viewer'), await makeUser(db, 'Viewer'), await makeUser(db, 'Admin')];
  await makeMember(db, users[0] as TestUser, 'private', 'Reader');
  const creators = [users[0]?.id, users[1]?.id, -42, null];
  const pick = <T>(list: T[], index: number): T => list[index % list.length] as T;
  const rows = Array.from({ length: 300 }, (_, index) => ({
    type: pick(['feature-created', 'project-created', 'user-created'], index * 7),
    project: pick([...NAMES, null], index * 3),
    environment: pick(['production', 'development', null], index),
    feature_name: pick([...NAMES, null], index * 5),
    created_by_user_id: pick(creators, index * 11),
    group_id: `group-${index % 20}`,
    created_at: `${pick(DAYS, index)}T${pick(['00:00:00', '23:59:59.999999', '12:00:00'], index * 13)}Z`,
    data: index % 4 === 0 ? null : { [pick(TEXTS, index * 17)]: pick(TEXTS, index), number: 1.1e-7 },
    pre_data: index % 3 === 0 ? { list: [pick(TEXTS, index * 29), null, true] } : null,
    tags: index % 5 === 0 ? [{ type: 'simple', value: pick(TEXTS, index * 19) }] : [],
  }));
  await sql`
    insert into events (type, project, environment, feature_name, created_by, created_by_user_id, group_id, created_at, data, pre_data, tags)
    select type, project, environment, feature_name, 'x', created_by_user_id, group_id, created_at, data, pre_data, tags
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (type text, project text, environment text, feature_name text,
      created_by_user_id integer, group_id text, created_at timestamptz, data jsonb, pre_data jsonb, tags jsonb)`.execute(
    db,
  );
  events = await listEventsBetween(db, 0, Number.MAX_SAFE_INTEGER, 10_000);
});

const optionalSubset = <T>(...values: T[]) =>
  fc.option(fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }), { nil: undefined });

const part = fc
  .tuple(fc.constantFrom(...TEXTS), fc.nat(4), fc.nat(8))
  .map(([text, from, length]) => [...text].slice(from, from + length).join(''));
const text = fc.oneof(
  fc.constantFrom(...TEXTS),
  part,
  fc.constantFrom(...TEXTS).map(value => value.toUpperCase()),
  fc.constantFrom(...TEXTS).map(value => value.toLowerCase()),
);
const searches: fc.Arbitrary<EventFilters> = fc
  .record({
    query: fc.option(text, { nil: undefined }),
    feature: optionalSubset(...NAMES),
    project: optionalSubset(...NAMES),
    type: optionalSubset('feature-created', 'project-created', 'feature-archived'),
    createdBy: fc.option(fc.array(fc.constantFrom(-42, 1, 2, 3, 4), { maxLength: 3 }), { nil: undefined }),
    environment: optionalSubset('production', 'development', 'nowhere'),
    id: fc.option(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 100 }), {
      nil: undefined,
      freq: 8,
    }),
    groupId: optionalSubset(...Array.from({ length: 22 }, (_, index) => `group-${index}`)),
    from: fc.option(fc.constantFrom(...DAYS), { nil: undefined }),
    to: fc.option(fc.constantFrom(...DAYS), { nil: undefined }),
  })
  .chain(allFilters =>
    // A search has only a few filters, because otherwise hardly anything matches.
    fc
      .subarray(Object.keys(allFilters) as (keyof typeof allFilters)[], { maxLength: 3 })
      .map(keys => ({ ...Object.fromEntries(keys.map(key => [key, allFilters[key]])) })),
  );

test(
  `matches the same events as the SQL conditions of ${RUNS} random searches (seed ${SEED})`,
  GENERATED,
  async () => {
    const { db } = harness;
    const ids = events.map(({ id }) => id);
    let foundCount = 0;

    await fc.assert(
      fc.asyncProperty(searches, async search => {
        const conditions = [sql`true`, ...toConditions(search)];
        const { rows } = await sql<{ id: number }>`
        select id from events where ${sql.join(conditions, sql` and `)} order by id`.execute(db);
        const texts = await findTexts(db, ids, search.query ? [search.query] : []);
        const matchingEvents = events.filter(event =>
          matches(event, search, searchText => texts.get(searchText)?.has(event.id) ?? false),
        );

        expect(matchingEvents.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
        foundCount += rows.length;
      }),
      { numRuns: RUNS, seed: SEED },
    );

    expect(foundCount).toBeGreaterThan(RUNS);
  },
);

test('finds each of several strings in the same events as a search', async () => {
  const ids = events.map(({ id }) => id);
  const texts = [...TEXTS, ...TEXTS.map(value => value.toUpperCase())].filter(
    (value, index, all) => all.indexOf(value) === index,
  );

  const found = await findTexts(harness.db, ids, texts);

  expect(texts.length).toBeGreaterThan(20);
  for (const query of texts) {
    const contains = sql.join(toConditions({ query }));
    const { rows } = await sql<{ id: number }>`select id from events where ${contains}`.execute(harness.db);
    expect([query, [...(found.get(query) ?? [])].toSorted((a, b) => a - b)]).toEqual([
      query,
      rows.map(({ id }) => id).toSorted((a, b) => a - b),
    ]);
  }
});

test('shows each listener the same events as the visibility condition of a search', async () => {
  const { db } = harness;
  const { rows: tokens } = await sql<{ id: number; userId: number }>`
    select id, user_id as "userId" from personal_access_tokens order by user_id`.execute(db);
  const listeners = tokens.map(({ id, userId }) => {
    const isAdmin = userId === users[2]?.id;
    const actor = { ...SYSTEM, kind: 'user' as const, userId, isAdmin };
    return makeListener(
      'caller',
      { ...actor, credential: { table: 'personal_access_tokens', id } },
      {},
      () => {},
    );
  });

  const access = await readAccess(db, listeners, events);

  expect(listeners).toHaveLength(3);
  const visibleCounts = [];
  for (const listener of listeners) {
    const { rows } = await sql<{ id: number }>`
      select id from events where ${isVisible(listener.actor, {})} order by id`.execute(db);
    const visibleEvents = events.filter(event => access.canSee(listener, event));
    expect(visibleEvents.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    visibleCounts.push(visibleEvents.length);
  }
  expect(new Set(visibleCounts).size).toBe(3);
});
