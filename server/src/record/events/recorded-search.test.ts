import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeApiToken, makeProject, makeUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { RECORDED_EVENTS, type RecordedEvent } from '../../test/recorded-events.ts';

// These are recorded Unleash responses to searches of its 53 events. Halyard gives the same responses, unless a case has an
// exception, which contains Halyard's response and the reason. For an error, the status, name and paths of the details are
// compared.

type ApiResponse = { status: number; total?: number; ids?: number[]; name?: string; paths?: string[] };

const found = (total: number, ...ids: number[]): ApiResponse => ({ status: 200, total, ids });
const rejection = (status: number, name: string, ...paths: string[]): ApiResponse => ({
  status,
  name,
  paths,
});
const badData = (parameter: string): ApiResponse => rejection(400, 'BadDataError', `/query/${parameter}`);

const descending = (first: number, last: number): number[] =>
  Array.from({ length: first - last + 1 }, (_, index) => first - index);

const ALL_EVENTS = found(53, ...descending(53, 1));
const NEWEST_50 = found(53, ...descending(53, 4));
const CRASH = rejection(500, 'UnknownError');
const NO_NAME = '';

type Exception = { reason: string; response: ApiResponse };

const makeException = (response: ApiResponse, reason: string): Exception => ({ response, reason });

const badLimit = makeException(badData('limit'), 'limit must be from 1 to 1000');
const badOffset = makeException(badData('offset'), 'offset must be a non-negative integer');
const emptyValue = (parameter: string) =>
  makeException(badData(parameter), 'a filter without a value is rejected, not ignored');
const badCreator = makeException(badData('createdBy'), 'createdBy must be an integer');
const badDay = (parameter: string) => makeException(badData(parameter), 'an impossible date is rejected');
const nulCharacter = makeException(badData('query'), 'U+0000 is rejected: PostgreSQL cannot store it');
const notUtf8 = makeException(badData('query'), 'bytes that are not UTF-8 are rejected, not replaced');
const noWildcard = (response: ApiResponse) =>
  makeException(response, '%, _ and \\ are ordinary characters in query');
const sharedNameFor401 = makeException(
  rejection(401, 'AuthenticationRequired'),
  'missing and rejected credentials share the error name in the contract',
);
const sharedErrorShape = makeException(
  rejection(403, 'NoAccessError'),
  'all errors have the same shape, and a token of the wrong kind is a NoAccessError',
);
const ownEvent = (id: number) =>
  makeException(
    found(32, 53, id),
    '* is not a project that a caller can read: root admins see its 4 events, and the caller sees the one they caused',
  );

type Case = {
  name: string;
  /** The query string, with its question mark. */
  query: string;
  caller?: keyof typeof tokens;
  method?: 'POST' | 'HEAD';
  accept?: string;
  recorded: ApiResponse;
  exception?: Exception;
};

const tokens = {
  admin: ADMIN_TOKEN,
  bearer: `Bearer ${ADMIN_TOKEN}`,
  none: undefined,
  wrong: '*:*.not-a-token',
  malformed: 'xyz',
  // These tokens are created before the first test.
  viewer: '',
  editor: '',
  client: '',
  frontend: '',
};

const CASES: Case[] = [
  { name: 'no parameters', query: '', recorded: NEWEST_50 },
  { name: 'limit=2', query: '?limit=2', recorded: found(53, 53, 52) },
  { name: 'limit=2 offset=2', query: '?limit=2&offset=2', recorded: found(53, 51, 50) },
  { name: 'offset past the end', query: '?offset=100000', recorded: found(53) },

  { name: 'project IS', query: '?limit=3&project=IS:payments', recorded: found(2, 48, 47) },
  {
    name: 'project IS_ANY_OF two',
    query: '?limit=3&project=IS_ANY_OF:payments,default',
    recorded: found(31, 53, 48, 47),
  },
  { name: 'project IS unknown project', query: '?project=IS:nope', recorded: found(0) },
  {
    name: 'project IS with comma (acts as any-of)',
    query: '?limit=3&project=IS:payments,default',
    recorded: found(31, 53, 48, 47),
  },
  { name: 'feature IS', query: '?limit=3&feature=IS:checkout-v2', recorded: found(11, 42, 38, 37) },
  {
    name: 'feature IS_ANY_OF',
    query: '?limit=3&feature=IS_ANY_OF:checkout-v2,dark-mode',
    recorded: found(15, 42, 38, 37),
  },
  {
    name: 'feature IS_ANY_OF with spaces around the comma',
    query: '?limit=3&feature=IS_ANY_OF%3Acheckout-v2%20%2C%20dark-mode',
    recorded: found(15, 42, 38, 37),
  },
  {
    name: 'feature IS with dot in name',
    query: '?limit=3&feature=IS:kill.search',
    recorded: found(3, 39, 30, 19),
  },
  { name: 'type IS', query: '?limit=3&type=IS:feature-created', recorded: found(8, 47, 23, 22) },
  {
    name: 'type IS_ANY_OF',
    query: '?limit=3&type=IS_ANY_OF:feature-created,feature-stale-on',
    recorded: found(10, 47, 44, 43),
  },
  { name: 'type IS unknown type', query: '?type=IS:no-such-type', recorded: found(0) },
  {
    name: 'createdBy IS (admin token user id -42)',
    query: '?limit=2&createdBy=IS:-42',
    recorded: found(43, 53, 51),
  },
  { name: 'createdBy IS system user', query: '?limit=2&createdBy=IS:-1337', recorded: found(4, 8, 7) },
  { name: 'createdBy IS_ANY_OF', query: '?limit=2&createdBy=IS_ANY_OF:1,-1337', recorded: found(4, 8, 7) },
  { name: 'createdBy non numeric', query: '?createdBy=IS:admin', recorded: CRASH, exception: badCreator },
  {
    name: 'createdBy out of integer range',
    query: '?createdBy=IS:99999999999',
    recorded: CRASH,
    exception: makeException(found(0), 'any integer is a valid id, even if nobody has it'),
  },
  {
    name: 'two filters are ANDed',
    query: '?limit=2&project=IS:default&type=IS:feature-stale-on',
    recorded: found(2, 44, 43),
  },
  { name: 'environment filter', query: '?limit=2&environment=IS:production', recorded: found(8, 42, 39) },
  { name: 'id filter', query: '?limit=2&id=IS:12', recorded: found(1, 12) },
  { name: 'unknown parameter', query: '?limit=1&foo=bar', recorded: found(53, 53) },
  { name: 'sortOrder parameter', query: '?limit=2&sortOrder=asc', recorded: found(53, 53, 52) },

  { name: 'malformed filter, no operator', query: '?project=default', recorded: badData('project') },
  {
    name: 'malformed filter, unknown operator',
    query: '?project=CONTAINS:def',
    recorded: badData('project'),
  },
  {
    name: 'malformed filter, lower-case operator',
    query: '?project=is:default',
    recorded: badData('project'),
  },
  { name: 'malformed filter, IS_NOT', query: '?project=IS_NOT:default', recorded: badData('project') },
  {
    name: 'filter with empty value',
    query: '?limit=2&project=IS:',
    recorded: found(53, 53, 52),
    exception: emptyValue('project'),
  },
  {
    name: 'filter with empty any-of',
    query: '?limit=2&type=IS_ANY_OF:',
    recorded: found(53, 53, 52),
    exception: emptyValue('type'),
  },
  { name: 'empty filter string', query: '?limit=2&project=', recorded: badData('project') },
  {
    name: 'filter given twice',
    query: '?limit=2&project=IS:default&project=IS:payments',
    recorded: badData('project'),
  },
  { name: 'filter as array brackets', query: '?limit=2&project[]=IS:default', recorded: badData('project') },
  {
    name: 'filter as object brackets',
    query: '?limit=2&project[a]=IS:default',
    recorded: badData('project'),
  },

  { name: 'limit=0', query: '?limit=0', recorded: NEWEST_50, exception: badLimit },
  { name: 'limit=1', query: '?limit=1', recorded: found(53, 53) },
  { name: 'limit=1000', query: '?limit=1000', recorded: ALL_EVENTS },
  { name: 'limit=1001', query: '?limit=1001', recorded: NEWEST_50, exception: badLimit },
  { name: 'limit=5000', query: '?limit=5000', recorded: NEWEST_50, exception: badLimit },
  { name: 'limit=abc', query: '?limit=abc', recorded: NEWEST_50, exception: badLimit },
  { name: 'limit=-1', query: '?limit=-1', recorded: NEWEST_50, exception: badLimit },
  { name: 'limit=1.5', query: '?limit=1.5', recorded: found(53, 53), exception: badLimit },
  { name: 'limit=1e2', query: '?limit=1e2', recorded: ALL_EVENTS, exception: badLimit },
  { name: 'limit empty', query: '?limit=', recorded: NEWEST_50, exception: badLimit },
  { name: 'offset=-5', query: '?limit=2&offset=-5', recorded: found(53, 53, 52), exception: badOffset },
  { name: 'offset=abc', query: '?limit=2&offset=abc', recorded: found(53, 53, 52), exception: badOffset },
  { name: 'offset=1.5', query: '?limit=2&offset=1.5', recorded: found(53, 52, 51), exception: badOffset },
  { name: 'offset huge', query: '?limit=2&offset=99999999999999999999', recorded: found(53) },

  { name: 'from today', query: '?limit=2&from=IS:2026-11-14', recorded: found(53, 53, 52) },
  { name: 'to today (inclusive)', query: '?limit=2&to=IS:2026-11-14', recorded: found(53, 53, 52) },
  {
    name: 'from and to one day',
    query: '?limit=2&from=IS:2026-11-14&to=IS:2026-11-14',
    recorded: found(53, 53, 52),
  },
  { name: 'to yesterday', query: '?limit=2&to=IS:2026-11-13', recorded: found(0) },
  { name: 'from after to', query: '?from=IS:2026-12-31&to=IS:2020-01-01', recorded: found(0) },
  { name: 'from without operator', query: '?from=2024-01-01', recorded: badData('from') },
  { name: 'from not a date', query: '?from=IS:yesterday', recorded: badData('from') },
  {
    name: 'from impossible date 2024-02-31',
    query: '?from=IS:2024-02-31',
    recorded: CRASH,
    exception: badDay('from'),
  },
  {
    name: 'to impossible date 2024-13-01',
    query: '?to=IS:2024-13-01',
    recorded: CRASH,
    exception: badDay('to'),
  },
  { name: 'from with time', query: '?from=IS:2024-01-01T00:00:00Z', recorded: badData('from') },
  { name: 'from IS_ANY_OF', query: '?from=IS_ANY_OF:2024-01-01', recorded: badData('from') },

  { name: 'query plain', query: '?limit=3&query=checkout', recorded: found(5, 48, 47, 27) },
  { name: 'query upper case', query: '?limit=1&query=CHECKOUT', recorded: found(5, 48) },
  { name: 'query no hit', query: '?query=zzz-no-such-text', recorded: found(0) },
  { name: 'query with %', query: '?limit=1&query=100%25_ready', recorded: found(1, 18) },
  {
    name: 'query only %',
    query: '?limit=1&query=%25',
    recorded: found(53, 53),
    exception: noWildcard(found(2, 45)),
  },
  {
    name: 'query only _',
    query: '?limit=1&query=_',
    recorded: found(53, 53),
    exception: noWildcard(found(2, 45)),
  },
  {
    name: 'query with wildcard match c%v2',
    query: '?limit=1&query=c%25v2',
    recorded: found(5, 48),
    exception: noWildcard(found(0)),
  },
  {
    name: 'query with backslash',
    query: '?limit=1&query=%5C',
    recorded: found(0),
    exception: noWildcard(found(1, 18)),
  },
  { name: 'query ending in backslash', query: '?limit=1&query=abc%5C', recorded: found(0) },
  { name: 'query with single quote', query: "?limit=1&query=It's", recorded: found(1, 45) },
  {
    name: 'query with double quote',
    query: '?limit=1&query=%22quoted%22',
    recorded: found(0),
    exception: makeException(found(1, 18), 'text is also found as users see it'),
  },
  {
    name: 'query with escaped double quote as stored',
    query: '?limit=1&query=%5C%5C%22quoted',
    recorded: found(1, 18),
    exception: noWildcard(found(0)),
  },
  {
    name: 'query injection text',
    query: "?limit=1&query='%3B%20DROP%20TABLE%20events%3B--",
    recorded: found(0),
  },
  { name: 'query empty', query: '?limit=1&query=', recorded: found(53, 53) },
  {
    name: 'query with NUL byte',
    query: '?limit=1&query=%00',
    recorded: CRASH,
    exception: nulCharacter,
  },
  {
    name: 'query bad percent escape',
    query: '?limit=1&query=%E0%A4%A',
    recorded: found(0),
    exception: notUtf8,
  },
  {
    name: 'query unicode',
    query: '?limit=1&query=%C5%BElu%C5%A5ou%C4%8Dk%C3%BD',
    recorded: found(0),
  },
  {
    name: 'query with comma (one string, not a list)',
    query: '?limit=1&query=checkout%2Cdark',
    recorded: found(0),
  },
  { name: 'query of 5000 characters', query: `?limit=1&query=${'a'.repeat(5_000)}`, recorded: found(0) },
  { name: 'filter value with quote', query: "?feature=IS%3Aa'b", recorded: found(0) },

  { name: 'no token', query: '', caller: 'none', recorded: rejection(401, 'AuthenticationRequired') },
  {
    name: 'wrong token',
    query: '',
    caller: 'wrong',
    recorded: rejection(401, 'UnauthorizedError'),
    exception: sharedNameFor401,
  },
  {
    name: 'malformed token',
    query: '',
    caller: 'malformed',
    recorded: rejection(401, 'UnauthorizedError'),
    exception: sharedNameFor401,
  },
  { name: 'Bearer prefix', query: '?limit=1', caller: 'bearer', recorded: found(53, 53) },
  {
    name: 'client token',
    query: '',
    caller: 'client',
    recorded: rejection(403, NO_NAME),
    exception: sharedErrorShape,
  },
  {
    name: 'frontend token',
    query: '',
    caller: 'frontend',
    recorded: rejection(403, NO_NAME),
    exception: sharedErrorShape,
  },
  {
    name: 'viewer PAT (non admin: events without project hidden)',
    query: '?limit=2',
    caller: 'viewer',
    recorded: found(35, 53, 48),
    exception: ownEvent(50),
  },
  {
    name: 'editor PAT',
    query: '?limit=2',
    caller: 'editor',
    recorded: found(35, 53, 48),
    exception: ownEvent(52),
  },
  { name: 'POST not allowed', query: '', method: 'POST', recorded: rejection(404, 'NotFoundError') },
  { name: 'HEAD', query: '?limit=1', method: 'HEAD', recorded: { status: 200 } },
  { name: 'Accept text/html', query: '?limit=1', accept: 'text/html', recorded: found(53, 53) },
  { name: 'trailing slash', query: '/?limit=1', recorded: found(53, 53) },
];

const harness = useHarness();

beforeAll(async () => {
  const { db } = harness;
  await makeProject(db, { id: 'payments' });
  // The order matters, because in the recorded events, user 2 is the viewer and user 3 is the editor.
  await makeUser(db, 'Admin');
  tokens.viewer = (await makeUser(db, 'Viewer')).token;
  tokens.editor = (await makeUser(db, 'Editor')).token;
  const sdk = { tokenName: 'sdk', environment: 'development' };
  tokens.client = (await makeApiToken(db, { ...sdk, type: 'client' })).secret;
  tokens.frontend = (await makeApiToken(db, { ...sdk, type: 'frontend' })).secret;
  await replaceEvents(RECORDED_EVENTS);
});

/**
 * Replaces the events, because the setup above has recorded some. The log is immutable, so its triggers are disabled while it is
 * truncated.
 */
async function replaceEvents(events: RecordedEvent[]): Promise<void> {
  await harness.db.transaction().execute(async tx => {
    const tables = ['events', 'events_p0', 'events_p1'];
    const trigger = async (state: 'disable' | 'enable') => {
      for (const table of tables) {
        await sql.raw(`alter table only ${table} ${state} trigger events_not_truncated`).execute(tx);
      }
    };
    await trigger('disable');
    await sql`truncate events`.execute(tx);
    await trigger('enable');
    await sql`
      insert into events (id, created_at, type, created_by, created_by_user_id, project, environment,
        feature_name, data, pre_data, tags, group_id)
      select * from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as (
        id bigint, "createdAt" timestamptz, type text, "createdBy" text, "createdByUserId" integer,
        project text, environment text, "featureName" text, data jsonb, "preData" jsonb, tags jsonb,
        "groupId" text
      )`.execute(tx);
    await sql`select setval('events_id_seq', max(id)) from events`.execute(tx);
  });
}

type Request = Pick<Case, 'query' | 'caller' | 'method' | 'accept'>;

async function send({ query, caller = 'admin', method, accept = 'application/json' }: Request) {
  const token = tokens[caller];
  return await harness.app.inject({
    method: method ?? 'GET',
    url: `/api/admin/search/events${query}`,
    headers: { accept, ...(token === undefined ? {} : { authorization: token }) },
    ...(method === 'POST' ? { payload: {} } : {}),
  });
}

const ERROR_SHAPE = {
  id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  name: expect.any(String),
  message: expect.any(String),
  details: expect.any(Array),
};

type Body = {
  events?: { id: number }[];
  total?: number;
  name?: string;
  details?: { path?: string }[];
};

function parseResponse(status: number, text: string): ApiResponse {
  if (text === '') return { status };
  const { events, total, name, details }: Body = JSON.parse(text);
  if (events && total !== undefined) return { ...found(total, ...events.map(event => event.id)), status };
  return rejection(status, name ?? NO_NAME, ...(details ?? []).flatMap(detail => detail.path ?? []));
}

test.each(CASES)('$name', async ({ recorded, exception, ...request }) => {
  const response = await send(request);

  const expected = exception?.response ?? recorded;
  expect(parseResponse(response.statusCode, response.body), exception?.reason).toEqual(expected);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  // Unleash adds the sign-in path to some errors, and omits the id or the name from others.
  if (expected.status >= 400) expect(response.json()).toStrictEqual(ERROR_SHAPE);
});

test('the table contains each of the 92 recorded cases once', () => {
  expect(CASES).toHaveLength(92);
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(92);
});

test('every exception differs from the recorded response', () => {
  const needlessExceptions = CASES.filter(({ recorded, exception }) =>
    isDeepStrictEqual(exception?.response, recorded),
  );

  expect(needlessExceptions).toEqual([]);
});

// The returned events differ from the recorded ones in four ways: groupType is missing, because the contract does not have it, ip is only
// for root admins, every event has a groupId, and label and summary are Halyard's own.
test('every recorded event is returned with four differences', async () => {
  const adminResponse = await send({ query: '?limit=1000' });
  const viewerResponse = await send({ query: '?limit=1000', caller: 'viewer' });

  const texts = { label: expect.stringMatching(/\S/), summary: expect.stringMatching(/\S/) };
  const newestFirst = RECORDED_EVENTS.toReversed();
  expect(adminResponse.json().events).toStrictEqual(
    newestFirst.map(event => ({ ...event, ...texts, ip: null })),
  );
  expect(viewerResponse.json().events).toStrictEqual(
    newestFirst
      .filter(({ id, project }) => project === 'default' || project === 'payments' || id === 50)
      .map(event => ({ ...event, ...texts })),
  );
});
