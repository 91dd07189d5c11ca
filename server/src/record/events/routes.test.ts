import type { App } from '@halyard/plane/platform/http/app.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { campaignSize } from '../../test/campaign.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { change } from '../change.ts';
import { EVENT_TYPE_NAMES } from './event-types.ts';

const harness = useHarness();
let viewer: TestUser;
let reader: TestUser;

type FoundEvent = { id: number; project: string; type: string; groupId: string };
const search = async (query: string, token?: string): Promise<{ events: FoundEvent[]; total: number }> => {
  const { status, body } = await call(
    harness.app,
    'GET',
    `/api/admin/search/events?${query}`,
    token ? { token } : {},
  );
  expect(status).toBe(200);
  return body;
};

beforeAll(async () => {
  const { db } = harness;
  viewer = await makeUser(db, 'Viewer');
  reader = await makeUser(db, 'Viewer');
  await makeProject(db, { id: 'secret-project', mode: 'private' });
  await makeMember(db, reader, 'secret-project', 'Reader');
});

test('all events of one change share a groupId and are in the order in which they were recorded', async () => {
  await change(harness.db, SYSTEM, async ({ record }) => {
    for (let number = 0; number < 20; number++)
      record({ type: 'feature-tagged', project: 'default', data: { number } });
  });

  const { events } = await search('type=IS:feature-tagged&limit=20');

  expect(new Set(events.map(event => event.groupId)).size).toBe(1);
  const numbers = events.map(event => (event as unknown as { data: { number: number } }).data.number);
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => 19 - index));
  expect((await search(`groupId=IS:${events[0]?.groupId}`)).total).toBe(20);
});

test('a change that fails is rolled back together with its events', async () => {
  const failingChange = change(harness.db, SYSTEM, async ({ tx, record }) => {
    await tx.insertInto('projects').values({ id: 'half-made', name: 'x' }).execute();
    record({ type: 'project-created', project: 'half-made' });
    throw new Error('no');
  });

  await expect(failingChange).rejects.toThrow('no');
  expect((await search('project=IS:half-made')).total).toBe(0);
  expect((await call(harness.app, 'GET', '/api/admin/projects/half-made')).status).toBe(404);
});

test('if an event cannot be written, its change is rolled back', async () => {
  const failingChange = change(harness.db, SYSTEM, async ({ tx, record }) => {
    await tx.insertInto('projects').values({ id: 'unrecorded', name: 'x' }).execute();
    record({ type: 'project-created', project: 'unrecorded', data: { text: '\u0000' } });
  });

  await expect(failingChange).rejects.toThrow();
  expect((await call(harness.app, 'GET', '/api/admin/projects/unrecorded')).status).toBe(404);
});

test.each(['update events set type = type', 'delete from events', 'truncate events', 'truncate events_p0'])(
  'rejects %s',
  async statement => {
    await expect(sql.raw(statement).execute(harness.db)).rejects.toThrow('events are immutable');
  },
);

test('pages have no gaps or overlaps, and a page past the end has the correct total', async () => {
  const wholeResult = await search('limit=1000');

  const pages: number[] = [];
  for (let offset = 0; offset < wholeResult.total; offset += 7) {
    pages.push(...(await search(`limit=7&offset=${offset}`)).events.map(event => event.id));
  }

  expect(pages).toEqual(wholeResult.events.map(event => event.id));
  expect(await search(`offset=${wholeResult.total + 1}`)).toEqual({ events: [], total: wholeResult.total });
});

test('the from and to filters are UTC days, both inclusive', async () => {
  const insert = (createdAt: string) =>
    sql`insert into events (group_id, type, created_by, project, created_at) values ('days', 'segment-created', 'x', 'days', ${createdAt})`.execute(
      harness.db,
    );
  for (const createdAt of [
    '2001-02-02T23:59:59.999Z',
    '2001-02-03T00:00:00Z',
    '2001-02-03T23:59:59.999Z',
    '2001-02-04T00:00:00Z',
  ]) {
    await insert(createdAt);
  }

  const count = async (query: string) => (await search(`groupId=IS:days&${query}`)).total;

  expect(await count('from=IS:2001-02-03&to=IS:2001-02-03')).toBe(2);
  expect(await count('from=IS:2001-02-03')).toBe(3);
  expect(await count('to=IS:2001-02-03')).toBe(3);
  expect(await count('from=IS:2001-02-04&to=IS:2001-02-03')).toBe(0);
  expect((await search('from=IS:2001-02-03&to=IS:2001-02-03')).events.map(event => event.project)).toEqual([
    'days',
    'days',
  ]);
  expect(await count('to=IS:9999-12-31')).toBe(4);
});

test('finds text in data, preData and tags, case-insensitively and literally', async () => {
  await change(harness.db, SYSTEM, async ({ record }) => {
    record({ type: 'segment-updated', data: { text: '100%_Ready \\o/' }, preData: { text: 'Formerly' } });
    record({
      type: 'segment-updated',
      tags: [{ type: 'simple', value: 'Taggy' }],
      data: { žluťoučký: 'KŮŇ' },
    });
  });

  const count = async (text: string) =>
    (await search(`type=IS:segment-updated&query=${encodeURIComponent(text)}`)).total;

  expect(await count('100%_rEADY')).toBe(1);
  expect(await count('100%Ready')).toBe(0);
  expect(await count('1__%')).toBe(0);
  expect(await count('formerly')).toBe(1);
  expect(await count('taggy')).toBe(1);
  expect(await count('Žluťoučký')).toBe(1);
  expect(await count('\\\\o/')).toBe(1);
});

test('finds text as people see it, in its JSON-escaped form, and with control characters', async () => {
  const description = 'say "hello" now in C:\\temp\nline two\tand a bell \u0007 \u007f \u2028 end';
  await change(harness.db, SYSTEM, async ({ record }) => {
    record({ type: 'segment-created', data: { description }, preData: {} });
    record({ type: 'segment-created', data: { description: 'plain' } });
  });
  const count = async (text: string) =>
    (await search(`type=IS:segment-created&query=${encodeURIComponent(text)}`)).total;

  expect(await count('say "hello" now')).toBe(1);
  expect(await count('say \\"hello\\" now')).toBe(1);
  expect(await count('C:\\temp')).toBe(1);
  expect(await count('temp\nLINE two\tand')).toBe(1);
  expect(await count('bell \u0007 \u007f \u2028 END')).toBe(1);
  expect(await count(description)).toBe(1);
  // The separators between data, preData and tags cannot be found.
  expect(await count('\n[')).toBe(0);
  expect(await count('}\n{')).toBe(0);
});

test('finds every string by any substring', async () => {
  const text = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 40 })
    .filter(value => !value.includes('\0'));
  const awkward = fc.string({
    unit: fc.constantFrom('"', '\\', '\n', '\t', '%', '_', 'n', 'u', '0', 'é', '😀'),
  });
  let number = 0;

  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        text,
        awkward.filter(value => value !== ''),
      ),
      fc.nat(),
      fc.nat(),
      async (description, first, length) => {
        const points = [...description];
        const start = first % points.length;
        const part = points.slice(start, start + 1 + (length % (points.length - start))).join('');
        const project = `part-${number++}`;
        await change(harness.db, SYSTEM, async ({ record }) => {
          record({ type: 'segment-updated', project, data: { description } });
        });

        const found = await search(`project=IS:${project}&query=${encodeURIComponent(part)}`);

        expect(found.total).toBe(1);
      },
    ),
    { numRuns: campaignSize({ usual: 30, long: 1_500 }) },
  );
});

test('a caller who cannot read a private project sees neither its events nor a total that counts them', async () => {
  const allEvents = await search('project=IS:secret-project');
  const readerResult = await search('project=IS:secret-project', reader.token);
  const viewerResult = await search('project=IS:secret-project', viewer.token);

  expect(allEvents.total).toBe(1);
  expect(readerResult.events).toHaveLength(1);
  expect(viewerResult).toEqual({ events: [], total: 0 });
  const id = allEvents.events[0]?.id;
  expect((await call(harness.app, 'GET', `/api/admin/events/${id}`, { token: reader.token })).status).toBe(
    200,
  );
  const hidden = await call(harness.app, 'GET', `/api/admin/events/${id}`, { token: viewer.token });
  const missing = await call(harness.app, 'GET', '/api/admin/events/999999999', { token: viewer.token });
  expect([hidden.status, missing.status]).toEqual([404, 404]);
  expect(hidden.body.message.replace(id, '')).toBe(missing.body.message.replace('999999999', ''));
});

test('an event says who acted: a user, an admin token or the server itself', async () => {
  const editor = await makeUser(harness.db, 'Editor');
  const create = (name: string, token?: string) =>
    call(harness.app, 'POST', '/api/admin/tag-types', { body: { name }, ...(token ? { token } : {}) });
  await create('by-user', editor.token);
  await create('by-token');
  await makeProject(harness.db, { id: 'by-system' });

  const { events } = await search('limit=3');

  expect(events).toMatchObject([
    { type: 'project-created', createdBy: 'system', createdByUserId: -1337, createdByKind: 'system' },
    {
      type: 'tag-type-created',
      createdBy: 'admin token admin',
      createdByUserId: -42,
      createdByKind: 'admin-token',
    },
    {
      type: 'tag-type-created',
      createdBy: editor.username,
      createdByUserId: editor.id,
      createdByKind: 'token',
    },
  ]);
});

test('distinguishes a user from an admin token with the same name', async () => {
  const user = await makeUser(harness.db, 'Admin', 'admin');
  for (const [name, token] of [['by-admin', user.token], ['by-admin-token']] as const)
    await call(harness.app, 'POST', '/api/admin/tag-types', { body: { name }, ...(token ? { token } : {}) });

  const { events } = await search('limit=2');

  expect(events).toMatchObject([
    { createdBy: 'admin token admin', summary: '**admin token admin** created tag type **by-admin-token**' },
    { createdBy: 'admin', summary: '**admin** created tag type **by-admin**' },
  ]);
});

test("only root admins see the caller's IP address", async () => {
  await call(harness.app, 'POST', '/api/admin/projects', { body: { id: 'with-address', name: 'x' } });

  const [asAdmin] = (await search('project=IS:with-address')).events;
  const [viewerResult] = (await search('project=IS:with-address', viewer.token)).events;

  expect(asAdmin).toHaveProperty('ip', '127.0.0.1');
  expect(viewerResult).not.toHaveProperty('ip');
});

test('an event has the IP address in X-Forwarded-For only if the header comes from a configured proxy', async () => {
  const proxiedServer = await harness.secondServer({ trustedProxies: ['192.0.2.1'] });
  const createProject = async (app: App, id: string, ip: string) => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    await call(app, 'POST', '/api/admin/projects', { headers, ip, body: { id, name: 'x' } });
    return (await search(`project=IS:${id}`)).events[0];
  };

  expect(await createProject(proxiedServer, 'proxied', '192.0.2.1')).toHaveProperty('ip', '203.0.113.9');
  expect(await createProject(proxiedServer, 'bypassing', '192.0.2.2')).toHaveProperty('ip', '192.0.2.2');
  expect(await createProject(harness.app, 'forged', '192.0.2.1')).toHaveProperty('ip', '192.0.2.1');
});

test('lists only creators of events that the caller can see', async () => {
  await change(
    harness.db,
    { ...SYSTEM, kind: 'user', userId: reader.id, name: reader.username },
    async ({ record }) => record({ type: 'feature-created', project: 'secret-project' }),
  );
  const listCreators = async (token?: string) =>
    (await call(harness.app, 'GET', '/api/admin/event-creators', token ? { token } : {})).body.map(
      (creator: { id: number }) => creator.id,
    );

  expect(await listCreators()).toContain(reader.id);
  expect(await listCreators(reader.token)).toContain(reader.id);
  expect(await listCreators(viewer.token)).not.toContain(reader.id);
});

test.each(['abc', '0', '--1', '1.5', '99999999999999999999'])('rejects the event id %s', async id => {
  const response = await call(harness.app, 'GET', `/api/admin/events/${id}`);
  expect(response).toMatchObject({
    status: 400,
    body: {
      name: 'BadDataError',
      details: expect.arrayContaining([expect.objectContaining({ path: '/params/id' })]),
    },
  });
});

test('lists every type with its label, and whether it is emitted, to every caller', async () => {
  const { status, body } = await call(harness.app, 'GET', '/api/admin/event-types', { token: viewer.token });

  expect(status).toBe(200);
  expect(body.eventTypes.map(({ type }: { type: string }) => type)).toEqual(EVENT_TYPE_NAMES);
  expect(body.eventTypes).toContainEqual({ type: 'feature-created', label: 'Flag created', emitted: true });
  expect(body.eventTypes).toContainEqual({
    type: 'drop-features',
    label: 'All flags dropped',
    emitted: false,
  });
});

test('responds with 304 to a client that has the current list of types', async () => {
  const headers = { authorization: viewer.token };
  const first = await harness.app.inject({ url: '/api/admin/event-types', headers });
  const { etag } = first.headers;

  const notModified = await harness.app.inject({
    url: '/api/admin/event-types',
    headers: { ...headers, 'if-none-match': String(etag) },
  });
  const other = await harness.app.inject({
    url: '/api/admin/event-types',
    headers: { ...headers, 'if-none-match': '"other"' },
  });

  expect(first.headers['cache-control']).toBe('private, no-cache');
  expect([notModified.statusCode, notModified.body, notModified.headers.etag]).toEqual([304, '', etag]);
  expect([other.statusCode, other.headers.etag]).toEqual([200, etag]);
});

test('a search returns the parts of summaries on request, and a single event always has them', async () => {
  await change(harness.db, SYSTEM, async ({ record }) =>
    record({ type: 'feature-archived', project: 'default', featureName: 'with-parts' }),
  );
  const parts = [
    { text: 'system', strong: true },
    { text: ' archived flag ' },
    { text: 'with-parts', strong: true, ref: { kind: 'feature', id: 'with-parts', project: 'default' } },
    { text: ' in project ', place: true },
    { text: 'default', strong: true, place: true, ref: { kind: 'project', id: 'default' } },
  ];

  const [plainEvent] = (await search('feature=IS:with-parts')).events;
  const [detailed] = (await search('feature=IS:with-parts&parts=true')).events;
  const [withoutParts] = (await search('feature=IS:with-parts&parts=false')).events;
  const single = await call(harness.app, 'GET', `/api/admin/events/${plainEvent?.id}`);

  expect(plainEvent).not.toHaveProperty('parts');
  expect(withoutParts).toEqual(plainEvent);
  expect(detailed).toEqual({ ...plainEvent, parts });
  expect(single.body.parts).toEqual(parts);
});

test.each(['parts=yes', 'parts=', 'parts=true&parts=true'])('rejects a search with %s', async query => {
  const { status, body } = await call(harness.app, 'GET', `/api/admin/search/events?${query}`);

  expect(status).toBe(400);
  expect(body.details[0].path).toBe('/query/parts');
});
