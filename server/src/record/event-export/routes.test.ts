import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { change } from '../change.ts';

const harness = useHarness();
let viewer: TestUser;
let member: TestUser;

type Line = { id: number; project: string | null; createdBy: string; data: { number?: number } | null };

const EXPORT = '/api/admin/search/events/export';

async function exportText(query: string, token?: string): Promise<string> {
  const { status, body } = await call(harness.app, 'GET', `${EXPORT}?${query}`, token ? { token } : {});
  expect([status, body.details]).toEqual([200, undefined]);
  return body;
}
const listLines = async (query: string, token?: string): Promise<Line[]> =>
  (await exportText(query, token))
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line));
const listIds = async (query: string, token?: string) => (await listLines(query, token)).map(({ id }) => id);

async function search(query: string, token?: string): Promise<Line[]> {
  const url = `/api/admin/search/events?limit=1000&${query}`;
  return (await call(harness.app, 'GET', url, token ? { token } : {})).body.events;
}

async function insertEvents(count: number, project: string, data = sql`jsonb_build_object('number', n)`) {
  await sql`
    insert into events (group_id, type, created_by, created_by_user_id, project, data)
    select ${project}, 'segment-updated', 'someone', 1, ${project}, ${data}
    from generate_series(1, ${count}::integer) as n`.execute(harness.db);
}

const record = (project: string, createdBy = 'x') =>
  change(harness.db, { ...SYSTEM, name: createdBy }, async ({ record }) => {
    record({ type: 'segment-created', project, data: { text: 'ž "quoted", line\nbreak \\' }, preData: {} });
  });

beforeAll(async () => {
  const { db } = harness;
  viewer = await makeUser(db, 'Viewer');
  member = await makeUser(db, 'Viewer');
  await makeProject(db, { id: 'secret-project', mode: 'private' });
  await makeMember(db, member, 'secret-project', 'Reader');
  for (const project of ['default', 'secret-project', 'default']) await record(project);
  await call(harness.app, 'POST', '/api/admin/tags', { body: { type: 'simple', value: 'own' } });
  await insertEvents(3, 'default');
});

test('exports the events of the search as lines of JSON, without label and summary', async () => {
  for (const token of [undefined, viewer.token, member.token]) {
    const expected = (await search('', token)).map(event => {
      const { label: _, summary: __, ...fields } = event as Line & { label: string; summary: string };
      return fields;
    });

    const found = await listLines('', token);

    expect(found).toEqual(expected);
    expect(found.length).toBeGreaterThan(5);
    expect('ip' in (found[0] ?? {})).toBe(token === undefined);
  }
});

test('sends a file with a name and the content type of its format', async () => {
  const ndjson = await call(harness.app, 'GET', EXPORT);
  const csv = await call(harness.app, 'GET', `${EXPORT}?format=csv`);

  expect(ndjson.headers).toMatchObject({
    'content-type': 'application/x-ndjson; charset=utf-8',
    'content-disposition': expect.stringMatching(/^attachment; filename="events-\d{8}T\d{6}Z\.ndjson"$/),
  });
  expect(csv.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': expect.stringMatching(/^attachment; filename="events-\d{8}T\d{6}Z\.csv"$/),
  });
});

test('a CSV export contains the same events as an NDJSON export', async () => {
  const columns =
    'id,createdAt,type,createdBy,createdByUserId,createdByKind,environment,project,featureName,data,preData,tags,groupId,comment,createdByToken,createdByClient';
  for (const token of [undefined, viewer.token]) {
    const events = await listLines('', token);

    const csv = await exportText('format=csv', token);

    expect(csv.slice(0, csv.indexOf('\r\n'))).toBe(token ? columns : `${columns},ip`);
    const rows: Record<string, string>[] = parse(csv, { columns: true, record_delimiter: '\r\n' });
    const cell = (value: unknown) =>
      value === null || value === undefined ? '' : typeof value === 'object' ? value : String(value);
    const json = (value: string | undefined) => (value ? JSON.parse(value) : '');
    const read = rows.map(row => ({
      ...row,
      data: json(row.data),
      preData: json(row.preData),
      tags: json(row.tags),
    }));
    expect(read).toEqual(
      events.map(event => ({
        createdByKind: '',
        comment: '',
        createdByClient: '',
        ...Object.fromEntries(Object.entries(event).map(([name, value]) => [name, cell(value)])),
        createdByToken: (event as { createdByToken?: { name: string } }).createdByToken?.name ?? '',
      })),
    );
  }
});

test('a CSV cell cannot be a formula, and is otherwise unchanged', async () => {
  const names = [
    ...['=1+1', '+1', '-1', '@x', '\tx', '\rx', '\nx', '＝1', '＋1', '－1', '＠x'],
    ...['plain', ' =x', 'a,b', 'say "hi"', 'two\r\nlines', 'ž', "'quoted"],
  ];
  for (const name of names) await record('default', name);

  const csv = await exportText('format=csv&type=IS:segment-created');
  const rows: { createdBy: string; createdByUserId: string }[] = parse(csv, { columns: true });

  const found = rows
    .slice(0, names.length)
    .toReversed()
    .map(({ createdBy }) => createdBy);
  expect(found).toEqual(names.map((name, n) => (n < 11 ? `'${name}` : name)));
  expect(rows[0]?.createdByUserId).toBe('-1337');
});

test.each([
  'project=IS:default',
  'type=IS_ANY_OF:segment-created,tag-created&project=IS:default',
  'query=quoted',
  'from=IS:2020-01-01&to=IS:2020-01-02',
  'createdBy=IS:-42',
  'feature=IS:none',
])('the filter %s means the same as in the search', async filter => {
  for (const token of [undefined, viewer.token, member.token]) {
    expect(await listIds(filter, token)).toEqual((await search(filter, token)).map(({ id }) => id));
  }
});

test('an export without matches is empty, except for the CSV header', async () => {
  expect(await exportText('project=IS:none')).toBe('');
  expect((await exportText('project=IS:none&format=csv')).split('\r\n')).toHaveLength(2);
});

test('`before` and `after` limit which events are exported', async () => {
  const allIds = await listIds('');

  expect(await listIds(`before=${allIds[2]}`)).toEqual(allIds.slice(3));
  expect(await listIds(`after=${allIds[2]}`)).toEqual(allIds.slice(0, 2));
  expect(await listIds(`before=${allIds[1]}&after=${allIds[4]}`)).toEqual(allIds.slice(2, 4));
  expect(await listIds('before=1')).toEqual([]);
  expect(await listIds('after=9007199254740991')).toEqual([]);
});

test.each([
  ['limit=10', ['limit is not a parameter of the export. Use before and after to export a range of ids.']],
  [
    'limit=10&offset=0',
    [
      'limit is not a parameter of the export. Use before and after to export a range of ids.',
      'offset is not a parameter of the export. Use before and after to export a range of ids.',
    ],
  ],
  ['format=xml', ['format must be one of ndjson, csv']],
  ['format=csv&format=csv', ['format must be given once']],
  ['before=1.5', ['before must be an integer from -4294967295 to 9007199254740991']],
  [
    'after=x&project=default',
    [
      'after must be an integer from -4294967295 to 9007199254740991',
      'project must start with IS: or IS_ANY_OF:, for example project=IS:default',
    ],
  ],
])('rejects %s with 400', async (query, messages) => {
  const { status, body } = await call(harness.app, 'GET', `${EXPORT}?${query}`);

  expect([status, body.details.map(({ message }: { message: string }) => message)]).toEqual([400, messages]);
});

test('a HEAD request returns the headers or the error of GET without running the export', async () => {
  const acceptedHead = await call(harness.app, 'HEAD', EXPORT);
  const rejectedHead = await call(harness.app, 'HEAD', `${EXPORT}?limit=5`);

  expect([acceptedHead.status, rejectedHead.status]).toEqual([200, 400]);
  expect(acceptedHead.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
});

test("an export contains only the events of readable projects and the caller's own events", async () => {
  await call(harness.app, 'POST', '/api/admin/projects/default/favorites', { token: viewer.token });
  const projects = async (token?: string) =>
    new Set((await listLines('', token)).map(({ project }) => project));

  expect(await projects()).toContain('secret-project');
  expect(await projects(member.token)).toContain('secret-project');
  expect(await projects(viewer.token)).not.toContain('secret-project');
  const ownEvents = (await listLines('', viewer.token)).filter(({ project }) => project === null);
  expect(new Set(ownEvents.map(({ createdBy }) => createdBy))).toEqual(new Set([viewer.username]));
  expect(await listLines('project=IS:secret-project', viewer.token)).toEqual([]);
});

test('exports every event once, across many batches and gaps in the ids', async () => {
  await insertEvents(2_100, 'many');
  await sql`select setval('events_id_seq', 300000)`.execute(harness.db);
  await insertEvents(1_500, 'many');

  const found = await listLines('project=IS:many');

  expect(found).toHaveLength(3_600);
  expect(new Set(found.map(({ id }) => id)).size).toBe(3_600);
  expect(found.map(({ id }) => id)).toEqual(found.map(({ id }) => id).toSorted((a, b) => b - a));
});

test('a batch of large events is small, no matter how well they compress', async () => {
  await insertEvents(300, 'compressed', sql`jsonb_build_object('number', n, 'text', repeat('x', 100000))`);
  await sql`
    insert into events (group_id, type, created_by, project, data)
    select 'incompressible', 'segment-updated', 'someone', 'incompressible', jsonb_build_object('number', n, 'text',
      (select string_agg(md5(random()::text || i || n), '') from generate_series(1, 70000) as i))
    from generate_series(1, 3) as n`.execute(harness.db);
  const exportBatches = async (project: string) => {
    const statementsBefore = harness.statements.length;
    const found = await listLines(`project=IS:${project}`);
    const read = harness.statements
      .slice(statementsBefore)
      .filter(text => text.includes('weight_so_far')).length;
    return { numbers: found.map(({ data }) => data?.number), read };
  };

  // Each of the 5 id ranges ends with a statement that finds no more events, and each earlier statement finds a batch.
  const compressedBatches = await exportBatches('compressed');
  const huge = await exportBatches('incompressible');

  expect(compressedBatches.numbers).toEqual(Array.from({ length: 300 }, (_, n) => 300 - n));
  expect(compressedBatches.read).toBeGreaterThan(8);
  expect(huge.numbers).toEqual([3, 2, 1]);
  expect(huge.read).toBeGreaterThan(7);
});

test('an uncommitted event holds back later events, so that no export has a gap', async () => {
  const project = 'gapless';
  const openTransaction = await harness.db.startTransaction().execute();
  await record('gapless');
  await sql`
    insert into events (group_id, type, created_by, project) values ('late', 'segment-created', 'x', ${project})`.execute(
    openTransaction,
  );
  await record('gapless');

  const idsDuring = await listIds(`project=IS:${project}`);
  await openTransaction.commit().execute();
  const rest = await listIds(`project=IS:${project}&after=${idsDuring[0]}`);

  expect(idsDuring).toHaveLength(1);
  expect(rest).toHaveLength(2);
  expect(await listIds(`project=IS:${project}`)).toEqual([...rest, ...idsDuring]);
});
