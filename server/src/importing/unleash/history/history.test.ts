import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { SYSTEM } from '../../../platform/actor.ts';
import { makeKeyring } from '../../../platform/secrets/seal.ts';
import { countEvents } from '../../../record/event-counts/count.ts';
import { countGroups } from '../../../record/event-counts/store.ts';
import { indexNext } from '../../../record/event-index/indexer.ts';
import { readIndexedChunks } from '../../../record/event-index/store.ts';
import { findWrongTexts } from '../../../record/event-index/text/verify.ts';
import { findWrongChunks } from '../../../record/event-index/verify.ts';
import { makeSearchMemory } from '../../../record/event-search/indexed.ts';
import { searchEvents } from '../../../record/event-search/search.ts';
import { findMatching } from '../../../record/event-search/store.ts';
import { LOWEST_ID, toImportedId } from '../../../record/events/imported.ts';
import type { EventSearch } from '../../../record/events/search-query.ts';
import { APP_SETTINGS, useHarness } from '../../../test/harness.ts';
import { call } from '../../../test/request.ts';
import { createRecordedDatabase, RECORDED, type SourceDatabase } from '../../../test/unleash-database.ts';
import type { KindReport } from '../report.ts';
import { importUnleash } from '../run.ts';
import { closeSource, openSource } from '../source/source.ts';

const SETTINGS = {
  keyring: makeKeyring(APP_SETTINGS.secretKey, []),
  targets: { allowed: [], allowPrivate: false },
};

const harness = useHarness();

/** Removes what another test imported, because the tests in a file share a database. */
beforeEach(async () => {
  await sql`drop table if exists events_imported`.execute(harness.db);
  await sql`delete from event_index_progress where part like 'imported-%'`.execute(harness.db);
  await sql`delete from event_postings where chunk < 0`.execute(harness.db);
  await sql`delete from event_text_sets where chunk < 0`.execute(harness.db);
});

/** Runs the import once and returns its report on events. */
async function run({ url }: Pick<SourceDatabase, 'url'>, plan = false): Promise<KindReport | undefined> {
  const source = await openSource(url);
  const options = { plan, accept: true, overwrite: true, onlyChanged: false };
  try {
    return (await importUnleash(harness.db, source, SETTINGS, options)).get('events');
  } finally {
    await closeSource(source);
  }
}

const search = async (query: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?${query}`)).body;

test.each(RECORDED)(
  'events from Unleash %s are imported only once, in order, with negative ids',
  async version => {
    const unleash = await createRecordedDatabase(version);
    const planReport = await run(unleash, true);

    const firstReport = await run(unleash);
    const secondReport = await run(unleash);

    expect(firstReport).toMatchObject({ created: planReport?.created, unchanged: 0 });
    expect(secondReport).toMatchObject({ created: 0, unchanged: firstReport?.created });
    const { events } = await search('limit=1000&before=0');
    expect(events).toHaveLength(firstReport?.created ?? 0);
    const unleashIds = events.map((event: { importedFrom: { id: number } }) => event.importedFrom.id);
    expect(unleashIds).toEqual(unleashIds.toSorted((a: number, b: number) => b - a));
    expect(events[0]).toMatchObject({
      id: toImportedId(unleashIds[0]),
      importedFrom: { product: 'unleash', id: unleashIds[0] },
    });
    const creationEvent = events.find((event: { type: string }) => event.type === 'feature-created');
    expect(creationEvent).toMatchObject({ project: 'default', data: { name: creationEvent.featureName } });
    const response = await call(harness.app, 'GET', `/api/admin/events/${creationEvent.id}`);
    expect(response).toMatchObject({
      status: 200,
      body: { id: creationEvent.id, importedFrom: creationEvent.importedFrom },
    });
  },
);

test('imported events refer to the Halyard account that matches the Unleash account', async () => {
  const unleash = await createRecordedDatabase('8.2.0');
  await unleash.run(`
    insert into events (id, created_at, type, created_by, created_by_user_id, data, tags, feature_name, project)
    values (900, now(), 'feature-updated', 'ada@example.com', 2, '{}', '[]', 'dark-mode', 'default'),
      (901, now(), 'feature-updated', 'somebody deleted', 77, '{}', '[]', 'dark-mode', 'default'),
      (902, now(), 'feature-updated', 'ben', null, '[1]', null, 'dark-mode', 'default')`);
  await run(unleash);

  const { users } = (await call(harness.app, 'GET', '/api/admin/user-admin')).body;
  const findUserId = (name: string) =>
    users.find((user: { email?: string; username?: string }) => [user.email, user.username].includes(name))
      .id;
  const { events } = await search(`id=IS_ANY_OF:${[900, 901, 902].map(toImportedId)}`);
  expect(events.map((event: { createdByUserId: number | null }) => event.createdByUserId)).toEqual([
    findUserId('ben'),
    null,
    findUserId('ada@example.com'),
  ]);
  expect(events[0].data).toEqual({ value: [1] });
  const { body } = await call(harness.app, 'GET', '/api/admin/projects/default/features/dark-mode');
  expect(body.collaborators.users.map((user: { id: number }) => user.id)).toContain(
    findUserId('ada@example.com'),
  );
  const byAda = await search(`createdBy=IS:${findUserId('ada@example.com')}&before=0`);
  expect(byAda.events.map((event: { id: number }) => event.id)).toContain(toImportedId(900));
});

test('a later run writes new events and events that Unleash committed late', async () => {
  const unleash = await createRecordedDatabase('8.2.0');
  const insert = (id: number) =>
    unleash.run(`insert into events (id, created_at, type, created_by, data, tags)
      values (${id}, now(), 'segment-created', 'ada', '{"name":"late \\u0000 \\ud800"}', '[]')`);
  await insert(500);
  await run(unleash);
  await insert(499);
  await insert(501);

  const report = await run(unleash);

  expect(report).toMatchObject({ created: 2 });
  const { events } = await search('type=IS:segment-created&limit=3&before=0');
  expect(events.map((event: { id: number }) => event.id)).toEqual([501, 500, 499].map(toImportedId));
  expect(events[0].data).toEqual({ name: 'late  �' });
});

test('imported events cause no deliveries or SDK updates, are not backfilled, and use up no ids', async () => {
  const unleash = await createRecordedDatabase('8.2.0');
  await run(unleash);
  const hook = { provider: 'webhook', enabled: true, parameters: { url: 'http://127.0.0.1:9/' }, events: [] };
  const { body } = await call(harness.app, 'POST', '/api/admin/addons', {
    body: { ...hook, events: ['feature-created'] },
  });
  const readState = () =>
    sql`select (select count(*) from integration_deliveries) as deliveries,
      (select json_agg(sdk_revisions order by environment) from sdk_revisions) as revisions,
      (select last_value from events_id_seq) as last`
      .execute(harness.db)
      .then(({ rows }) => rows[0]);
  await unleash.run(`insert into events (id, created_at, type, created_by, data, tags, project, feature_name)
    values (950, now(), 'feature-created', 'ada', '{"name":"x"}', '[]', 'default', 'x')`);
  const stateBefore = await readState();

  expect(await run(unleash)).toMatchObject({ created: 1 });

  expect(await readState()).toEqual(stateBefore);
  const backfill = await call(harness.app, 'GET', `/api/admin/addons/${body.id}/preview?days=30`);
  expect(JSON.stringify(backfill.body)).not.toContain('-4294');
});

test('secrets in old events are masked', async () => {
  const unleash = await createRecordedDatabase('4.19.5');
  await unleash.run(`insert into events (id, created_at, type, created_by, data, tags) values
    (800, now(), 'api-token-created', 'ada', '{"secret":"hidden-1","alias":"hidden-2","username":"sdk"}', '[]'),
    (801, now(), 'addon-config-created', 'ada', '{"parameters":{"url":"https://hidden-3","authorization":"hidden-4"}}', '[]')`);
  await run(unleash);

  const { events } = await search(`id=IS_ANY_OF:${[800, 801].map(toImportedId)}`);

  expect(JSON.stringify(events)).not.toContain('hidden');
  expect(events[1].data).toEqual({ secret: '*****', alias: '*****', username: 'sdk' });
});

test('the health of past days counts the flags that Unleash had on those days', async () => {
  const unleash = await createRecordedDatabase('8.2.0');
  // The recorded events have fixed dates, which may be among the compared days.
  await run(unleash);
  const { body: healthBefore } = await call(
    harness.app,
    'GET',
    '/api/admin/projects/default/health/history?days=20',
  );
  await unleash.run(`insert into events (id, created_at, type, created_by, data, tags, project, feature_name) values
    (700, now() - interval '12 days', 'feature-created', 'ada', '{"name":"past","type":"release"}', '[]', 'default', 'past'),
    (701, now() - interval '9 days', 'feature-stale-on', 'ada', '{}', '[]', 'default', 'past'),
    (702, now() - interval '5 days', 'feature-archived', 'ada', null, '[]', 'default', 'past')`);
  await run(unleash);

  const { body } = await call(harness.app, 'GET', '/api/admin/projects/default/health/history?days=20');

  const dayBefore = (history: typeof body, days: number) => history.days.at(-1 - days);
  expect(dayBefore(body, 10).features - dayBefore(healthBefore, 10).features).toBe(1);
  expect(dayBefore(body, 10).stale - dayBefore(healthBefore, 10).stale).toBe(0);
  expect(dayBefore(body, 7).stale - dayBefore(healthBefore, 7).stale).toBe(1);
  expect(dayBefore(body, 3).features - dayBefore(healthBefore, 3).features).toBe(0);
});

test('searches, pages, counts and exports cover both imported events and events from Halyard', async () => {
  await run(await createRecordedDatabase('8.2.0'));
  const allEvents = await search('limit=1000');
  const [oldest, newest] = [allEvents.events.at(-1).id, allEvents.events[0].id];
  expect(oldest).toBeLessThan(0);
  expect(newest).toBeGreaterThan(0);

  const pagedIds: number[] = [];
  for (let beforeId: number | undefined = newest + 1; beforeId !== undefined; ) {
    const page = await search(`limit=7&before=${beforeId}`);
    pagedIds.push(...page.events.map((event: { id: number }) => event.id));
    expect(page.total).toBe(allEvents.total);
    beforeId = page.next;
  }
  const ids = allEvents.events.map((event: { id: number }) => event.id);
  expect(pagedIds).toEqual(ids);
  const byOffset = await search(`limit=20&offset=${ids.indexOf(oldest) - 30}`);
  expect(byOffset.events.map((event: { id: number }) => event.id)).toEqual(ids.slice(-31, -11));

  const counts = await call(harness.app, 'GET', '/api/admin/search/events/counts?by=type');
  expect(counts.body.groups.reduce((sum: number, group: { count: number }) => sum + group.count, 0)).toBe(
    allEvents.total,
  );
  for (const filter of ['', '&query=checkout']) {
    const response = await search(`limit=1000${filter}`);
    const { body } = await call(harness.app, 'GET', `/api/admin/search/events/export?format=ndjson${filter}`);
    const lines = String(body)
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual(response.events.map((event: { id: number }) => event.id));
    expect(lines.at(-1).importedFrom).toEqual(response.events.at(-1).importedFrom);
  }
});

test('a large history is indexed, and searches with and without the index agree', async () => {
  const { db } = harness;
  await run(await createRecordedDatabase('8.2.0'));
  // Chunks are ranges of ids. The ids of these events are far apart, so the events span several chunks.
  await sql`
    insert into events_imported (id, created_at, group_id, type, created_by, created_by_user_id, project, feature_name, data)
    select ${LOWEST_ID}::bigint + n * 31, now() - n * interval '1 minute', 'group-' || n / 4,
      (array['feature-created', 'feature-tagged', 'segment-created'])[1 + n % 3], 'someone', 7,
      case when n % 5 > 0 then 'default' end, 'flag-' || n % 9, jsonb_build_object('text', 'word' || n % 50 || ' rare' || n)
    from generate_series(100, 4000) as n`.execute(db);

  while (await indexNext(db));

  expect(await readIndexedChunks(db, ['filters', 'text'], 'imported')).toBe(4);
  expect(await findWrongChunks(db, () => {})).toEqual([]);
  expect(await findWrongTexts(db, () => {})).toEqual([]);
  const searches: EventSearch[] = [
    { offset: 0, limit: 100 },
    { offset: 3_000, limit: 50 },
    { offset: 0, limit: 40, before: LOWEST_ID + 60_000 },
    { offset: 0, limit: 40, before: LOWEST_ID + 60_000, after: LOWEST_ID + 59_000 },
    { offset: 0, limit: 100, type: ['feature-tagged'], feature: ['flag-4'] },
    { offset: 0, limit: 100, query: 'word7 ' },
    { offset: 10, limit: 10, query: 'word7', project: ['default'] },
    { offset: 0, limit: 10, query: 'rare1234' },
    { offset: 0, limit: 10, query: 'are12' },
    { offset: 0, limit: 10, query: 'nowhere' },
  ];
  const memory = makeSearchMemory();
  for (const eventSearch of searches) {
    const expectedEvents = await findMatching(db, SYSTEM, eventSearch, LOWEST_ID);
    const foundEvents = await searchEvents(db, SYSTEM, eventSearch, memory);
    expect({ ...eventSearch, total: foundEvents.total, ids: foundEvents.events.map(({ id }) => id) }).toEqual(
      {
        ...eventSearch,
        ...expectedEvents,
      },
    );
    const noCounts = { ids: [], values: [], counts: [] };
    for (const grouping of ['day', 'type', 'project'] as const)
      expect(await countEvents(db, SYSTEM, eventSearch, grouping, memory)).toEqual(
        await countGroups(db, SYSTEM, eventSearch, grouping, LOWEST_ID, noCounts),
      );
  }
});
