import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { change } from '../../record/change.ts';
import { useDeliveries } from '../../test/deliveries.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness, { disableAfterHours: 120 });

beforeEach(async () => {
  await sql`update integrations set enabled = false`.execute(harness.db);
  deliveries.receiver.received.length = 0;
  deliveries.receiver.respondWith(200);
});

const add = async (provider: string, parameters: object, fields: object = {}) => {
  const { status, body } = await call(harness.app, 'POST', '/api/admin/addons', {
    body: { provider, enabled: true, events: ['feature-created'], ...fields, parameters },
  });
  expect({ status, details: body.details }).toEqual({ status: 201, details: undefined });
  return body.id as number;
};

const createFeature = (description: string) =>
  change(harness.db, SYSTEM, async ({ record }) =>
    record({ type: 'feature-created', project: 'default', featureName: 'f', data: { description } }),
  );

const listAttempts = async (integration: number, record: unknown) =>
  (await call(harness.app, 'GET', `/api/admin/addons/${integration}/events/${record}`)).body.attemptList;

test('truncates a username between two characters, so that the event is delivered once and can be stored', async () => {
  const id = await add('discord', {
    url: `${deliveries.receiver.url}/d`,
    username: `${'x'.repeat(78)}😀${'y'.repeat(20)}`,
  });

  await createFeature('plain');

  const [record] = await deliveries.waitUntilSettled(id);
  expect(record).toMatchObject({ state: 'success', attempts: 1 });
  expect(deliveries.receiver.received).toHaveLength(1);
  expect(JSON.parse(deliveries.receiver.received[0]?.body ?? '').username.isWellFormed()).toBe(true);
});

test.each([
  ['an unordered', false],
  ['an ordered', true],
])('stores the outcome of %s delivery whose body contains escaped surrogates and NUL', async (_, ordered) => {
  const id = await add(
    'webhook',
    {
      url: `${deliveries.receiver.url}/t`,
      bodyTemplate: '{"text":"{{{event.data.description}}}","{{{event.data.description}}}":1}',
    },
    { ordered },
  );

  await createFeature('half \\ud800 and \\u0000');
  await createFeature('plain');

  const records = await deliveries.waitUntilSettled(id);
  expect(records.map(({ state, attempts }) => [state, attempts])).toEqual([
    ['success', 1],
    ['success', 1],
  ]);
  expect(records[1]?.details).toMatchObject({ body: { text: 'half \ufffd and ', 'half \ufffd and ': 1 } });
  expect(deliveries.receiver.received).toHaveLength(2);
});

test('stores an outcome with a deeply nested body', async () => {
  const id = await add('webhook', {
    url: `${deliveries.receiver.url}/t`,
    bodyTemplate: `${'['.repeat(4_900)}${']'.repeat(4_900)}`,
  });

  await createFeature('plain');

  expect(await deliveries.waitUntilSettled(id)).toMatchObject([{ state: 'success', attempts: 1 }]);
  expect(deliveries.receiver.received).toHaveLength(1);
});

test('stores a minimal outcome when the database rejects the full outcome', async () => {
  await sql`alter table integration_deliveries add constraint planted check (details = '{}') not valid`.execute(
    harness.db,
  );
  const id = await add('webhook', { url: `${deliveries.receiver.url}/t` });
  try {
    await createFeature('one');
    await createFeature('two');

    const records = await deliveries.waitUntilSettled(id);
    expect(records.map(({ state, attempts }) => [state, attempts])).toEqual([
      ['success', 1],
      ['success', 1],
    ]);
    expect(records[0]?.stateDetails).toContain('could not be stored');
    expect(await listAttempts(id, records[0]?.id)).toMatchObject([
      { outcome: 'success', status: 200, error: null },
    ]);
    expect(deliveries.receiver.received).toHaveLength(2);
  } finally {
    await sql`alter table integration_deliveries drop constraint planted`.execute(harness.db);
  }
});

test('retries a failed attempt whose outcome was stored in minimal form', async () => {
  await sql`alter table integration_attempts add constraint planted check (error is null) not valid`.execute(
    harness.db,
  );
  let requestCount = 0;
  deliveries.receiver.respondWith((_, response) => response.writeHead(++requestCount < 2 ? 503 : 200).end());
  const id = await add('webhook', { url: `${deliveries.receiver.url}/t` });
  try {
    await createFeature('one');

    expect(await deliveries.waitUntilSettled(id)).toMatchObject([{ state: 'success', attempts: 2 }]);
    expect(deliveries.receiver.received).toHaveLength(2);
  } finally {
    await sql`alter table integration_attempts drop constraint planted`.execute(harness.db);
  }
});

test('counts each failed attempt once while the integration cannot be disabled, and disables the integration later', async () => {
  const id = await add('webhook', { url: `${deliveries.receiver.url}/t` });
  await sql`update integrations set failing_since = now() - interval '6 days', failed_attempts = 20 where id = ${id}`.execute(
    harness.db,
  );
  await sql`
    create function planted() returns trigger language plpgsql as
      $$ begin raise 'planted' using errcode = 'lock_not_available'; end $$`.execute(harness.db);
  await sql`
    create trigger planted before insert on events for each row when (new.type = 'integration-disabled')
      execute function planted()`.execute(harness.db);
  deliveries.receiver.respondWith(500);
  const readState = async () =>
    (
      await sql<{ enabled: boolean; failed: number; attempts: number }>`
        select enabled, failed_attempts as failed, (
          select sum(attempts)::integer from integration_deliveries where integration_id = integrations.id) as attempts
        from integrations where id = ${id}`.execute(harness.db)
    ).rows[0];

  await createFeature('one');
  await deliveries.waitUntilSettled(id);
  // By the time the next delivery is attempted, disabling has failed at least once.
  await createFeature('two');
  await deliveries.waitUntilSettled(id);
  const stateDuring = await readState();
  // Dropping the trigger would lock the events table, and could deadlock with a worker that writes an event.
  await sql`
    create or replace function planted() returns trigger language plpgsql as
      $$ begin return new; end $$`.execute(harness.db);

  expect(stateDuring).toEqual({ enabled: true, failed: 26, attempts: 6 });
  await expect.poll(readState).toEqual({ enabled: false, failed: 26, attempts: 6 });
});
