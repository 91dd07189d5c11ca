import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();

const LINK = { url: 'https://example.com/tickets/42', title: 'The ticket' };

async function makeFeature(name: string) {
  const featurePath = `/api/admin/projects/default/features/${name}`;
  await call(harness.app, 'POST', '/api/admin/projects/default/features', { body: { name } });
  return {
    featurePath,
    add: (body: object = LINK) => call(harness.app, 'POST', `${featurePath}/link`, { body }),
    put: (id: string, body: object) => call(harness.app, 'PUT', `${featurePath}/link/${id}`, { body }),
    remove: (id: string) => call(harness.app, 'DELETE', `${featurePath}/link/${id}`),
    links: async () => (await call(harness.app, 'GET', featurePath)).body.links,
    events: async () =>
      (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${name}`)).body.events
        .toReversed()
        .slice(1),
  };
}

test('adds, updates and removes links, and records the previous state', async () => {
  const { add, put, remove, links, events } = await makeFeature('linked');

  const firstResponse = await add({ ...LINK, unknown: 1 });
  const secondResponse = await add({ url: 'http://example.com', title: '  ' });
  const changeResponse = await put(firstResponse.body.id.toUpperCase(), { url: 'https://example.com/43' });
  await put(firstResponse.body.id, { url: 'https://example.com/43', title: LINK.title });
  const untitled = await put(firstResponse.body.id, { url: 'https://example.com/43', title: null });
  const removal = await remove(secondResponse.body.id);

  expect(firstResponse).toMatchObject({ status: 201, body: LINK });
  expect(secondResponse).toMatchObject({ status: 201, body: { url: 'http://example.com', title: null } });
  expect(changeResponse.body).toEqual({ ...firstResponse.body, url: 'https://example.com/43' });
  expect(untitled.body).toEqual({ ...changeResponse.body, title: null });
  expect(removal.status).toBe(200);
  expect(await links()).toEqual([untitled.body]);
  const recordedEvents = await events();
  expect(recordedEvents.map(({ type }: { type: string }) => type)).toEqual([
    'feature-link-added',
    'feature-link-added',
    'feature-link-updated',
    'feature-link-updated',
    'feature-link-removed',
  ]);
  expect(recordedEvents[0]).toMatchObject({ project: 'default', data: firstResponse.body, preData: null });
  expect([recordedEvents[2].data, recordedEvents[2].preData]).toEqual([
    changeResponse.body,
    firstResponse.body,
  ]);
  expect([recordedEvents[4].data, recordedEvents[4].preData]).toEqual([null, secondResponse.body]);
});

test.each([
  ['a missing URL', {}],
  ['an empty URL', { url: '' }],
  ['a javascript: URL', { url: 'javascript:alert(1)' }],
  ['a javascript: URL followed by an https URL', { url: 'javascript:alert(1)//\nhttps://example.com' }],
  ['a file: URL', { url: 'file:///etc/passwd' }],
  ['a URL without a host', { url: 'https://' }],
  ['a URL with a port that is not a number', { url: 'https://example.com:port' }],
  ['a URL with a space', { url: 'https://example.com/a b' }],
  ['a URL with a leading space', { url: ' https://example.com' }],
  ['a URL with a password', { url: 'https://me:secret@example.com' }],
  ['a URL with 2,001 characters', { url: `https://example.com/${'x'.repeat(1_981)}` }],
])('rejects %s', async (_case, body) => {
  const { add, events } = await makeFeature('strict');

  const response = await add(body);

  expect(response).toMatchObject({
    status: 400,
    body: { name: 'BadDataError', details: [{ path: '/body/url' }] },
  });
  expect(await events()).toEqual([]);
});

test('returns 404 for a missing link and for a link of a different feature', async () => {
  const otherLink = (await (await makeFeature('other')).add()).body.id;
  const { put, remove } = await makeFeature('mine');

  for (const id of [otherLink, randomUUID()]) {
    expect((await put(id, LINK)).status).toBe(404);
    expect((await remove(id)).status).toBe(404);
  }
  expect((await remove('no-uuid')).status).toBe(400);
});

test('the links of an archived feature cannot be changed', async () => {
  const { featurePath, add, put, remove } = await makeFeature('shelved');
  const { id } = (await add()).body;
  await call(harness.app, 'DELETE', featurePath);

  for (const response of [await add(), await put(id, { url: 'https://example.com' }), await remove(id)])
    expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
});

test('a Viewer can read links, and cannot add, change or remove them', async () => {
  const { featurePath, add, links, events } = await makeFeature('looked-at');
  const link = (await add()).body;
  const { token } = await makeUser(harness.db, 'Viewer');
  const linkPath = `${featurePath}/link/${link.id}`;

  const reading = await call(harness.app, 'GET', featurePath, { token });
  const rejections = [
    await call(harness.app, 'POST', `${featurePath}/link`, { token, body: LINK }),
    await call(harness.app, 'PUT', linkPath, { token, body: { url: 'https://example.com/43' } }),
    await call(harness.app, 'DELETE', linkPath, { token }),
  ];

  expect(reading).toMatchObject({ status: 200, body: { links: [link] } });
  expect(rejections.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect(await links()).toEqual([link]);
  expect(await events()).toMatchObject([{ type: 'feature-link-added' }]);
});

test('enforces the link limit for concurrent requests', async () => {
  const { add, links } = await makeFeature('crowded');
  for (let number = 0; number < 9; number++) await add();
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'crowded' for update`.execute(blocker);

  const pendingRequest = add();
  await waitForLockWaiters(harness.db);
  await sql`insert into feature_links (feature_name, url) values ('crowded', 'https://example.com')`.execute(
    blocker,
  );
  await blocker.commit().execute();

  expect(await pendingRequest).toMatchObject({ status: 400, body: { name: 'ExceedsLimitError' } });
  expect(await links()).toHaveLength(10);
});
