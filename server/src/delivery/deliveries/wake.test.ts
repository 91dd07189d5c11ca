import { once } from 'node:events';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { change } from '../../record/change.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { WAKE_CHANNEL } from '../outbox.ts';

const harness = useHarness();

async function listen(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: harness.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`listen ${WAKE_CHANNEL}`);
  return client;
}

/** Creates an ordered integration that is blocked by an exhausted delivery. */
async function makeBlockedIntegration(): Promise<{ id: number; record: number }> {
  await sql`update integrations set enabled = false`.execute(harness.db);
  const { rows } = await sql<{ id: number }>`
    insert into integrations (provider, events, parameters, ordered)
    values ('webhook', '{tag-created}', '{"url": "http://127.0.0.1:1/"}', true) returning id`.execute(
    harness.db,
  );
  const id = rows[0]?.id ?? 0;
  await change(harness.db, SYSTEM, async ({ record }) => record({ type: 'tag-created', data: {} }));
  const { rows: failed } = await sql<{ record: number }>`
    update integration_deliveries set state = 'failed', holds = true where integration_id = ${id}
    returning id as record`.execute(harness.db);
  return { id, record: failed[0]?.record ?? 0 };
}

test.each([
  ['redelivering a record', 'events/:record/redeliver', undefined, 202],
  ['redelivering failed records', 'redeliver', { since: '2026-01-01T00:00:00Z' }, 202],
  ['a backfill', 'backfill', { from: '2020-01-01T00:00:00Z' }, 202],
  ['skipping a record', 'events/:record/skip', undefined, 200],
])('%s notifies after the commit, not in the transaction', async (_, path, body, status) => {
  const { id, record } = await makeBlockedIntegration();
  const client = await listen();
  const statementsBefore = harness.statements.length;
  const notification = once(client, 'notification');

  const response = await call(
    harness.app,
    'POST',
    `/api/admin/addons/${id}/${path.replace(':record', String(record))}`,
    body && { body },
  );

  expect(response.status).toBe(status);
  await notification;
  expect(harness.statements.slice(statementsBefore).filter(text => text.includes('pg_notify'))).toEqual([]);
});
