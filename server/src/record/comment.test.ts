import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SYSTEM } from '../platform/actor.ts';
import { makeFeature, makeUser } from '../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';
import { change } from './change.ts';

const harness = useHarness();
const REASON = 'Rollback of the spring sale, see INC-1234';

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET';

/** Sends a request with the header, as a client does. */
async function send(method: Method, path: string, comment: string, body?: object) {
  const response = await harness.app.inject({
    method,
    url: `/api/admin/${path}`,
    headers: {
      authorization: ADMIN_TOKEN,
      'halyard-comment': comment,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  });
  return { status: response.statusCode, body: response.body === '' ? undefined : response.json() };
}

async function listEventsAfter(after: number): Promise<{ type: string; comment: string | null }[]> {
  const { rows } = await sql<{ type: string; comment: string | null }>`
    select type, comment from events where id > ${after} order by id`.execute(harness.db);
  return rows;
}

async function findLastId(): Promise<number> {
  const { rows } = await sql<{ id: number }>`select max(id) as id from events`.execute(harness.db);
  return rows[0]?.id ?? 0;
}

const parseCsv = (text: string): Record<string, string>[] => parse(text, { columns: true });

const search = async (query: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?${query}`)).body;

const FEATURES = 'projects/default/features';
const WRITES: [Method, string, object | undefined, string[]][] = [
  ['POST', FEATURES, { name: 'commented' }, ['feature-created']],
  ['PUT', `${FEATURES}/commented`, { description: 'x', type: 'release' }, ['feature-metadata-updated']],
  [
    'PATCH',
    `${FEATURES}/commented`,
    [{ op: 'replace', path: '/description', value: 'y' }],
    ['feature-metadata-updated'],
  ],
  [
    'POST',
    `${FEATURES}/commented/environments/production/on`,
    undefined,
    ['feature-strategy-add', 'feature-environment-enabled'],
  ],
  ['DELETE', `${FEATURES}/commented`, undefined, ['feature-archived']],
];

test('every kind of write accepts a comment, and every event of the write has it', async () => {
  for (const [method, path, body, types] of WRITES) {
    const before = await findLastId();

    const { status } = await send(method, path, REASON, body);

    expect(status, `${method} ${path}`).toBeLessThan(300);
    expect(await listEventsAfter(before)).toEqual(types.map(type => ({ type, comment: REASON })));
  }
});

test('the search, the event and the export show a comment, and the field of an event without one is empty or absent', async () => {
  await send('POST', FEATURES, REASON, { name: 'shown' });
  await makeFeature(harness.db, 'default', { name: 'silent' });

  const [commentedEvent] = (await search('feature=IS:shown')).events;
  const [silentEvent] = (await search('feature=IS:silent')).events;
  const exportEvents = async (query: string) =>
    (await call(harness.app, 'GET', `/api/admin/search/events/export?${query}`)).body as string;
  const exportRow = async (feature: string) =>
    parseCsv(await exportEvents(`format=csv&feature=IS:${feature}`))[0];
  const exportLine = async (feature: string) => JSON.parse(await exportEvents(`feature=IS:${feature}`));

  expect(commentedEvent.comment).toBe(REASON);
  expect(silentEvent).not.toHaveProperty('comment');
  expect((await call(harness.app, 'GET', `/api/admin/events/${commentedEvent.id}`)).body.comment).toBe(
    REASON,
  );
  expect((await exportLine('shown')).comment).toBe(REASON);
  expect(await exportLine('silent')).not.toHaveProperty('comment');
  expect((await exportRow('shown'))?.comment).toBe(REASON);
  expect((await exportRow('silent'))?.comment).toBe('');
});

test('a text search finds a comment in its decoded form', async () => {
  const comment = 'Größe "XL" läuft 100 % – 日本 🚀';
  await send('POST', FEATURES, encodeURIComponent(comment), { name: 'found' });
  const count = async (text: string) => (await search(`query=${encodeURIComponent(text)}`)).total;

  expect((await search('feature=IS:found')).events[0].comment).toBe(comment);
  for (const text of ['größe "xl"', '100 % –', '日本 🚀', '\\"XL\\"'])
    expect(await count(text), text).toBe(1);
  // The searched text separates the comment from the tags before it.
  expect(await count(']Größe')).toBe(0);
});

test('the CSV export marks a comment that begins like a formula as plain text', async () => {
  await send('POST', FEATURES, '=1+1', { name: 'formula' });

  const { body } = await call(
    harness.app,
    'GET',
    '/api/admin/search/events/export?format=csv&feature=IS:formula',
  );

  expect(parseCsv(body)[0]?.comment).toBe("'=1+1");
});

test.each([
  ['', 'must not be blank'],
  ['  ', 'must not be blank'],
  ['%20%20', 'must not be blank'],
  ['%E2%80%AE', 'must not be blank'],
  ['%E2%81%A0%EF%B8%8F%C2%AD', 'must not be blank'],
  ['x'.repeat(501), 'must have at most 500 characters'],
  [encodeURIComponent('日'.repeat(501)), 'must have at most 500 characters'],
  ['line%0Abreak', 'must be one line without control characters'],
  ['tab\tstop', 'must be one line without control characters'],
  ['nul%00', 'must be one line without control characters'],
  ['line%E2%80%A8separator', 'must be one line without control characters'],
  ['100%', 'must be percent-encoded UTF-8'],
  ['%FF', 'must be percent-encoded UTF-8'],
  ['%ED%A0%80', 'must be percent-encoded UTF-8'],
  ['Gr\u00f6\u00dfe', 'must be ASCII'],
])('rejects the comment %j with 400 and changes nothing', async (comment, message) => {
  const before = await findLastId();

  const { status, body } = await send('POST', FEATURES, comment, { name: 'rejected' });

  expect(status).toBe(400);
  expect(body.details).toEqual([
    { message: expect.stringContaining(`Halyard-Comment ${message}`), path: '/headers/halyard-comment' },
  ]);
  expect(await findLastId()).toBe(before);
});

test.each([['x'.repeat(500)], ['日'.repeat(500)], [' trimmed '], ['100 %']])(
  'accepts the comment %s',
  async comment => {
    const before = await findLastId();
    const name = `accepted-${before}`;

    const { status } = await send('POST', FEATURES, encodeURIComponent(comment), { name });

    expect(status).toBe(201);
    expect((await listEventsAfter(before))[0]?.comment).toBe(comment.trim());
  },
);

test('a read ignores the header, even an invalid one', async () => {
  expect((await send('GET', 'projects', '100%')).status).toBe(200);
});

test('a caller without the permission gets 403 before the comment is read', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');

  const response = await harness.app.inject({
    method: 'DELETE',
    url: '/api/admin/projects/default/features/any',
    headers: { authorization: token, 'halyard-comment': '%' },
  });

  expect(response.statusCode).toBe(403);
});

test('changes that the server itself makes have no comment', async () => {
  const before = await findLastId();

  await change(harness.db, SYSTEM, async ({ record }) => record({ type: 'tag-created' }));

  expect(await listEventsAfter(before)).toEqual([{ type: 'tag-created', comment: null }]);
});
