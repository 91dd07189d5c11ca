import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { GENERATED, SEED, sized } from '../../test/campaign.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { conditions } from '../events/conditions.ts';
import type { EventFilters } from '../events/search-query.ts';
import { type EventRow, isVisible, listEventsBetween } from '../events/store.ts';
import { readAccess } from './access.ts';
import { makeListener } from './listener.ts';
import { matches } from './matches.ts';
import { findTexts } from './store.ts';

const RUNS = sized({ usual: 100, long: 5_000 });

const harness = useHarness();
let events: EventRow[] = [];
let users: TestUser[] = [];

/** Letters whose lower case differs between JavaScript and PostgreSQL, and characters that mean something to JSON or to like. */
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
  const pick = <T>(list: T[], at: number): T => list[at % list.length] as T;
  const rows = Array.from({ length: 300 }, (_, at) => ({
    type: pick(['feature-created', 'project-created', 'user-created'], at * 7),
    project: pick([...NAMES, null], at * 3),
    environment: pick(['production', 'development', null], at),
    feature_name: pick([...NAMES, null], at * 5),
    created_by_user_id: pick(creators, at * 11),
    group_id: `group-${at % 20}`,
    created_at: `${pick(DAYS, at)}T${pick(['00:00:00', '23:59:59.999999', '12:00:00'], at * 13)}Z`,
    data: at % 4 === 0 ? null : { [pick(TEXTS, at * 17)]: pick(TEXTS, at), number: 1.1e-7 },
    pre_data: at % 3 === 0 ? { list: [pick(TEXTS, at * 29), null, true] } : null,
    tags: at % 5 === 0 ? [{ type: 'simple', value: pick(TEXTS, at * 19) }] : [],
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

const some = <T>(...values: T[]) =>
  fc.option(fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }), { nil: undefined });

const part = fc
  .tuple(fc.constantFrom(...TEXTS), fc.nat(4), fc.nat(8))
  .map(([text, from, length]) => [...text].slice(from, from + length).join(''));
const text = fc.oneof(
  fc.constantFrom(...TEXTS),
  part,
  fc.constantFrom(...TEXTS).map(one => one.toUpperCase()),
  fc.constantFrom(...TEXTS).map(one => one.toLowerCase()),
);
const searches: fc.Arbitrary<EventFilters> = fc
  .record({
    query: fc.option(text, { nil: undefined }),
    feature: some(...NAMES),
    project: some(...NAMES),
    type: some('feature-created', 'project-created', 'feature-archived'),
    createdBy: fc.option(fc.array(fc.constantFrom(-42, 1, 2, 3, 4), { maxLength: 3 }), { nil: undefined }),
    environment: some('production', 'development', 'nowhere'),
    id: fc.option(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 100 }), {
      nil: undefined,
      freq: 8,
    }),
    groupId: some(...Array.from({ length: 22 }, (_, at) => `group-${at}`)),
    from: fc.option(fc.constantFrom(...DAYS), { nil: undefined }),
    to: fc.option(fc.constantFrom(...DAYS), { nil: undefined }),
  })
  .chain(all =>
    // Only a few filters together, because otherwise hardly anything matches.
    fc
      .subarray(Object.keys(all) as (keyof typeof all)[], { maxLength: 3 })
      .map(keys => ({ ...Object.fromEntries(keys.map(key => [key, all[key]])) })),
  );

test(
  `matches what the conditions of the search match, in ${RUNS} random searches (seed ${SEED})`,
  GENERATED,
  async () => {
    const { db } = harness;
    const ids = events.map(({ id }) => id);
    let found = 0;

    await fc.assert(
      fc.asyncProperty(searches, async search => {
        const all = [sql`true`, ...conditions(search)];
        const { rows } = await sql<{ id: number }>`
        select id from events where ${sql.join(all, sql` and `)} order by id`.execute(db);
        const texts = await findTexts(db, ids, search.query ? [search.query] : []);
        const matching = events.filter(event =>
          matches(event, search, one => texts.get(one)?.has(event.id) ?? false),
        );

        expect(matching.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
        found += rows.length;
      }),
      { numRuns: RUNS, seed: SEED },
    );

    expect(found).toBeGreaterThan(RUNS);
  },
);

test('finds several strings at a time, each as the search does', async () => {
  const ids = events.map(({ id }) => id);
  const texts = [...TEXTS, ...TEXTS.map(one => one.toUpperCase())].filter(
    (one, at, all) => all.indexOf(one) === at,
  );

  const found = await findTexts(harness.db, ids, texts);

  expect(texts.length).toBeGreaterThan(20);
  for (const query of texts) {
    const contains = sql.join(conditions({ query }));
    const { rows } = await sql<{ id: number }>`select id from events where ${contains}`.execute(harness.db);
    expect([query, [...(found.get(query) ?? [])].toSorted((a, b) => a - b)]).toEqual([
      query,
      rows.map(({ id }) => id).toSorted((a, b) => a - b),
    ]);
  }
});

test('decides about visibility as the condition of the search', async () => {
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
  const seen = [];
  for (const listener of listeners) {
    const { rows } = await sql<{ id: number }>`
      select id from events where ${isVisible(listener.actor, {})} order by id`.execute(db);
    const visible = events.filter(event => access.canSee(listener, event));
    expect(visible.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    seen.push(visible.length);
  }
  expect(new Set(seen).size).toBe(3);
});
