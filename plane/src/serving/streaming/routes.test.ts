import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { useHarness } from '../../../../server/src/test/harness.ts';
import { call } from '../../../../server/src/test/request.ts';
import { startSdk } from '../../../../server/src/test/sdk-client.ts';
import {
  makeEnvironment,
  putDocuments,
  raiseRevision,
  type SdkDocument,
} from '../../../../server/src/test/sdk-documents.ts';
import { useSdkServer } from '../../../../server/src/test/sdk-server.ts';
import { openStream, type SdkStream } from '../../../../server/src/test/sdk-stream.ts';

const harness = useHarness();
const server = useSdkServer(harness);
const opened: SdkStream[] = [];

afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

const feature = (name: string, fields: Partial<SdkDocument> = {}): SdkDocument => ({
  name,
  type: 'release',
  enabled: true,
  strategies: [{ name: 'default' } as object],
  variants: [],
  ...fields,
});
const segment = (id: number) => ({
  id,
  name: `segment ${id}`,
  constraints: [{ contextName: 'userId', operator: 'IN', values: ['ada'] }],
});

const connect = async (token: string, headers: Record<string, string> = {}, url = server.url) => {
  const stream = await openStream(url, token, headers);
  opened.push(stream);
  return stream;
};

const put = async (environment: string, ...names: string[]) =>
  await putDocuments(harness.db, environment, { features: names.map(name => feature(name)) });

const listEventTypes = (stream: SdkStream) =>
  stream.received.map(({ name, events }) => [name, ...events.map(({ type }) => type)]);

async function environment(name: string): Promise<string> {
  await makeEnvironment(harness.db, name);
  await put(name, 'a', 'b');
  return await server.token(name);
}

test('a stream starts with all flags, then sends every change', async () => {
  const token = await environment('plain');
  const stream = await connect(token);
  await expect.poll(() => stream.received).toHaveLength(1);
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
    connection: 'close',
  });
  expect(stream.headers).not.toHaveProperty('content-encoding');

  await put('plain', 'c');
  await expect.poll(() => stream.received).toHaveLength(2);
  await putDocuments(harness.db, 'plain', { removed: ['default/a'] });
  await expect.poll(() => stream.received).toHaveLength(3);

  const [first, second, third] = stream.received;
  const { etag } = (await call(harness.app, 'GET', '/api/client/delta', { token })).headers;
  expect(`"${third?.id}"`).toBe(etag);
  expect(first).toMatchObject({
    name: 'unleash-connected',
    events: [{ eventId: 1, type: 'hydration', features: [{ name: 'a' }, { name: 'b' }], segments: [] }],
  });
  expect(second).toMatchObject({
    name: 'unleash-updated',
    events: [{ eventId: 2, type: 'feature-updated', feature: { name: 'c' } }],
  });
  expect(third?.events).toEqual([
    { eventId: 3, type: 'feature-removed', featureName: 'a', project: 'default' },
  ]);
});

test('a client that resumes gets what it missed, or an empty list', async () => {
  const token = await environment('resumed');
  const first = await connect(token);
  await expect.poll(() => first.received).toHaveLength(1);
  const [{ id = '' } = {}] = first.received;
  first.close();

  const unchangedStream = await connect(token, { 'last-event-id': id });
  await expect.poll(() => listEventTypes(unchangedStream)).toEqual([['unleash-connected']]);
  expect(unchangedStream.received[0]?.id).toBe(id);
  await put('resumed', 'c');
  await expect.poll(() => unchangedStream.received).toHaveLength(2);

  const behind = await connect(token, { 'last-event-id': id });
  await expect.poll(() => listEventTypes(behind)).toEqual([['unleash-connected', 'feature-updated']]);
});

test('a client that sends the id in quotes can resume', async () => {
  const token = await environment('quoted');
  const first = await connect(token);
  await expect.poll(() => first.received).toHaveLength(1);

  const resumedStream = await connect(token, { 'last-event-id': `"${first.received[0]?.id}"` });

  await expect.poll(() => listEventTypes(resumedStream)).toEqual([['unleash-connected']]);
});

test('a client that is ahead of the server gets no changes until the server has something newer', async () => {
  const token = await environment('ahead');
  const first = await connect(token);
  await expect.poll(() => first.received).toHaveLength(1);
  const id = (first.received[0]?.id ?? '').replace(/\d+$/, '3');
  await raiseRevision(harness.db, 'ahead', 3);

  const ahead = await connect(token, { 'last-event-id': id });
  await expect.poll(() => ahead.received).toEqual([{ id, name: 'unleash-connected', events: [] }]);
  await put('ahead', 'e');

  await expect.poll(() => ahead.received).toHaveLength(2);
  expect(ahead.received[1]?.events).toMatchObject([{ eventId: 4, feature: { name: 'e' } }]);
});

test.each(['', '*', 'x', '1.2', 'a.b.c', '7', `${'9'.repeat(5_000)}`])(
  'a client that sends the unknown id "%s" gets a hydration',
  async id => {
    const token = await server.token('production');
    const stream = await connect(token, { 'last-event-id': id });

    await expect.poll(() => listEventTypes(stream)).toEqual([['unleash-connected', 'hydration']]);
  },
);

test('a segment comes before the feature that uses it', async () => {
  const token = await environment('segments');
  const stream = await connect(token);
  await expect.poll(() => stream.received).toHaveLength(1);

  await putDocuments(harness.db, 'segments', {
    features: [feature('a', { strategies: [{ segments: [1] }] })],
    segments: [segment(1)],
    removed: ['default/b'],
  });

  await expect
    .poll(() => listEventTypes(stream)[1])
    .toEqual(['unleash-updated', 'segment-updated', 'feature-removed', 'feature-updated']);
});

test('a new epoch hydrates every stream, including one that resumes with an id from the old epoch', async () => {
  const token = await environment('epoch');
  const streams = [await connect(token), await connect(token)];
  for (const stream of streams) await expect.poll(() => stream.received).toHaveLength(1);
  const oldId = streams[0]?.received[0]?.id ?? '';

  await sql`update sdk_epoch set number = number + 1`.execute(harness.db);

  for (const stream of streams) {
    await expect
      .poll(() => listEventTypes(stream))
      .toEqual([
        ['unleash-connected', 'hydration'],
        ['unleash-connected', 'hydration'],
      ]);
    expect(stream.received[1]?.id.split('.')[0]).not.toBe(oldId.split('.')[0]);
  }
  const resumedStream = await connect(token, { 'last-event-id': oldId });
  await expect.poll(() => listEventTypes(resumedStream)).toEqual([['unleash-connected', 'hydration']]);
});

test('revoking a token ends its streams on every server, and reconnecting is rejected with 401', async () => {
  const other = await server.keep(await harness.secondServer());
  const body = { tokenName: 'revoked', type: 'backend', environment: 'production' };
  const { id, secret } = (await call(harness.app, 'POST', '/api/admin/api-tokens', { body })).body;
  const streams = [await connect(secret), await connect(secret, {}, other)];
  const survivingStream = await connect(await server.token('production'), {}, other);

  await call(harness.app, 'DELETE', `/api/admin/api-tokens/${id}`);

  await Promise.all(streams.map(({ closed }) => closed));
  expect(survivingStream.isClosed()).toBe(false);
  expect((await connect(secret, {}, other)).status).toBe(401);
});

test('streams end when their token expires', async () => {
  const body = { tokenName: 'expired', type: 'backend', environment: 'production' };
  const { id, secret } = (await call(harness.app, 'POST', '/api/admin/api-tokens', { body })).body;
  const stream = await connect(secret);

  await sql`update api_tokens set expires_at = now() + interval '1 second' where id = ${id}`.execute(
    harness.db,
  );

  await stream.closed;
  expect((await connect(secret)).status).toBe(401);
});

test('streams hydrate when their token loses a project, and end when it loses its last project', async () => {
  for (const id of ['one', 'two'])
    await call(harness.app, 'POST', '/api/admin/projects', { body: { id, name: id } });
  await makeEnvironment(harness.db, 'shrinking');
  const features = ['one', 'two'].map(project => feature(`of-${project}`, { project }));
  await putDocuments(harness.db, 'shrinking', { features });
  const token = await server.token('shrinking', ['one', 'two']);
  const stream = await connect(token);
  await expect.poll(() => stream.received).toHaveLength(1);
  const [{ id = '' } = {}] = stream.received;

  await call(harness.app, 'DELETE', '/api/admin/projects/one');

  await expect.poll(() => stream.received.length).toBeGreaterThan(1);
  expect(stream.received.at(-1)).toMatchObject({
    name: 'unleash-connected',
    events: [{ type: 'hydration', features: [{ name: 'of-two' }] }],
  });
  const resumedStream = await connect(token, { 'last-event-id': id });
  await expect.poll(() => listEventTypes(resumedStream)).toEqual([['unleash-connected', 'hydration']]);
  await call(harness.app, 'DELETE', '/api/admin/projects/two');
  await stream.closed;
});

test('streams with the same scope and position get the same events, and streams of a different project get none of them', async () => {
  await makeEnvironment(harness.db, 'scopes');
  for (const id of ['mine', 'yours'])
    await call(harness.app, 'POST', '/api/admin/projects', { body: { id, name: id } });
  const mine = await server.token('scopes', ['mine']);
  const yours = await server.token('scopes', ['yours']);
  const streams = [await connect(mine), await connect(mine)];
  const otherStream = await connect(yours);
  await expect.poll(() => otherStream.received).toHaveLength(1);

  await putDocuments(harness.db, 'scopes', { features: [feature('x', { project: 'mine' })] });
  for (const stream of streams) await expect.poll(() => stream.received).toHaveLength(2);
  await putDocuments(harness.db, 'scopes', { features: [feature('y', { project: 'yours' })] });
  await expect.poll(() => otherStream.received).toHaveLength(2);

  expect(streams[0]?.received).toEqual(streams[1]?.received);
  expect(otherStream.received[1]?.events).toMatchObject([{ feature: { name: 'y' } }]);
  expect(streams[0]?.received).toHaveLength(2);
});

test('many changes in a row arrive in order, and the final state is complete', async () => {
  const token = await environment('busy');
  const streams = await Promise.all(Array.from({ length: 20 }, () => connect(token)));
  for (let round = 0; round < 40; round++) await put('busy', `f${round % 7}`, `g${round}`);

  for (const stream of streams) {
    const revisions = () => stream.received.map(({ id }) => Number(id.split('.')[2]));
    await expect.poll(() => revisions().at(-1)).toBe(41);
    expect(revisions()).toEqual(revisions().toSorted((a, b) => a - b));
    const names = new Set(
      stream.received
        .flatMap(({ events }) => events)
        .flatMap(event => (event.features as SdkDocument[]) ?? [event.feature as SdkDocument])
        .map(({ name }) => name),
    );
    expect(names.size).toBe(2 + 7 + 40);
  }
});

test('rejects a request without a valid backend token', async () => {
  const admin = await connect('*:*.an-admin-token-for-tests-0123456789');
  const unknownStream = await connect('*:production.unknown');

  expect([admin.status, unknownStream.status]).toEqual([403, 401]);
});

test('a real SDK sees streamed changes', async () => {
  const token = await environment('real');
  const sdk = await startSdk(server.url, token, 'streaming');
  expect(sdk.isEnabled('a')).toBe(true);

  await putDocuments(harness.db, 'real', { features: [feature('a', { enabled: false })] });

  await expect.poll(() => sdk.isEnabled('a')).toBe(false);
  sdk.destroy();
});
