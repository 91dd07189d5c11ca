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

const MANY = 4_001;

const eventsOf = async (project: string): Promise<object[]> =>
  (await sql<object>`select id from events where project = ${project}`.execute(harness.db)).rows;

const written = async () => {
  const { rows } = await sql<{ number: number; groupId: string }>`
    select (data ->> 'number')::integer as number, group_id as "groupId" from events
    where type = 'tag-created' order by id`.execute(harness.db);
  return rows;
};

test('a change of thousands of events writes them a part at a time, in order and under one group', async () => {
  const before = harness.statements.length;

  await change(harness.db, SYSTEM, async ({ record }) => {
    for (let number = 0; number < MANY; number++) record({ type: 'tag-created', data: { number } });
  });

  const inserts = harness.statements.slice(before).filter(text => text.includes('insert into events'));
  expect(inserts).toHaveLength(3);
  const rows = await written();
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: MANY }, (_, number) => number));
  expect(new Set(rows.map(({ groupId }) => groupId)).size).toBe(1);
});

test('if a later part fails, no part is written', async () => {
  const before = (await written()).length;

  const failing = change(harness.db, SYSTEM, async ({ record }) => {
    for (let number = 0; number < MANY; number++) record({ type: 'tag-created', data: { number } });
    // PostgreSQL stores no NUL.
    record({ type: 'tag-created', data: { number: MANY, text: '\0' } });
  });

  await expect(failing).rejects.toThrow();
  expect(await written()).toHaveLength(before);
});

/** Counts the notifications of new deliveries. */
async function listen(): Promise<{ client: pg.Client; count: () => number }> {
  const client = new pg.Client({ connectionString: harness.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  let notifications = 0;
  client.on('notification', () => notifications++);
  await client.query(`listen ${WAKE_CHANNEL}`);
  return { client, count: () => notifications };
}

test('a change with deliveries notifies after its commit rather than within it, where it would make others wait', async () => {
  await sql`
    insert into integrations (provider, events, parameters)
    values ('webhook', '{tag-type-created}', '{"url": "http://127.0.0.1:1/"}')`.execute(harness.db);
  const { client, count } = await listen();
  const before = harness.statements.length;
  const notified = once(client, 'notification');

  await change(harness.db, SYSTEM, async ({ record }) => record({ type: 'tag-type-created', data: {} }));
  await notified;
  expect(harness.statements.slice(before).filter(text => text.includes('pg_notify'))).toEqual([]);

  const failing = change(harness.db, SYSTEM, async ({ record }) => {
    record({ type: 'tag-type-created', data: {} });
    record({ type: 'tag-type-created', data: { text: '\0' } });
  });
  await expect(failing).rejects.toThrow();
  await change(harness.db, SYSTEM, async ({ record }) => record({ type: 'tag-created', data: {} }));
  // Notifications about these would have arrived before the one about the next change.
  await change(harness.db, SYSTEM, async ({ record }) => record({ type: 'tag-type-created', data: {} }));
  await expect.poll(count).toBe(2);
});

test('respond sees what the events wrote, before the commit', async () => {
  const outside = async () => (await eventsOf('respond-before-commit')).length;
  const seen = await change(
    harness.db,
    SYSTEM,
    async ({ record }) => {
      record({ type: 'project-updated', project: 'respond-before-commit' });
      return 'result';
    },
    async (tx, result) => {
      const { rows } = await sql`select from events where project = 'respond-before-commit'`.execute(tx);
      return { result, inside: rows.length, outside: await outside() };
    },
  );

  expect(seen).toEqual({ result: 'result', inside: 1, outside: 0 });
  expect(await outside()).toBe(1);
});

test('a response that cannot be read leaves no change behind', async () => {
  const failing = change(
    harness.db,
    SYSTEM,
    async ({ record }) => record({ type: 'project-updated', project: 'respond-fails' }),
    async () => {
      throw new Error('cannot read');
    },
  );

  await expect(failing).rejects.toThrow('cannot read');
  expect(await eventsOf('respond-fails')).toEqual([]);
});

test('no operation that shows a feature reads it after the commit', async () => {
  const here = '/api/admin/projects/default/features';
  const ask = (method: 'POST' | 'PUT' | 'PATCH', url: string, body: unknown) => async () =>
    await call(harness.app, method, url, { body });
  const created = await call(harness.app, 'POST', here, { body: { name: 'read-source' } });
  const operations = {
    create: ask('POST', here, { name: 'read-new' }),
    update: ask('PUT', `${here}/read-source`, { description: 'new' }),
    patch: ask('PATCH', `${here}/read-source`, [{ op: 'replace', path: '/description', value: 'newer' }]),
    tags: ask('PUT', '/api/admin/features/read-source/tags', {
      addedTags: [{ type: 'simple', value: 'read' }],
      removedTags: [],
    }),
    clone: ask('POST', `${here}/read-source/clone`, { name: 'read-copy' }),
    copy: ask('POST', `${here}/read-source/environments/production/copy`, { from: 'development' }),
  };
  expect(created.status).toBe(201);

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

  const [created, ...together] = await featureEvents('composed-old', 'composed-new');
  expect(together).toEqual([
    { type: 'feature-archived', feature: 'composed-old', groupId: expect.any(String) },
    { type: 'feature-created', feature: 'composed-new', groupId: together[0]?.groupId },
  ]);
  expect(created?.groupId).not.toBe(together[0]?.groupId);
});

test('a rejected second operation undoes the first', async () => {
  for (const name of ['rejected-old', 'rejected-taken']) await makeFeature(harness.db, 'default', { name });

  await expect(replaceFeature('rejected-old', 'rejected-taken')).rejects.toThrow();

  const events = await featureEvents('rejected-old');
  expect(events.map(({ type }) => type)).toEqual(['feature-created']);
  const { body } = await call(harness.app, 'GET', '/api/admin/projects/default/features/rejected-old');
  expect(body).toMatchObject({ archived: false, lifecycle: { stage: 'initial' } });
});
