import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeApiToken, makeProject, makeUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { RECORDED_EVENTS, type RecordedEvent } from '../../test/recorded-events.ts';

// These are recorded responses of Unleash to searches of its 53 events. Ours are the same, except where a case contains a different
// response and the reason. For an error, the status, name and paths of the details are compared.

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

type Exception = { why: string; answer: ApiResponse };

const makeException = (answer: ApiResponse, why: string): Exception => ({ answer, why });

const badLimit = makeException(badData('limit'), 'limit is 1 to 1000, anything else is rejected');
const badOffset = makeException(
  badData('offset'),
  'offset is a whole number from 0, anything else is rejected',
);
const emptyValue = (parameter: string) =>
  makeException(badData(parameter), 'a filter without a value is rejected, not ignored');
const badCreator = makeException(badData('createdBy'), 'createdBy must be an integer');
const badDay = (parameter: string) => makeException(badData(parameter), 'an impossible date is rejected');
const nulCharacter = makeException(badData('query'), 'U+0000 is rejected: PostgreSQL cannot store it');
const notUtf8 = makeException(badData('query'), 'bytes that are not UTF-8 are rejected, not replaced');
const noWildcard = (answer: ApiResponse) =>
  makeException(answer, '%, _ and \\ are ordinary characters in query');
const oneNameFor401 = makeException(
  rejection(401, 'AuthenticationRequired'),
  'missing and unaccepted credentials have one name, that of the contract',
);
const oneShape = makeException(
  rejection(403, 'NoAccessError'),
  'every error has one shape; a token of the wrong kind is NoAccessError',
);
const ownEvent = (id: number) =>
  makeException(
    found(32, 53, id),
    '* is not a project that a caller may read: its 4 events are for root admins; the one the caller caused is for the caller',
  );

type Case = {
  name: string;
  /** The query string. */
  ask: string;
  as?: keyof typeof tokens;
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
  { name: 'no parameters', ask: '', recorded: NEWEST_50 },
  { name: 'limit=2', ask: '?limit=2', recorded: found(53, 53, 52) },
  { name: 'limit=2 offset=2', ask: '?limit=2&offset=2', recorded: found(53, 51, 50) },
  { name: 'offset past the end', ask: '?offset=100000', recorded: found(53) },

  { name: 'project IS', ask: '?limit=3&project=IS:payments', recorded: found(2, 48, 47) },
  {
    name: 'project IS_ANY_OF two',
    ask: '?limit=3&project=IS_ANY_OF:payments,default',
    recorded: found(31, 53, 48, 47),
  },
  { name: 'project IS unknown project', ask: '?project=IS:nope', recorded: found(0) },
  {
    name: 'project IS with comma (acts as any-of)',
    ask: '?limit=3&project=IS:payments,default',
    recorded: found(31, 53, 48, 47),
  },
  { name: 'feature IS', ask: '?limit=3&feature=IS:checkout-v2', recorded: found(11, 42, 38, 37) },
  {
    name: 'feature IS_ANY_OF',
    ask: '?limit=3&feature=IS_ANY_OF:checkout-v2,dark-mode',
    recorded: found(15, 42, 38, 37),
  },
  {
    name: 'feature IS_ANY_OF with spaces around the comma',
    ask: '?limit=3&feature=IS_ANY_OF%3Acheckout-v2%20%2C%20dark-mode',
    recorded: found(15, 42, 38, 37),
  },
  {
    name: 'feature IS with dot in name',
    ask: '?limit=3&feature=IS:kill.search',
    recorded: found(3, 39, 30, 19),
  },
  { name: 'type IS', ask: '?limit=3&type=IS:feature-created', recorded: found(8, 47, 23, 22) },
  {
    name: 'type IS_ANY_OF',
    ask: '?limit=3&type=IS_ANY_OF:feature-created,feature-stale-on',
    recorded: found(10, 47, 44, 43),
  },
  { name: 'type IS unknown type', ask: '?type=IS:no-such-type', recorded: found(0) },
  {
    name: 'createdBy IS (admin token user id -42)',
    ask: '?limit=2&createdBy=IS:-42',
    recorded: found(43, 53, 51),
  },
  { name: 'createdBy IS system user', ask: '?limit=2&createdBy=IS:-1337', recorded: found(4, 8, 7) },
  { name: 'createdBy IS_ANY_OF', ask: '?limit=2&createdBy=IS_ANY_OF:1,-1337', recorded: found(4, 8, 7) },
  { name: 'createdBy non numeric', ask: '?createdBy=IS:admin', recorded: CRASH, exception: badCreator },
  {
    name: 'createdBy out of integer range',
    ask: '?createdBy=IS:99999999999',
    recorded: CRASH,
    exception: makeException(found(0), 'any integer is a valid id, whether somebody has it or not'),
  },
  {
    name: 'two filters are ANDed',
    ask: '?limit=2&project=IS:default&type=IS:feature-stale-on',
    recorded: found(2, 44, 43),
  },
  { name: 'environment filter', ask: '?limit=2&environment=IS:production', recorded: found(8, 42, 39) },
  { name: 'id filter', ask: '?limit=2&id=IS:12', recorded: found(1, 12) },
  { name: 'unknown parameter', ask: '?limit=1&foo=bar', recorded: found(53, 53) },
  { name: 'sortOrder parameter', ask: '?limit=2&sortOrder=asc', recorded: found(53, 53, 52) },

  { name: 'malformed filter, no operator', ask: '?project=default', recorded: badData('project') },
  { name: 'malformed filter, unknown operator', ask: '?project=CONTAINS:def', recorded: badData('project') },
  {
    name: 'malformed filter, lower-case operator',
    ask: '?project=is:default',
    recorded: badData('project'),
  },
  { name: 'malformed filter, IS_NOT', ask: '?project=IS_NOT:default', recorded: badData('project') },
  {
    name: 'filter with empty value',
    ask: '?limit=2&project=IS:',
    recorded: found(53, 53, 52),
    exception: emptyValue('project'),
  },
  {
    name: 'filter with empty any-of',
    ask: '?limit=2&type=IS_ANY_OF:',
    recorded: found(53, 53, 52),
    exception: emptyValue('type'),
  },
  { name: 'empty filter string', ask: '?limit=2&project=', recorded: badData('project') },
  {
    name: 'filter given twice',
    ask: '?limit=2&project=IS:default&project=IS:payments',
    recorded: badData('project'),
  },
  { name: 'filter as array brackets', ask: '?limit=2&project[]=IS:default', recorded: badData('project') },
  { name: 'filter as object brackets', ask: '?limit=2&project[a]=IS:default', recorded: badData('project') },

  { name: 'limit=0', ask: '?limit=0', recorded: NEWEST_50, exception: badLimit },
  { name: 'limit=1', ask: '?limit=1', recorded: found(53, 53) },
  { name: 'limit=1000', ask: '?limit=1000', recorded: ALL_EVENTS },
  { name: 'limit=1001', ask: '?limit=1001', recorded: NEWEST_50, exception: badLimit },
  { name: 'limit=5000', ask: '?limit=5000', recorded: NEWEST_50, exception: badLimit },
  { name: 'limit=abc', ask: '?limit=abc', recorded: NEWEST_50, exception: badLimit },
  { name: 'limit=-1', ask: '?limit=-1', recorded: NEWEST_50, exception: badLimit },
  { name: 'limit=1.5', ask: '?limit=1.5', recorded: found(53, 53), exception: badLimit },
  { name: 'limit=1e2', ask: '?limit=1e2', recorded: ALL_EVENTS, exception: badLimit },
  { name: 'limit empty', ask: '?limit=', recorded: NEWEST_50, exception: badLimit },
  { name: 'offset=-5', ask: '?limit=2&offset=-5', recorded: found(53, 53, 52), exception: badOffset },
  { name: 'offset=abc', ask: '?limit=2&offset=abc', recorded: found(53, 53, 52), exception: badOffset },
  { name: 'offset=1.5', ask: '?limit=2&offset=1.5', recorded: found(53, 52, 51), exception: badOffset },
  { name: 'offset huge', ask: '?limit=2&offset=99999999999999999999', recorded: found(53) },

  { name: 'from today', ask: '?limit=2&from=IS:2026-11-14', recorded: found(53, 53, 52) },
  { name: 'to today (inclusive)', ask: '?limit=2&to=IS:2026-11-14', recorded: found(53, 53, 52) },
  {
    name: 'from and to one day',
    ask: '?limit=2&from=IS:2026-11-14&to=IS:2026-11-14',
    recorded: found(53, 53, 52),
  },
  { name: 'to yesterday', ask: '?limit=2&to=IS:2026-11-13', recorded: found(0) },
  { name: 'from after to', ask: '?from=IS:2026-12-31&to=IS:2020-01-01', recorded: found(0) },
  { name: 'from without operator', ask: '?from=2024-01-01', recorded: badData('from') },
  { name: 'from not a date', ask: '?from=IS:yesterday', recorded: badData('from') },
  {
    name: 'from impossible date 2024-02-31',
    ask: '?from=IS:2024-02-31',
    recorded: CRASH,
    exception: badDay('from'),
  },
  {
    name: 'to impossible date 2024-13-01',
    ask: '?to=IS:2024-13-01',
    recorded: CRASH,
    exception: badDay('to'),
  },
  { name: 'from with time', ask: '?from=IS:2024-01-01T00:00:00Z', recorded: badData('from') },
  { name: 'from IS_ANY_OF', ask: '?from=IS_ANY_OF:2024-01-01', recorded: badData('from') },

  { name: 'query plain', ask: '?limit=3&query=checkout', recorded: found(5, 48, 47, 27) },
  { name: 'query upper case', ask: '?limit=1&query=CHECKOUT', recorded: found(5, 48) },
  { name: 'query no hit', ask: '?query=zzz-no-such-text', recorded: found(0) },
  { name: 'query with %', ask: '?limit=1&query=100%25_ready', recorded: found(1, 18) },
  {
    name: 'query only %',
    ask: '?limit=1&query=%25',
    recorded: found(53, 53),
    exception: noWildcard(found(2, 45)),
  },
  {
    name: 'query only _',
    ask: '?limit=1&query=_',
    recorded: found(53, 53),
    exception: noWildcard(found(2, 45)),
  },
  {
    name: 'query with wildcard match c%v2',
    ask: '?limit=1&query=c%25v2',
    recorded: found(5, 48),
    exception: noWildcard(found(0)),
  },
  {
    name: 'query with backslash',
    ask: '?limit=1&query=%5C',
    recorded: found(0),
    exception: noWildcard(found(1, 18)),
  },
  { name: 'query ending in backslash', ask: '?limit=1&query=abc%5C', recorded: found(0) },
  { name: 'query with single quote', ask: "?limit=1&query=It's", recorded: found(1, 45) },
  {
    name: 'query with double quote',
    ask: '?limit=1&query=%22quoted%22',
    recorded: found(0),
    exception: makeException(found(1, 18), 'text is found as a person sees it, too'),
  },
  {
    name: 'query with escaped double quote as stored',
    ask: '?limit=1&query=%5C%5C%22quoted',
    recorded: found(1, 18),
    exception: noWildcard(found(0)),
  },
  {
    name: 'query injection text',
    ask: "?limit=1&query='%3B%20DROP%20TABLE%20events%3B--",
    recorded: found(0),
  },
  { name: 'query empty', ask: '?limit=1&query=', recorded: found(53, 53) },
  {
    name: 'query with NUL byte',
    ask: '?limit=1&query=%00',
    recorded: CRASH,
    exception: nulCharacter,
  },
  {
    name: 'query bad percent escape',
    ask: '?limit=1&query=%E0%A4%A',
    recorded: found(0),
    exception: notUtf8,
  },
  {
    name: 'query unicode',
    ask: '?limit=1&query=%C5%BElu%C5%A5ou%C4%8Dk%C3%BD',
    recorded: found(0),
  },
  {
    name: 'query with comma (one text, not a list)',
    ask: '?limit=1&query=checkout%2Cdark',
    recorded: found(0),
  },
  { name: 'query of 5000 characters', ask: `?limit=1&query=${'a'.repeat(5_000)}`, recorded: found(0) },
  { name: 'filter value with quote', ask: "?feature=IS%3Aa'b", recorded: found(0) },

  { name: 'no token', ask: '', as: 'none', recorded: rejection(401, 'AuthenticationRequired') },
  {
    name: 'wrong token',
    ask: '',
    as: 'wrong',
    recorded: rejection(401, 'UnauthorizedError'),
    exception: oneNameFor401,
  },
  {
    name: 'malformed token',
    ask: '',
    as: 'malformed',
    recorded: rejection(401, 'UnauthorizedError'),
    exception: oneNameFor401,
  },
  { name: 'Bearer prefix', ask: '?limit=1', as: 'bearer', recorded: found(53, 53) },
  { name: 'client token', ask: '', as: 'client', recorded: rejection(403, NO_NAME), exception: oneShape },
  { name: 'frontend token', ask: '', as: 'frontend', recorded: rejection(403, NO_NAME), exception: oneShape },
  {
    name: 'viewer PAT (non admin: events without project hidden)',
    ask: '?limit=2',
    as: 'viewer',
    recorded: found(35, 53, 48),
    exception: ownEvent(50),
  },
  {
    name: 'editor PAT',
    ask: '?limit=2',
    as: 'editor',
    recorded: found(35, 53, 48),
    exception: ownEvent(52),
  },
  { name: 'POST not allowed', ask: '', method: 'POST', recorded: rejection(404, 'NotFoundError') },
  { name: 'HEAD', ask: '?limit=1', method: 'HEAD', recorded: { status: 200 } },
  { name: 'Accept text/html', ask: '?limit=1', accept: 'text/html', recorded: found(53, 53) },
  { name: 'trailing slash', ask: '/?limit=1', recorded: found(53, 53) },
];

const harness = useHarness();

beforeAll(async () => {
  const { db } = harness;
  await makeProject(db, { id: 'payments' });
  // The recorded events name these ids, of which 2 is the viewer and 3 the editor.
  await makeUser(db, 'Admin');
  tokens.viewer = (await makeUser(db, 'Viewer')).token;
  tokens.editor = (await makeUser(db, 'Editor')).token;
  const sdk = { tokenName: 'sdk', environment: 'development' };
  tokens.client = (await makeApiToken(db, { ...sdk, type: 'client' })).secret;
  tokens.frontend = (await makeApiToken(db, { ...sdk, type: 'frontend' })).secret;
  await replaceEvents(RECORDED_EVENTS);
});

/** Replaces the events. The log is immutable, but here it must not contain the events of the lines above. */
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

type Request = Pick<Case, 'ask' | 'as' | 'method' | 'accept'>;

async function send({ ask, as = 'admin', method, accept = 'application/json' }: Request) {
  const token = tokens[as];
  return await harness.app.inject({
    method: method ?? 'GET',
    url: `/api/admin/search/events${ask}`,
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

function parseAnswer(status: number, text: string): ApiResponse {
  if (text === '') return { status };
  const { events, total, name, details }: Body = JSON.parse(text);
  if (events && total !== undefined) return { ...found(total, ...events.map(event => event.id)), status };
  return rejection(status, name ?? NO_NAME, ...(details ?? []).flatMap(detail => detail.path ?? []));
}

test.each(CASES)('$name', async ({ recorded, exception, ...request }) => {
  const response = await send(request);

  const expected = exception?.answer ?? recorded;
  expect(parseAnswer(response.statusCode, response.body), exception?.why).toEqual(expected);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  // Unleash adds to some errors where to sign in, and omits the id or the name from others.
  if (expected.status >= 400) expect(response.json()).toStrictEqual(ERROR_SHAPE);
});

test('the table has each of the 92 recorded cases once', () => {
  expect(CASES).toHaveLength(92);
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(92);
});

test('every exception differs from the recorded response', () => {
  const needless = CASES.filter(({ recorded, exception }) => isDeepStrictEqual(exception?.answer, recorded));

  expect(needless).toEqual([]);
});

// Exceptions to the record itself: no groupType, which the contract does not have; ip, for root admins only;
// a groupId on every event; label and summary in our own words.
test('every event is returned as it was recorded', async () => {
  const adminResponse = await send({ ask: '?limit=1000' });
  const viewerResponse = await send({ ask: '?limit=1000', as: 'viewer' });

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
