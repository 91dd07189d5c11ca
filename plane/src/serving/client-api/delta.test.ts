import { expect, test } from 'vitest';
import { useHarness } from '../../../../server/src/test/harness.ts';
import { call } from '../../../../server/src/test/request.ts';
import { startSdk, TRANSPORTS, type Transport } from '../../../../server/src/test/sdk-client.ts';
import {
  makeEnvironment,
  putDocuments,
  raiseRevision,
  type SdkDocument,
} from '../../../../server/src/test/sdk-documents.ts';
import { useSdkServer } from '../../../../server/src/test/sdk-server.ts';

const harness = useHarness();
const server = useSdkServer(harness);

const feature = (name: string, fields: Partial<SdkDocument> = {}): SdkDocument => ({
  name,
  type: 'release',
  enabled: true,
  strategies: [{ name: 'default' } as object],
  variants: [],
  ...fields,
});
const segment = (id: number, userId = 'ada') => ({
  id,
  name: `segment ${id}`,
  constraints: [{ contextName: 'userId', operator: 'IN', values: [userId] }],
});
const usingSegment = (id: number) => ({ strategies: [{ name: 'default', segments: [id] }] });

/** A client that polls for changes, with its ETag. */
async function poller(environment: string, projects?: string[], query = '') {
  const token = await server.token(environment, projects);
  let etag: string | undefined;
  const sendPoll = async () => {
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
    return await call(harness.app, 'GET', `/api/client/delta${query}`, { token, headers });
  };
  return {
    /** The events of the next response other than a 304. */
    next: async () => {
      const response = await expect.poll(sendPoll).toMatchObject({ status: 200 }).then(sendPoll);
      etag = String(response.headers.etag);
      return response.body.events as Record<string, unknown>[];
    },
    status: async () => (await sendPoll()).status,
    present: (tag: string) => {
      etag = tag;
    },
    tag: () => etag ?? '',
    token,
  };
}

const summary = (events: Record<string, unknown>[]) =>
  events.map(event => {
    const subject = (event.feature ?? event.segment ?? {}) as { name?: string };
    return [event.type, subject.name ?? event.featureName ?? event.segmentId];
  });

test('a client without an ETag gets a hydration, then the changes after it, then 304', async () => {
  await makeEnvironment(harness.db, 'one');
  await putDocuments(harness.db, 'one', { features: [feature('a'), feature('b')] });
  const client = await poller('one');

  const [hydration] = await client.next();
  expect(hydration).toMatchObject({
    eventId: 1,
    type: 'hydration',
    features: [{ name: 'a' }, { name: 'b' }],
    segments: [],
  });
  expect(await client.status()).toBe(304);

  await putDocuments(harness.db, 'one', { features: [feature('a', { enabled: false })] });
  expect(await client.next()).toEqual([
    {
      eventId: 2,
      type: 'feature-updated',
      feature: { project: 'default', ...feature('a', { enabled: false }) },
    },
  ]);
  await putDocuments(harness.db, 'one', { removed: ['default/b'] });
  expect(await client.next()).toEqual([
    { eventId: 3, type: 'feature-removed', featureName: 'b', project: 'default' },
  ]);
  expect(await client.status()).toBe(304);
});

test('a segment comes before the feature that uses it, and removals before updates', async () => {
  await makeEnvironment(harness.db, 'order');
  await putDocuments(harness.db, 'order', {
    features: [feature('a', usingSegment(1)), feature('b'), feature('gone')],
    segments: [segment(1)],
  });
  const client = await poller('order');
  await client.next();

  await putDocuments(harness.db, 'order', {
    features: [feature('a', usingSegment(2)), feature('b', usingSegment(2))],
    segments: [segment(2)],
    removed: ['default/gone'],
    removedSegments: [1],
  });

  expect(summary(await client.next())).toEqual([
    ['segment-updated', 'segment 2'],
    ['feature-removed', 'gone'],
    ['segment-removed', 1],
    ['feature-updated', 'a'],
    ['feature-updated', 'b'],
  ]);
});

test('a feature is sent with its unchanged segments, because they may be new to the client', async () => {
  await makeEnvironment(harness.db, 'known');
  await putDocuments(harness.db, 'known', {
    features: [feature('a', { ...usingSegment(1), project: 'other' }), feature('b')],
    segments: [segment(1)],
  });
  const client = await poller('known', ['default']);
  expect((await client.next())[0]).toMatchObject({ segments: [] });

  await putDocuments(harness.db, 'known', { features: [feature('b', usingSegment(1))] });

  expect(summary(await client.next())).toEqual([
    ['segment-updated', 'segment 1'],
    ['feature-updated', 'b'],
  ]);
});

test("a move removes the feature from the old project's SDKs, updates it in the new project's, and does both for tokens of both projects", async () => {
  await makeEnvironment(harness.db, 'move');
  await call(harness.app, 'POST', '/api/admin/projects', { body: { id: 'other', name: 'Other' } });
  await putDocuments(harness.db, 'move', { features: [feature('a')] });
  const clients = [
    await poller('move', ['default']),
    await poller('move', ['other']),
    await poller('move', ['default', 'other']),
    await poller('move'),
  ];
  for (const client of clients) await client.next();

  await putDocuments(harness.db, 'move', {
    features: [feature('a', { project: 'other' })],
    removed: ['default/a'],
  });

  const removal = ['feature-removed', 'a'];
  const update = ['feature-updated', 'a'];
  const events = [];
  for (const client of clients) events.push(summary(await client.next()));
  expect(events).toEqual([[removal], [update], [removal, update], [removal, update]]);
});

test('a client that is newer than the server gets 304, but a client with a different scope or epoch gets everything', async () => {
  await makeEnvironment(harness.db, 'tags');
  await putDocuments(harness.db, 'tags', { features: [feature('a')] });
  const client = await poller('tags');
  await client.next();
  const tag = client.tag();

  await raiseRevision(harness.db, 'tags', 7);
  client.present(tag.replace(/\d+"$/, '7"'));
  expect(await client.status()).toBe(304);
  for (const otherTag of [tag.replace(/^"./, '"x'), tag.replace(/\.[^.]+\./, '.0.'), '"1"', 'nonsense']) {
    client.present(otherTag);
    expect(summary(await client.next())).toEqual([['hydration', undefined]]);
  }
});

test('a client that may have missed purged removals gets a hydration', async () => {
  await makeEnvironment(harness.db, 'purged');
  await putDocuments(harness.db, 'purged', { features: [feature('a'), feature('b')] });
  const client = await poller('purged');
  await client.next();
  const oldTag = client.tag();
  await putDocuments(harness.db, 'purged', { removed: ['default/b'] });
  await client.next();

  await harness.db.transaction().execute(async tx => {
    await tx.deleteFrom('sdk_features').where('environment', '=', 'purged').where('name', '=', 'b').execute();
    await tx
      .updateTable('sdk_revisions')
      .set({ complete_since: 2 })
      .where('environment', '=', 'purged')
      .execute();
  });
  await putDocuments(harness.db, 'purged', { features: [feature('c')] });

  expect(summary(await client.next())).toEqual([['feature-updated', 'c']]);
  client.present(oldTag);
  expect(summary(await client.next())).toEqual([['hydration', undefined]]);
});

test('with a filter, every change causes a hydration', async () => {
  await makeEnvironment(harness.db, 'filter');
  await putDocuments(harness.db, 'filter', { features: [feature('pay.a'), feature('other')] });
  const client = await poller('filter', undefined, '?namePrefix=pay.');
  await client.next();

  await putDocuments(harness.db, 'filter', { features: [feature('other', { enabled: false })] });
  await putDocuments(harness.db, 'filter', { features: [feature('pay.b')] });

  const [event] = await client.next();
  expect(event).toMatchObject({
    type: 'hydration',
    eventId: 3,
    features: [{ name: 'pay.a' }, { name: 'pay.b' }],
  });
});

test.each(Object.keys(TRANSPORTS) as Transport[])('an SDK sees changes through %s', async transport => {
  const environment = `live-${transport}`;
  await makeEnvironment(harness.db, environment);
  await putDocuments(harness.db, environment, {
    features: [feature('a', usingSegment(1))],
    segments: [segment(1)],
  });
  const sdk = await startSdk(server.url, await server.token(environment), transport);
  const enabled = (userId: string) => [sdk.isEnabled('a', { userId }), sdk.isEnabled('b')];
  expect(enabled('ada')).toEqual([true, false]);

  await putDocuments(harness.db, environment, { features: [feature('b')], segments: [segment(1, 'eve')] });

  await expect
    .poll(() => [enabled('ada'), enabled('eve')])
    .toEqual([
      [false, true],
      [true, true],
    ]);
  await putDocuments(harness.db, environment, { removed: ['default/b'] });
  await expect.poll(() => sdk.isEnabled('b')).toBe(false);
  sdk.destroy();
});

test('a token that sends many different revisions gets everything instead of separate deltas', async () => {
  await makeEnvironment(harness.db, 'hostile');
  await putDocuments(harness.db, 'hostile', { features: [feature('a')] });
  const client = await poller('hostile');
  await client.next();
  const { serving } = harness.app;
  const token = serving.tokens.findCached(client.token);
  const scope = token && serving.findScope(token);
  if (!token || !scope) throw new Error('The token has no scope');
  const deltas = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      serving.deltaBody('identity', scope, scope.revision + index, token),
    );

  const everything = serving.body('hydration', 'identity', scope);
  const bodies = deltas(3_000);

  expect(bodies.filter(body => body === everything).length).toBeGreaterThan(1_000);
  expect(bodies.slice(0, 600)).not.toContain(everything);
  // The deltas that were built first are still cached.
  expect(deltas(500)).toEqual(bodies.slice(0, 500));
});
