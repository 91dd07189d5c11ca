import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../app.ts';
import { createInitialAdminTokens } from '../../people/api-tokens/initial-admin-tokens.ts';
import { connectStream, type StreamClient } from '../../test/event-stream-client.ts';
import { makeFeature, makeMember, makeProject, makeScopedToken, makeUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { strictSerializer } from '../../test/strict-serializer.ts';
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

/** Inserts an event directly and returns the id of the event. */
async function insertEvent(
  fields: { project?: string | null; type?: string; data?: object; by?: number } = {},
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into events (group_id, type, created_by, created_by_user_id, project, data)
    values ('g', ${fields.type ?? 'project-created'}, 'x', ${fields.by ?? null}, ${fields.project ?? null},
      ${JSON.stringify(fields.data ?? null)}::jsonb)
    returning id`.execute(harness.db);
  return rows[0]?.id ?? 0;
}

const listIds = (client: StreamClient): number[] => client.events.map(({ id }) => id);
const expectArrival = (client: StreamClient, id: number) => expect.poll(() => listIds(client)).toContain(id);

const readMetric = async (name: string): Promise<number> => {
  const text = await harness.app.metrics.metrics();
  return Number(new RegExp(`^halyard_event_stream_${name} ([\\d.]+)`, 'm').exec(text)?.[1]);
};

test('sends an event as the search returns it, with its id', async () => {
  const client = await connect();
  const clientWithParts = await connect('?parts=true');

  await makeFeature(harness.db, 'default', { name: 'streamed' });

  await expect.poll(() => [client.events.length, clientWithParts.events.length]).toEqual([1, 1]);
  const [event] = client.events;
  const { body } = await call(harness.app, 'GET', `/api/admin/events/${event?.id}`);
  const { parts, ...others } = body;
  expect(JSON.parse(event?.data ?? '')).toEqual(others);
  expect(JSON.parse(clientWithParts.events[0]?.data ?? '')).toEqual(body);
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

test('gives a client that has received no event the id to resume after', async () => {
  const first = await connect();
  await expect.poll(() => first.lastEventId()).toMatch(/^\d+$/);
  first.close();
  const missedId = await insertEvent();

  const second = await connect('', { lastEventId: first.lastEventId() ?? '' });

  await expectArrival(second, missedId);
  expect(listIds(second)).toEqual([missedId]);
});

test('a client that reconnects gets every event once and in order while 8 writers commit out of order', async () => {
  const receivedIds: number[] = [];
  let isWriting = true;
  let client = await connect();
  await expect.poll(() => client.lastEventId()).toBeDefined();
  const reconnectLoop = (async () => {
    while (isWriting) {
      await sleep(20 + Math.random() * 200);
      const lastEventId = client.lastEventId() ?? '';
      receivedIds.push(...listIds(client).filter(id => id <= Number(lastEventId)));
      client.close();
      client = await connect('', { lastEventId });
    }
  })();

  const written = await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      const connection = new pg.Client({ connectionString: harness.databaseUrl });
      await connection.connect();
      const committedIds: number[] = [];
      for (let round = 0; round < 40; round++) {
        await connection.query('begin');
        const { rows } = await connection.query(
          `insert into events (group_id, type, created_by) values ($1, 'project-created', 'x') returning id`,
          [`writer ${writer}`],
        );
        await sleep(Math.random() * 40);
        await connection.query(round % 5 === 0 ? 'rollback' : 'commit');
        if (round % 5 !== 0) committedIds.push(Number(rows[0].id));
      }
      await connection.end();
      return committedIds;
    }),
  );
  isWriting = false;
  await reconnectLoop;
  const lastId = Math.max(...written.flat());
  // The client may have received the last event before its last reconnection.
  await expect.poll(() => [...receivedIds, ...listIds(client)]).toContain(lastId);
  receivedIds.push(...listIds(client));

  expect(receivedIds).toEqual(written.flat().toSorted((a, b) => a - b));
});

test('applies the filters of the search, including free text', async () => {
  await makeProject(harness.db, { id: 'streamed-project' });
  const connectWithQuery = async (query: string) => ({ query, client: await connect(query) });
  const filteredClients = await Promise.all([
    connectWithQuery('?project=IS_ANY_OF:streamed-project,other'),
    connectWithQuery('?type=IS:user-created'),
    connectWithQuery('?query=NEEDLE%20%22quoted%22'),
    connectWithQuery('?query=needle&project=IS:streamed-project'),
    connectWithQuery('?createdBy=IS:-42&query='),
    connectWithQuery('?query=no-such-text'),
  ]);

  const plainId = await insertEvent({ project: 'streamed-project' });
  const user = await insertEvent({ type: 'user-created' });
  const quotedId = await insertEvent({ data: { text: 'a Needle "Quoted" text' } });
  const bothId = await insertEvent({ project: 'streamed-project', data: { text: 'needle' } });
  const byToken = await insertEvent({ by: -42 });
  const last = await connect('', { lastEventId: String(byToken - 1) });
  await expectArrival(last, byToken);

  await expect
    .poll(() => filteredClients.map(({ client }) => listIds(client)))
    .toEqual([[plainId, bothId], [user], [quotedId], [bothId], [byToken], []]);
});

test('catches up over several batches, alone and together with other clients, with and without a filter', async () => {
  const ahead = await connect();
  const { rows } = await sql<{ id: number }>`
    insert into events (group_id, type, created_by, data)
    select 'many', 'project-created', 'x', jsonb_build_object('number', n, 'text', case when n % 7 = 0 then 'Seventh' end)
    from generate_series(1, 450) as n returning id`.execute(harness.db);
  const written = rows.map(({ id }) => id);
  const sevenths = written.filter((_, at) => (at + 1) % 7 === 0);
  const after = `after=${(written[0] ?? 0) - 1}`;
  await expectArrival(ahead, written.at(-1) ?? 0);

  const alone = await connect(`?${after}&query=seventh`);
  await expectArrival(alone, sevenths.at(-1) ?? 0);
  const [all, same, some, none] = await Promise.all([
    connect(`?${after}`),
    connect(`?${after}&type=IS:project-created`),
    connect(`?${after}&query=seventh`),
    connect(`?${after}&type=IS:user-created`),
  ]);
  const newId = await insertEvent();
  for (const client of [ahead, all, same]) await expectArrival(client, newId);

  for (const client of [ahead, all, same]) expect(listIds(client)).toEqual([...written, newId]);
  await expect.poll(() => listIds(some)).toEqual(sevenths);
  expect(listIds(alone)).toEqual(sevenths);
  expect(listIds(none)).toEqual([]);
});

test('the Last-Event-ID header takes precedence over the after parameter', async () => {
  const first = await insertEvent();
  const second = await insertEvent();

  const client = await connect(`?after=${first - 1}`, { lastEventId: String(first) });

  await expectArrival(client, second);
  expect(listIds(client)).toEqual([second]);
});

test('sends only visible events, and none of a private project after access to it is revoked', async () => {
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

  const secret = await insertEvent({ project: 'stream-private' });
  const open = await insertEvent({ project: 'default' });
  const global = await insertEvent();
  const ownEventId = await insertEvent({ by: outsider.id });
  for (const client of [asMember, asOutsider]) await expectArrival(client, open);
  await sql`delete from user_roles where user_id = ${member.id} and project = 'stream-private'`.execute(db);
  const laterId = await insertEvent({ project: 'stream-private' });
  const last = await insertEvent({ project: 'default' });
  for (const client of [asMember, asOutsider, asAdmin]) await expectArrival(client, last);

  expect(listIds(asMember)).toEqual([secret, open, last]);
  expect(listIds(asOutsider)).toEqual([open, ownEventId, last]);
  expect(listIds(asAdmin)).toEqual([secret, open, global, ownEventId, laterId, last]);
  expect(JSON.parse(asMember.events[0]?.data ?? '')).not.toHaveProperty('ip');
  expect(JSON.parse(asAdmin.events[0]?.data ?? '')).toHaveProperty('ip', null);
  const resumedClient = await connect(`?after=${secret - 1}`, { token: member.token });
  await expectArrival(resumedClient, last);
  expect(listIds(resumedClient)).toEqual([open, last]);
});

test('a root admin whose role changes to Viewer gets only what viewers can see', async () => {
  const user = await makeUser(harness.db, 'Admin');
  const client = await connect('', { token: user.token });
  const before = await insertEvent();
  await expectArrival(client, before);

  await sql`update user_roles set role_id = (select id from roles where name = 'Viewer') where user_id = ${user.id}`.execute(
    harness.db,
  );
  await insertEvent();
  const visible = await insertEvent({ project: 'default' });

  await expectArrival(client, visible);
  expect(listIds(client)).toEqual([before, visible]);
  expect(JSON.parse(client.events[1]?.data ?? '')).not.toHaveProperty('ip');
});

test('ends the streams of a revoked token and of a deleted user, even if no new event matches', async () => {
  const { db } = harness;
  const revokedUser = await makeUser(db, 'Viewer');
  const deletedUser = await makeUser(db, 'Viewer');
  const secret = `*:*.${'s'.repeat(40)}`;
  await createInitialAdminTokens(db, [secret]);
  const endingClients = await Promise.all(
    [revokedUser.token, deletedUser.token, secret].map(token => connect('', { token })),
  );
  const silent = await connect('?type=IS:user-created', { token: revokedUser.token });
  const other = await connect();

  await sql`delete from personal_access_tokens where user_id = ${revokedUser.id}`.execute(db);
  await call(harness.app, 'DELETE', `/api/admin/user-admin/${deletedUser.id}`);
  await sql`update api_tokens set revoked_at = now() where id = (select max(id) from api_tokens)`.execute(db);
  const id = await insertEvent({ project: 'default' });

  expect(await Promise.all(endingClients.map(client => client.closed))).toEqual([true, true, true]);
  for (const client of endingClients) expect(listIds(client)).not.toContain(id);
  expect(await silent.closed).toBe(true);
  expect(silent.lines).toContain(': the session or token is no longer valid');
  await expectArrival(other, id);
  const reconnection = await connect('', { token: revokedUser.token });
  expect(reconnection.status).toBe(401);
});

test('ends the stream of a token when a project in its scope is deleted and a new project gets the same id', async () => {
  const { app, db } = harness;
  await makeProject(db, { id: 'kiosk' });
  const token = await makeScopedToken(db, await makeUser(db, 'Admin'), { projects: ['kiosk'] });
  const client = await connect('', { token });

  await call(app, 'DELETE', '/api/admin/projects/kiosk');
  await makeProject(db, { id: 'kiosk' });
  const id = await insertEvent({ project: 'kiosk' });

  expect(await client.closed).toBe(true);
  expect(listIds(client)).not.toContain(id);
});

test('rejects invalid parameters with a list of every violation', async () => {
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

test('rejects a Last-Event-ID that is not an id or that no event has yet', async () => {
  const word = await connect('', { lastEventId: 'abc' });
  const future = await connect('', { lastEventId: '9007199254740991' });

  expect(word.status).toBe(400);
  expect(JSON.parse(await word.body()).message).toBe('last-event-id must be the id of an event');
  expect(future.status).toBe(400);
  expect(JSON.parse(await future.body()).message).toMatch(
    /^Event 9007199254740991 does not exist: the last id in the log is \d+\. Connect without/,
  );
});

test('a HEAD request returns the status of a GET request and the headers of a stream', async () => {
  const acceptedHead = await call(harness.app, 'HEAD', '/api/admin/events/stream');
  const rejectedHead = await call(harness.app, 'HEAD', '/api/admin/events/stream?limit=5');

  expect([acceptedHead.status, rejectedHead.status]).toEqual([200, 400]);
  expect(acceptedHead.headers['content-type']).toBe('text/event-stream; charset=utf-8');
});

test('rejects the 51st stream of a caller with 429, and accepts it after one is closed', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');
  const open = await Promise.all(Array.from({ length: 50 }, () => connect('', { token })));

  const rejectedClient = await connect('', { token });
  const other = await connect();
  open[7]?.close();

  expect(open.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(rejectedClient.status).toBe(429);
  expect(rejectedClient.headers['retry-after']).toBe('10');
  expect(JSON.parse(await rejectedClient.body())).toMatchObject({
    name: 'RateLimitError',
    message:
      'Too many event streams: a caller can have at most 50 open on this server. Close one, or retry in 10 seconds.',
  });
  expect(other.status).toBe(200);
  await expect.poll(async () => (await connect('', { token })).status).toBe(200);
});

test("rejects a stream beyond the server's limit until a slot is released", () => {
  const slots = makeStreamSlots({ perCaller: 2, perServer: 3 });
  const releases = ['a', 'a', 'b'].map(caller => slots.take(caller));

  expect(() => slots.take('c')).toThrow(
    expect.objectContaining({
      name: 'ServiceUnavailableError',
      retryAfter: 10,
      message: expect.stringContaining('can have at most 3 open'),
    }),
  );
  releases[0]?.();

  expect(slots.take('c')).toBeTypeOf('function');
});

test('a client that stops reading is cut off and resumes without a gap, while other clients get every event', async () => {
  const stalledClient = await connect();
  const readingClient = await connect();
  await expect.poll(() => stalledClient.lastEventId()).toBeDefined();
  stalledClient.response.pause();
  const text = 'x'.repeat(200_000);
  const written: number[] = [];
  let behind = 0;
  for (let n = 0; n < 100; n++) {
    written.push(await insertEvent({ data: { text } }));
    behind = Math.max(behind, await readMetric('listeners_behind'));
  }
  await expectArrival(readingClient, written.at(-1) ?? 0);

  await expect.poll(() => readMetric('listeners')).toBe(1);
  stalledClient.response.resume();
  await stalledClient.closed;

  expect(behind).toBeGreaterThan(0);
  expect(listIds(readingClient)).toEqual(written);
  expect(listIds(stalledClient).length).toBeLessThan(written.length);
  const resumedClient = await connect('', { lastEventId: stalledClient.lastEventId() ?? '' });
  await expectArrival(resumedClient, written.at(-1) ?? 0);
  expect([...listIds(stalledClient), ...listIds(resumedClient)]).toEqual(written);
});

test('streams continue without a gap after the server loses its database connections', async () => {
  const client = await connect();
  const first = await insertEvent();
  await expectArrival(client, first);

  const writeWithoutConnections = async () => {
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
  const written = [first, await writeWithoutConnections(), await writeWithoutConnections()];
  await expectArrival(client, written[2] ?? 0);

  expect(listIds(client)).toEqual(written);
});

test('a stopping server ends the streams without waiting for their clients', async () => {
  const app = await harness.secondServer();
  const at = await listenOn(app);
  const client = await connect('', { at });
  const pausedClient = await connect('', { at });
  pausedClient.response.pause();

  await app.close();

  expect(await client.closed).toBe(true);
  expect(client.lines).toContain(': the server is stopping');
});

test('a request authenticated after the server began to stop gets a stream that ends and can be resumed', async () => {
  const app = await harness.secondServer();
  const at = await listenOn(app);
  const open = await connect('', { at });
  const before = await insertEvent();
  await expectArrival(open, before);
  const blocker = await harness.db.startTransaction().execute();
  await sql`lock table api_tokens in access exclusive mode`.execute(blocker);
  const requestArrival = once(app.server, 'request');
  const pendingConnection = connect('', { at });
  await requestArrival;

  const appClosing = app.close();
  await open.closed;
  await blocker.rollback().execute();
  const late = await pendingConnection;
  await appClosing;

  expect(late.status).toBe(200);
  expect(await late.closed).toBe(true);
  expect(late.lines).toContain(': the server is stopping');
  expect(late.lastEventId()).toBe(`${before}`);
});

test('a request that waits at the gate when the server begins to stop gets a stream that says why it ends', async () => {
  const app = await buildApp(harness.db, APP_SETTINGS, {
    ...strictSerializer,
    requests: { capacity: 1, waitMs: 120_000 },
  });
  const at = await listenOn(app);
  const countWaiting = async () =>
    /^halyard_admission_waiting\{kind="requests"\} (\d+)$/m.exec(await app.metrics.metrics())?.[1];
  const open = await connect('', { at });
  const blocker = await harness.db.startTransaction().execute();
  await sql`lock table api_tokens in access exclusive mode`.execute(blocker);
  const blockedResponse = call(app, 'GET', '/api/admin/projects');
  const pendingConnection = connect('', { at });
  await expect.poll(countWaiting).toBe('1');

  const appClosing = app.close();
  await open.closed;
  expect(await countWaiting()).toBe('1');
  await blocker.rollback().execute();
  const late = await pendingConnection;
  await appClosing;

  expect((await blockedResponse).status).toBe(200);
  expect(late.status).toBe(200);
  expect(await late.closed).toBe(true);
  expect(late.lines).toContain(': the server is stopping');
});

test('metrics report the number of streams, and no lag when there are none', async () => {
  await expect.poll(() => readMetric('listeners')).toBe(0);

  await Promise.all([connect(), connect()]);

  expect(await readMetric('listeners')).toBe(2);
  await expect.poll(() => readMetric('lag_seconds')).toBeLessThan(5);
  for (const client of clients) client.close();
  await expect.poll(() => readMetric('listeners')).toBe(0);
  expect(await readMetric('lag_seconds')).toBe(0);
});

test('the single stream of one caller catches up before a different caller with 40 streams has half of its events', {
  timeout: 300_000,
}, async () => {
  const [many, single] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
  const { rows } = await sql<{ id: number }>`
    insert into events (group_id, type, created_by, project) select 'turns', 'project-created', 'x', 'default'
    from generate_series(1, 500) returning id`.execute(harness.db);
  const after = `?groupId=IS:turns&after=${(rows[0]?.id ?? 1) - 1}`;
  // The streams start far back in the log, so that each is read separately.
  await sql`select setval('events_id_seq', (select max(id) + 30000 from events))`.execute(harness.db);
  const others = await Promise.all(Array.from({ length: 40 }, () => connect(after, { token: many.token })));
  const client = await connect(after, { token: single.token });
  const start = performance.now();

  for (const stream of [client, ...others]) await expect.poll(() => stream.events.length).toBe(500);
  const end = client.events.at(-1)?.at ?? 0;
  const otherEvents = others.flatMap(({ events }) => events.filter(({ at }) => at > start && at < end));

  // If streams rather than callers took turns, each of the 40 would have received nearly all events by then.
  expect(otherEvents.length).toBeLessThan((40 * 500) / 2);
});
