import { once } from 'node:events';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { WAKE_CHANNEL } from '../delivery/outbox.ts';
import { archiveFeatures } from '../flags/features/archive.ts';
import { createFeature } from '../flags/features/create.ts';
import { SYSTEM } from '../platform/actor.ts';
import { makeFeature } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';
import { change } from './change.ts';

const harness = useHarness();

const MANY_EVENTS = 4_001;

const listEvents = async (project: string): Promise<object[]> =>
  (await sql<object>`select id from events where project = ${project}`.execute(harness.db)).rows;

const readNumberedEvents = async () => {
  const { rows } = await sql<{ number: number; groupId: string }>`
    select (data ->> 'number')::integer as number, group_id as "groupId" from events
    where type = 'tag-created' order by id`.execute(harness.db);
  return rows;
};

test('a change with thousands of events writes them in batches, in order and in one group', async () => {
  const before = harness.statements.length;

  await change(harness.db, SYSTEM, async ({ record }) => {
    for (let number = 0; number < MANY_EVENTS; number++) record({ type: 'tag-created', data: { number } });
  });

  const inserts = harness.statements.slice(before).filter(text => text.includes('insert into events'));
  expect(inserts).toHaveLength(3);
  const rows = await readNumberedEvents();
  expect(rows.map(({ number }) => number)).toEqual(
    Array.from({ length: MANY_EVENTS }, (_, number) => number),
  );
  expect(new Set(rows.map(({ groupId }) => groupId)).size).toBe(1);
});

test('if a later batch fails, no event is written', async () => {
  const before = (await readNumberedEvents()).length;

  const failingChange = change(harness.db, SYSTEM, async ({ record }) => {
    for (let number = 0; number < MANY_EVENTS; number++) record({ type: 'tag-created', data: { number } });
    // PostgreSQL cannot store NUL.
    record({ type: 'tag-created', data: { number: MANY_EVENTS, text: '\0' } });
  });

  await expect(failingChange).rejects.toThrow();
  expect(await readNumberedEvents()).toHaveLength(before);
});

/** Starts counting the notifications about new deliveries. */
async function countNotifications(): Promise<{ client: pg.Client; count: () => number }> {
  const client = new pg.Client({ connectionString: harness.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  let notificationCount = 0;
  client.on('notification', () => notificationCount++);
  await client.query(`listen ${WAKE_CHANNEL}`);
  return { client, count: () => notificationCount };
}

test('a change with deliveries sends its notification only after the commit', async () => {
  await sql`
    insert into integrations (provider, events, parameters)
    values ('webhook', '{tag-type-created}', '{"url": "http://127.0.0.1:1/"}')`.execute(harness.db);
  const { client, count } = await countNotifications();
  const before = harness.statements.length;
  const notification = once(client, 'notification');

  await change(harness.db, SYSTEM, async ({ record }) => record({ type: 'tag-type-created', data: {} }));
  await notification;
  expect(harness.statements.slice(before).filter(text => text.includes('pg_notify'))).toEqual([]);

  const failingChange = change(harness.db, SYSTEM, async ({ record }) => {
    record({ type: 'tag-type-created', data: {} });
    record({ type: 'tag-type-created', data: { text: '\0' } });
  });
  await expect(failingChange).rejects.toThrow();
  await change(harness.db, SYSTEM, async ({ record }) => record({ type: 'tag-created', data: {} }));
  // Any notification from the last two changes would have arrived before the one from the next change.
  await change(harness.db, SYSTEM, async ({ record }) => record({ type: 'tag-type-created', data: {} }));
  await expect.poll(count).toBe(2);
});

test('`respond` sees what the events wrote, before the commit', async () => {
  const countOutside = async () => (await listEvents('respond-before-commit')).length;
  const response = await change(
    harness.db,
    SYSTEM,
    async ({ record }) => {
      record({ type: 'project-updated', project: 'respond-before-commit' });
      return 'result';
    },
    async (tx, result) => {
      const { rows } = await sql`select from events where project = 'respond-before-commit'`.execute(tx);
      return { result, inside: rows.length, outside: await countOutside() };
    },
  );

  expect(response).toEqual({ result: 'result', inside: 1, outside: 0 });
  expect(await countOutside()).toBe(1);
});

test('a change whose response cannot be read is rolled back', async () => {
  const failingChange = change(
    harness.db,
    SYSTEM,
    async ({ record }) => record({ type: 'project-updated', project: 'respond-fails' }),
    async () => {
      throw new Error('cannot read');
    },
  );

  await expect(failingChange).rejects.toThrow('cannot read');
  expect(await listEvents('respond-fails')).toEqual([]);
});

test('no operation that returns a feature reads it after the commit', async () => {
  const featuresUrl = '/api/admin/projects/default/features';
  const makeRequest = (method: 'POST' | 'PUT' | 'PATCH', url: string, body: unknown) => async () =>
    await call(harness.app, method, url, { body });
  const creation = await call(harness.app, 'POST', featuresUrl, { body: { name: 'read-source' } });
  const operations = {
    create: makeRequest('POST', featuresUrl, { name: 'read-new' }),
    update: makeRequest('PUT', `${featuresUrl}/read-source`, { description: 'new' }),
    patch: makeRequest('PATCH', `${featuresUrl}/read-source`, [
      { op: 'replace', path: '/description', value: 'newer' },
    ]),
    tags: makeRequest('PUT', '/api/admin/features/read-source/tags', {
      addedTags: [{ type: 'simple', value: 'read' }],
      removedTags: [],
    }),
    clone: makeRequest('POST', `${featuresUrl}/read-source/clone`, { name: 'read-copy' }),
    copy: makeRequest('POST', `${featuresUrl}/read-source/environments/production/copy`, {
      from: 'development',
    }),
  };
  expect(creation.status).toBe(201);

  for (const [name, operation] of Object.entries(operations)) {
    const before = harness.statements.length;
    expect([name, (await operation()).status]).toEqual([name, name === 'create' ? 201 : 200]);
    const statements = harness.statements.slice(before);
    expect([name, statements.slice(statements.indexOf('commit') + 1)]).toEqual([name, []]);
  }
});

const featureEvents = async (...names: string[]) => {
  const { rows } = await sql<{ type: string; feature: string; groupId: string }>`
    select type, feature_name as feature, group_id as "groupId" from events
    where feature_name = any(${names}) order by id`.execute(harness.db);
  return rows;
};
const replaceFeature = (old: string, name: string) =>
  change(harness.db, SYSTEM, async current => {
    await archiveFeatures(current, 'default', [old]);
    await createFeature(current, 'default', { name });
  });

test('two operations form one change, and their events share one groupId', async () => {
  await makeFeature(harness.db, 'default', { name: 'composed-old' });

  await replaceFeature('composed-old', 'composed-new');

  const [creation, ...replacementEvents] = await featureEvents('composed-old', 'composed-new');
  expect(replacementEvents).toEqual([
    { type: 'feature-archived', feature: 'composed-old', groupId: expect.any(String) },
    { type: 'feature-created', feature: 'composed-new', groupId: replacementEvents[0]?.groupId },
  ]);
  expect(creation?.groupId).not.toBe(replacementEvents[0]?.groupId);
});

test('a change whose second operation is rejected is rolled back', async () => {
  for (const name of ['rejected-old', 'rejected-taken']) await makeFeature(harness.db, 'default', { name });

  await expect(replaceFeature('rejected-old', 'rejected-taken')).rejects.toThrow();

  const events = await featureEvents('rejected-old');
  expect(events.map(({ type }) => type)).toEqual(['feature-created']);
  const { body } = await call(harness.app, 'GET', '/api/admin/projects/default/features/rejected-old');
  expect(body).toMatchObject({ archived: false, lifecycle: { stage: 'initial' } });
});
