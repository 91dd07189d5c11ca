import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { App } from '../../../../plane/src/platform/http/app.ts';
import { createInitialAdminTokens } from '../../people/api-tokens/initial-admin-tokens.ts';
import { connectStream, type StreamClient } from '../../test/event-stream-client.ts';
import { makeFeature, makeMember, makeProject, makeScopedToken, makeUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { makeStreamSlots } from './limits.ts';

const harness = useHarness();
const clients: StreamClient[] = [];
let url = '';

beforeAll(async () => {
  url = await listenOn(harness.app);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

async function listenOn(app: App): Promise<string> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/admin/events/stream`;
}

async function connect(
  query = '',
  { token = ADMIN_TOKEN, lastEventId, at = url }: { token?: string; lastEventId?: string; at?: string } = {},
): Promise<StreamClient> {
  const client = await connectStream(`${at}${query}`, token, { lastEventId });
  clients.push(client);
  return client;
}

/** An event that was inserted directly. */
async function write(
  fields: { project?: string | null; type?: string; data?: object; by?: number } = {},
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into events (group_id, type, created_by, created_by_user_id, project, data)
    values ('g', ${fields.type ?? 'project-created'}, 'x', ${fields.by ?? null}, ${fields.project ?? null},
      ${JSON.stringify(fields.data ?? null)}::jsonb)
    returning id`.execute(harness.db);
  return rows[0]?.id ?? 0;
}

const ids = (client: StreamClient): number[] => client.events.map(({ id }) => id);
const arrives = (client: StreamClient, id: number) => expect.poll(() => ids(client)).toContain(id);

const metric = async (name: string): Promise<number> => {
  const text = await harness.app.metrics.metrics();
  return Number(new RegExp(`^halyard_event_stream_${name} ([\\d.]+)`, 'm').exec(text)?.[1]);
};

test('sends an event as the search returns it, with its id', async () => {
  const client = await connect();
  const withParts = await connect('?parts=true');

  await makeFeature(harness.db, 'default', { name: 'streamed' });

  await expect.poll(() => [client.events.length, withParts.events.length]).toEqual([1, 1]);
  const [event] = client.events;
  const { body } = await call(harness.app, 'GET', `/api/admin/events/${event?.id}`);
  const { parts, ...others } = body;
  expect(JSON.parse(event?.data ?? '')).toEqual(others);
  expect(JSON.parse(withParts.events[0]?.data ?? '')).toEqual(body);
  expect(parts).toContainEqual(expect.objectContaining({ text: 'streamed' }));
  expect(body.featureName).toBe('streamed');
  expect(client).toMatchObject({ status: 200, lines: [expect.stringMatching(/^retry: [123]\d{3}$/)] });
  expect(client.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  });
});

test('tells a client that has received no event which id to resume after', async () => {
  const first = await connect();
  await expect.poll(() => first.lastEventId()).toMatch(/^\d+$/);
  first.close();
  const missed = await write();

  const second = await connect('', { lastEventId: first.lastEventId() ?? '' });

  await arrives(second, missed);
  expect(ids(second)).toEqual([missed]);
});

test('a client that reconnects gets every event once and in order while 8 writers commit out of order', async () => {
  const received: number[] = [];
  let writing = true;
  let client = await connect();
  await expect.poll(() => client.lastEventId()).toBeDefined();
  const reconnecting = (async () => {
    while (writing) {
      await sleep(20 + Math.random() * 200);
      const lastEventId = client.lastEventId() ?? '';
      received.push(...ids(client).filter(id => id <= Number(lastEventId)));
      client.close();
      client = await connect('', { lastEventId });
    }
  })();

  const written = await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      const connection = new pg.Client({ connectionString: harness.databaseUrl });
      await connection.connect();
      const own: number[] = [];
      for (let round = 0; round < 40; round++) {
        await connection.query('begin');
        const { rows } = await connection.query(
          `insert into events (group_id, type, created_by) values ($1, 'project-created', 'x') returning id`,
          [`writer ${writer}`],
        );
        await sleep(Math.random() * 40);
        await connection.query(round % 5 === 0 ? 'rollback' : 'commit');
        if (round % 5 !== 0) own.push(Number(rows[0].id));
      }
      await connection.end();
      return own;
    }),
  );
  writing = false;
  await reconnecting;
  const last = Math.max(...written.flat());
  // The client may have received it before its last reconnection.
  await expect.poll(() => [...received, ...ids(client)]).toContain(last);
  received.push(...ids(client));

  expect(received).toEqual(written.flat().toSorted((a, b) => a - b));
});

test('applies the filters of the search, including free text', async () => {
  await makeProject(harness.db, { id: 'streamed-project' });
  const of = async (query: string) => ({ query, client: await connect(query) });
  const filtered = await Promise.all([
    of('?project=IS_ANY_OF:streamed-project,other'),
    of('?type=IS:user-created'),
    of('?query=NEEDLE%20%22quoted%22'),
    of('?query=needle&project=IS:streamed-project'),
    of('?createdBy=IS:-42&query='),
    of('?query=no-such-text'),
  ]);

  const plain = await write({ project: 'streamed-project' });
  const user = await write({ type: 'user-created' });
  const quoted = await write({ data: { text: 'a Needle "Quoted" text' } });
  const both = await write({ project: 'streamed-project', data: { text: 'needle' } });
  const byToken = await write({ by: -42 });
  const last = await connect('', { lastEventId: String(byToken - 1) });
  await arrives(last, byToken);

  await expect
    .poll(() => filtered.map(({ client }) => ids(client)))
    .toEqual([[plain, both], [user], [quoted], [both], [byToken], []]);
});

test('catches up through more events than one batch, alone and with others, with and without a filter', async () => {
  const ahead = await connect();
  const { rows } = await sql<{ id: number }>`
    insert into events (group_id, type, created_by, data)
    select 'many', 'project-created', 'x', jsonb_build_object('number', n, 'text', case when n % 7 = 0 then 'Seventh' end)
    from generate_series(1, 450) as n returning id`.execute(harness.db);
  const written = rows.map(({ id }) => id);
  const sevenths = written.filter((_, at) => (at + 1) % 7 === 0);
  const after = `after=${(written[0] ?? 0) - 1}`;
  await arrives(ahead, written.at(-1) ?? 0);

  const alone = await connect(`?${after}&query=seventh`);
  await arrives(alone, sevenths.at(-1) ?? 0);
  const [all, same, some, none] = await Promise.all([
    connect(`?${after}`),
    connect(`?${after}&type=IS:project-created`),
    connect(`?${after}&query=seventh`),
    connect(`?${after}&type=IS:user-created`),
  ]);
  const fresh = await write();
  for (const client of [ahead, all, same]) await arrives(client, fresh);

  for (const client of [ahead, all, same]) expect(ids(client)).toEqual([...written, fresh]);
  await expect.poll(() => ids(some)).toEqual(sevenths);
  expect(ids(alone)).toEqual(sevenths);
  expect(ids(none)).toEqual([]);
});

test('the header Last-Event-ID takes precedence over the parameter after', async () => {
  const first = await write();
  const second = await write();

  const client = await connect(`?after=${first - 1}`, { lastEventId: String(first) });

  await arrives(client, second);
  expect(ids(client)).toEqual([second]);
});

test('sends only visible events, and no more of a project after its access is revoked', async () => {
  const { db } = harness;
  await makeProject(db, { id: 'stream-private', mode: 'private' });
  const member = await makeUser(db, 'Viewer');
  const outsider = await makeUser(db, 'Viewer');
  await makeMember(db, member, 'stream-private', 'Reader');
  const [asMember, asOutsider, asAdmin] = [
    await connect('', { token: member.token }),
    await connect('', { token: outsider.token }),
    await connect(),
  ];

  const secret = await write({ project: 'stream-private' });
  const open = await write({ project: 'default' });
  const global = await write();
  const own = await write({ by: outsider.id });
  for (const client of [asMember, asOutsider]) await arrives(client, open);
  await sql`delete from user_roles where user_id = ${member.id} and project = 'stream-private'`.execute(db);
  const later = await write({ project: 'stream-private' });
  const last = await write({ project: 'default' });
  for (const client of [asMember, asOutsider, asAdmin]) await arrives(client, last);

  expect(ids(asMember)).toEqual([secret, open, last]);
  expect(ids(asOutsider)).toEqual([open, own, last]);
  expect(ids(asAdmin)).toEqual([secret, open, global, own, later, last]);
  expect(JSON.parse(asMember.events[0]?.data ?? '')).not.toHaveProperty('ip');
  expect(JSON.parse(asAdmin.events[0]?.data ?? '')).toHaveProperty('ip', null);
  const resumed = await connect(`?after=${secret - 1}`, { token: member.token });
  await arrives(resumed, last);
  expect(ids(resumed)).toEqual([open, last]);
});

test('a root admin who loses the role gets only what the new role shows', async () => {
  const user = await makeUser(harness.db, 'Admin');
  const client = await connect('', { token: user.token });
  const before = await write();
  await arrives(client, before);

  await sql`update user_roles set role_id = (select id from roles where name = 'Viewer') where user_id = ${user.id}`.execute(
    harness.db,
  );
  await write();
  const visible = await write({ project: 'default' });

  await arrives(client, visible);
  expect(ids(client)).toEqual([before, visible]);
  expect(JSON.parse(client.events[1]?.data ?? '')).not.toHaveProperty('ip');
});

test('ends the stream of a revoked token and of a deleted user, with and without a new event', async () => {
  const { db } = harness;
  const revoked = await makeUser(db, 'Viewer');
  const deleted = await makeUser(db, 'Viewer');
  const secret = `*:*.${'s'.repeat(40)}`;
  await createInitialAdminTokens(db, [secret]);
  const ending = await Promise.all(
    [revoked.token, deleted.token, secret].map(token => connect('', { token })),
  );
  const silent = await connect('?type=IS:user-created', { token: revoked.token });
  const other = await connect();

  await sql`delete from personal_access_tokens where user_id = ${revoked.id}`.execute(db);
  await call(harness.app, 'DELETE', `/api/admin/user-admin/${deleted.id}`);
  await sql`update api_tokens set revoked_at = now() where id = (select max(id) from api_tokens)`.execute(db);
  const id = await write({ project: 'default' });

  expect(await Promise.all(ending.map(client => client.closed))).toEqual([true, true, true]);
  for (const client of ending) expect(ids(client)).not.toContain(id);
  expect(await silent.closed).toBe(true);
  expect(silent.lines).toContain(': the session or token is no longer valid');
  await arrives(other, id);
  const again = await connect('', { token: revoked.token });
  expect(again.status).toBe(401);
});

test('ends the stream of a token when a new project gets the id of one that its scope names', async () => {
  const { app, db } = harness;
  await makeProject(db, { id: 'kiosk' });
  const token = await makeScopedToken(db, await makeUser(db, 'Admin'), { projects: ['kiosk'] });
  const client = await connect('', { token });

  await call(app, 'DELETE', '/api/admin/projects/kiosk');
  await makeProject(db, { id: 'kiosk' });
  const id = await write({ project: 'kiosk' });

  expect(await client.closed).toBe(true);
  expect(ids(client)).not.toContain(id);
});

test('lists every violation of the parameters', async () => {
  const client = await connect(
    '?limit=5&offset=0&from=IS:2026-11-01&to=IS:2026-11-02&project=default&after=x',
  );

  expect(client.status).toBe(400);
  const { details } = JSON.parse(await client.body());
  expect(details).toEqual([
    {
      message: 'limit is not a parameter of the stream, which has no pages. Remove it.',
      path: '/query/limit',
    },
    {
      message: 'offset is not a parameter of the stream, which has no pages. Remove it.',
      path: '/query/offset',
    },
    {
      message: expect.stringMatching(/^from is not a parameter of the stream, which sends new/),
      path: '/query/from',
    },
    {
      message: expect.stringMatching(/^to is not a parameter of the stream, which sends new/),
      path: '/query/to',
    },
    { message: expect.stringMatching(/^project must start with IS:/), path: '/query/project' },
    {
      message: expect.stringMatching(/^after must be/),
      path: '/query/after',
    },
  ]);
});

test('rejects a position beyond the largest integer, with the name of the parameter', async () => {
  const after = await connect('?after=9999999999999999');
  const header = await connect('', { lastEventId: '9999999999999999' });

  expect([after.status, header.status]).toEqual([400, 400]);
  expect(JSON.parse(await after.body()).message).toBe('after must be an integer from 0 to 9007199254740991');
  expect(JSON.parse(await header.body()).message).toBe(
    'last-event-id must be an integer from 0 to 9007199254740991',
  );
});

test('rejects a Last-Event-ID that is not an id, and one that no event has yet', async () => {
  const word = await connect('', { lastEventId: 'abc' });
  const future = await connect('', { lastEventId: '9007199254740991' });

  expect(word.status).toBe(400);
  expect(JSON.parse(await word.body()).message).toBe('last-event-id must be the id of an event');
  expect(future.status).toBe(400);
  expect(JSON.parse(await future.body()).message).toMatch(
    /^Event 9007199254740991 does not exist: the last id in the log is \d+\. Connect without/,
  );
});

test('a HEAD request gets the headers or the rejection of GET, and opens no stream', async () => {
  const accepted = await call(harness.app, 'HEAD', '/api/admin/events/stream');
  const rejected = await call(harness.app, 'HEAD', '/api/admin/events/stream?limit=5');

  expect([accepted.status, rejected.status]).toEqual([200, 400]);
  expect(accepted.headers['content-type']).toBe('text/event-stream; charset=utf-8');
});

test('rejects the 51st stream of one caller with 429, and accepts it after another one is closed', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');
  const open = await Promise.all(Array.from({ length: 50 }, () => connect('', { token })));

  const rejected = await connect('', { token });
  const other = await connect();
  open[7]?.close();

  expect(open.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(rejected.status).toBe(429);
  expect(rejected.headers['retry-after']).toBe('10');
  expect(JSON.parse(await rejected.body())).toMatchObject({
    name: 'RateLimitError',
    message:
      'Too many event streams: one caller can have 50 open on this server. Close one, or retry in 10 seconds.',
  });
  expect(other.status).toBe(200);
  await expect.poll(async () => (await connect('', { token })).status).toBe(200);
});

test('rejects a stream beyond the limit of the server with 503', () => {
  const slots = makeStreamSlots({ perCaller: 2, perServer: 3 });
  const releases = ['a', 'a', 'b'].map(caller => slots.take(caller));

  expect(() => slots.take('c')).toThrow(
    expect.objectContaining({
      name: 'ServiceUnavailableError',
      retryAfter: 10,
      message: expect.stringContaining('can have 3 open'),
    }),
  );
  releases[0]?.();

  expect(slots.take('c')).toBeTypeOf('function');
});

test('a client that does not read is cut off, and resumes without a gap; others do not wait for it', async () => {
  const stalled = await connect();
  const reading = await connect();
  await expect.poll(() => stalled.lastEventId()).toBeDefined();
  stalled.response.pause();
  const text = 'x'.repeat(200_000);
  const written: number[] = [];
  let behind = 0;
  for (let n = 0; n < 100; n++) {
    written.push(await write({ data: { text } }));
    behind = Math.max(behind, await metric('listeners_behind'));
  }
  await arrives(reading, written.at(-1) ?? 0);

  await expect.poll(() => metric('listeners')).toBe(1);
  stalled.response.resume();
  await stalled.closed;

  expect(behind).toBeGreaterThan(0);
  expect(ids(reading)).toEqual(written);
  expect(ids(stalled).length).toBeLessThan(written.length);
  const resumed = await connect('', { lastEventId: stalled.lastEventId() ?? '' });
  await arrives(resumed, written.at(-1) ?? 0);
  expect([...ids(stalled), ...ids(resumed)]).toEqual(written);
});

test('continues without a gap after its database connections are lost', async () => {
  const client = await connect();
  const first = await write();
  await arrives(client, first);

  const lose = async () => {
    const connection = new pg.Client({ connectionString: harness.databaseUrl });
    await connection.connect();
    await connection.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const { rows } = await connection.query(
      `insert into events (group_id, type, created_by) values ('g', 'project-created', 'x') returning id`,
    );
    await connection.end();
    return Number(rows[0].id);
  };
  const written = [first, await lose(), await lose()];
  await arrives(client, written[2] ?? 0);

  expect(ids(client)).toEqual(written);
});

test('a stopping server ends the streams without waiting for their clients', async () => {
  const app = await harness.secondServer();
  const at = await listenOn(app);
  const client = await connect('', { at });
  const paused = await connect('', { at });
  paused.response.pause();

  await app.close();

  expect(await client.closed).toBe(true);
  expect(client.lines).toContain(': the server is stopping');
});

test('a request that is authenticated after the server began to stop gets a stream that ends and can be resumed', async () => {
  const app = await harness.secondServer();
  const at = await listenOn(app);
  const open = await connect('', { at });
  const before = await write();
  await arrives(open, before);
  const blocker = await harness.db.startTransaction().execute();
  await sql`lock table api_tokens in access exclusive mode`.execute(blocker);
  const requested = once(app.server, 'request');
  const connecting = connect('', { at });
  await requested;

  const closing = app.close();
  await open.closed;
  await blocker.rollback().execute();
  const late = await connecting;
  await closing;

  expect(late.status).toBe(200);
  expect(await late.closed).toBe(true);
  expect(late.lines).toContain(': the server is stopping');
  expect(late.lastEventId()).toBe(`${before}`);
});

test('the metrics contain the number of streams and their lag', async () => {
  await expect.poll(() => metric('listeners')).toBe(0);

  await Promise.all([connect(), connect()]);

  expect(await metric('listeners')).toBe(2);
  await expect.poll(() => metric('lag_seconds')).toBeLessThan(5);
  for (const client of clients) client.close();
  await expect.poll(() => metric('listeners')).toBe(0);
  expect(await metric('lag_seconds')).toBe(0);
});

test('a caller with 40 streams that catch up does not keep the stream of another caller waiting', async () => {
  const [many, one] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
  const { rows } = await sql<{ id: number }>`
    insert into events (group_id, type, created_by, project) select 'turns', 'project-created', 'x', 'default'
    from generate_series(1, 500) returning id`.execute(harness.db);
  const after = `?groupId=IS:turns&after=${(rows[0]?.id ?? 1) - 1}`;
  // The ids of a far position, so that each stream is read separately.
  await sql`select setval('events_id_seq', (select max(id) + 30000 from events))`.execute(harness.db);
  const others = await Promise.all(Array.from({ length: 40 }, () => connect(after, { token: many.token })));
  const client = await connect(after, { token: one.token });
  const start = performance.now();

  for (const one of [client, ...others]) await expect.poll(() => one.events.length).toBe(500);
  const end = client.events.at(-1)?.at ?? 0;
  const meanwhile = others.flatMap(({ events }) => events.filter(({ at }) => at > start && at < end));

  // If streams took turns, each of them would have got nearly all events meanwhile.
  expect(meanwhile.length).toBeLessThan((40 * 500) / 2);
});
