import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { change } from '../change.ts';

const harness = useHarness();
let viewer: TestUser;

type Page = { events: { id: number }[]; total: number; next?: number };

const search = async (query: string, token?: string): Promise<Page> => {
  const { status, body } = await call(
    harness.app,
    'GET',
    `/api/admin/search/events?${query}`,
    token ? { token } : {},
  );
  expect([status, body.details]).toEqual([200, undefined]);
  return body;
};
const measureJson = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const listIds = ({ events }: Page) => events.map(({ id }) => id);

async function recordEvents(count: number, project: string | null = 'default'): Promise<void> {
  await change(harness.db, SYSTEM, async ({ record }) => {
    for (let number = 0; number < count; number++)
      record({ type: 'feature-tagged', project, data: { number } });
  });
}

/** Reads all pages with the cursor. */
async function readAllPages(query: string, token?: string, betweenPages = async () => {}): Promise<Page[]> {
  const pages = [await search(query, token)];
  for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next) {
    await betweenPages();
    pages.push(await search(`${query}&before=${next}`, token));
  }
  return pages;
}

beforeAll(async () => {
  viewer = await makeUser(harness.db, 'Viewer');
  await makeProject(harness.db, { id: 'secret-project', mode: 'private' });
  for (let round = 0; round < 5; round++) {
    await recordEvents(3);
    await recordEvents(2, 'secret-project');
    await recordEvents(1, null);
  }
});

test.each([
  '',
  'type=IS:feature-tagged',
  'query=number',
  'from=IS:2020-01-01',
  'type=IS_ANY_OF:feature-tagged,project-created',
])('the cursor pages of the search "%s" have no gaps or overlaps', async filter => {
  for (const token of [undefined, viewer.token]) {
    const wholeResult = await search(`${filter}&limit=1000`, token);

    const pages = await readAllPages(`${filter}&limit=4`, token);

    expect(pages.flatMap(listIds)).toEqual(listIds(wholeResult));
    expect(new Set(pages.map(({ total }) => total))).toEqual(new Set([wholeResult.total]));
    expect(wholeResult).not.toHaveProperty('next');
  }
});

test('the last page has no `next`, even if it is full', async () => {
  const filter = 'type=IS:feature-tagged&project=IS:default';
  const { total } = await search(filter);

  const fullPage = await search(`${filter}&limit=${total}`);
  const shorterPage = await search(`${filter}&limit=${total - 1}`);

  expect(fullPage.events).toHaveLength(total);
  expect(fullPage).not.toHaveProperty('next');
  expect(shorterPage.next).toBe(shorterPage.events.at(-1)?.id);
  expect(await search(`${filter}&before=1`)).toEqual({ events: [], total });
});

test('`before` and `after` limit the ids, exclusively, and do not change the total', async () => {
  const { events, total } = await search('type=IS:feature-tagged&limit=1000');
  const ids = events.map(({ id }) => id);
  const [high, low] = [ids[3], ids[9]];

  const resultBetween = await search(`type=IS:feature-tagged&before=${high}&after=${low}`);
  const newer = await search(`type=IS:feature-tagged&after=${high}`);
  const boundedPage = await search(`type=IS:feature-tagged&before=${high}&after=${low}&limit=2`);

  expect(listIds(resultBetween)).toEqual(ids.slice(4, 9));
  expect(resultBetween.total).toBe(total);
  expect(resultBetween).not.toHaveProperty('next');
  expect(listIds(newer)).toEqual(ids.slice(0, 3));
  expect(boundedPage.next).toBe(ids[5]);
});

test('events that are written between two pages do not shift the next page', async () => {
  const idsBefore = listIds(await search('type=IS:feature-tagged&limit=1000'));

  const pages = await readAllPages('type=IS:feature-tagged&limit=4', undefined, () => recordEvents(3));

  expect(pages.flatMap(listIds)).toEqual(idsBefore);
});

test('a page read by offset also has `next`', async () => {
  const page = await search('limit=2&offset=3');

  expect(page.next).toBe(page.events.at(-1)?.id);
  expect(listIds(await search(`limit=2&before=${page.next}`))).toEqual(
    listIds(await search('limit=2&offset=5')),
  );
});

test.each(['before', 'after'])('rejects an invalid %s with 400', async name => {
  for (const value of ['', '-4294967296', '1.5', 'abc', 'IS:5', '1e3', '9007199254740992']) {
    const response = await call(harness.app, 'GET', `/api/admin/search/events?${name}=${value}`);

    expect([value, response.status, response.body.details]).toEqual([
      value,
      400,
      [
        {
          message: `${name} must be an integer from -4294967295 to 9007199254740991`,
          path: `/query/${name}`,
        },
      ],
    ]);
  }
  const duplicateParameter = await call(harness.app, 'GET', `/api/admin/search/events?${name}=5&${name}=6`);
  expect(duplicateParameter.body.details).toEqual([
    { message: `${name} must be given once`, path: `/query/${name}` },
  ]);
  expect((await call(harness.app, 'GET', `/api/admin/search/events?${name}=9007199254740991`)).status).toBe(
    200,
  );
});

test('rejects an offset combined with a cursor', async () => {
  for (const page of [
    'offset=5&before=9',
    'offset=5&after=9',
    'offset=5&before=9&after=2',
    'offset=0&before=9',
  ]) {
    const { status, body } = await call(harness.app, 'GET', `/api/admin/search/events?${page}`);

    expect([status, body.details]).toEqual([
      400,
      [
        {
          message: 'offset must not be combined with before or after. Use one or the other.',
          path: '/query/offset',
        },
      ],
    ]);
  }
});

test('a page of large events ends with the event that exceeds 8 MiB of JSON, and `next` continues after it', async () => {
  const random = sql`(select jsonb_agg(md5(item::text || event::text)) from generate_series(1, 20000) as item)`;
  const repeatedText = sql`to_jsonb(repeat('x', 700000))`;
  const { rows } = await sql<{ id: number }>`
    insert into events (group_id, type, created_by, data)
    select 'large', 'project-created', 'x', jsonb_build_object('items', case when event % 2 = 0 then ${random} else ${repeatedText} end)
    from generate_series(1, 20) as event returning id`.execute(harness.db);
  const writtenIds = rows.map(({ id }) => id).toReversed();

  const pages = await readAllPages('groupId=IS:large&limit=1000');

  expect(pages.flatMap(listIds)).toEqual(writtenIds);
  expect(pages.map(({ total }) => total)).toEqual(pages.map(() => 20));
  // The limit applies to the stored events, whose small fields differ from those in the response.
  const [least, most] = [8 * 1024 * 1024 - 10_000, 8 * 1024 * 1024 + 10_000];
  const fullPages = pages.slice(0, -1);
  expect(fullPages).not.toEqual([]);
  for (const { events } of fullPages) {
    expect(measureJson(events)).toBeGreaterThan(least);
    expect(measureJson(events.slice(0, -1))).toBeLessThan(most);
  }
  expect(measureJson(pages.at(-1)?.events.slice(0, -1))).toBeLessThan(most);
  const { next, ...first } = await search('groupId=IS:large&limit=4');
  expect(listIds(first)).toEqual(writtenIds.slice(0, 4));
  expect(next).toBe(writtenIds[3]);
});
