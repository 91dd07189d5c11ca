import { readFileSync } from 'node:fs';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { removeExpiredKeys } from './expire.ts';

const harness = useHarness();
const FEATURES = '/api/admin/projects/default/features';

type SendOptions = {
  key?: string;
  token?: string;
  app?: App;
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
};

async function send(
  url: string,
  body: object | undefined,
  { key, token, app, method, headers }: SendOptions = {},
) {
  const response = await (app ?? harness.app).inject({
    method: method ?? 'POST',
    url,
    headers: {
      authorization: token ?? ADMIN_TOKEN,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return {
    status: response.statusCode,
    body: response.body === '' ? '' : response.json(),
    headers: response.headers,
  };
}

const countEvents = async (feature: string): Promise<number> =>
  (await sql`select from events where feature_name = ${feature}`.execute(harness.db)).rows.length;
const listKeys = async () =>
  (
    await sql<{ settled: boolean; status: number | null; body: string | null }>`
      select settled_at is not null as settled, status, body from idempotency_keys order by claimed_at`.execute(
      harness.db,
    )
  ).rows;
const ageKeysBy = (interval: string) =>
  sql`update idempotency_keys set claimed_at = claimed_at - ${interval}::interval`.execute(harness.db);

/** Locks the default project, so that creating a feature in it waits. Returns the transaction that holds the lock. */
async function lockDefaultProject() {
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from projects where id = 'default' for update`.execute(blocker);
  return blocker;
}

test('a retry returns the first response and changes nothing', async () => {
  const first = await send(FEATURES, { name: 'once' }, { key: 'a' });
  const second = await send(FEATURES, { name: 'once' }, { key: 'a' });

  expect(first.status).toBe(201);
  expect(first.headers['idempotent-replayed']).toBeUndefined();
  expect(second.status).toBe(201);
  expect(second.body).toEqual(first.body);
  expect(second.headers['idempotent-replayed']).toBe('true');
  expect(second.headers['content-type']).toBe(first.headers['content-type']);
  expect(await countEvents('once')).toBe(1);
});

test('replays a clone, even on a different server', async () => {
  await send(FEATURES, { name: 'origin' });
  const app = await harness.secondServer();

  const first = await send(`${FEATURES}/origin/clone`, { name: 'cloned' }, { key: 'b' });
  const second = await send(`${FEATURES}/origin/clone`, { name: 'cloned' }, { key: 'b', app });

  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.body).toEqual(first.body);
  expect(await countEvents('cloned')).toBe(1);
});

test('replays a response without a body', async () => {
  await send(FEATURES, { name: 'archived' });
  const url = '/api/admin/projects/default/archive';

  const first = await send(url, { features: ['archived'] }, { key: 'c' });
  const second = await send(url, { features: ['archived'] }, { key: 'c' });

  expect([first.status, second.status]).toEqual([202, 202]);
  expect(second.body).toBe('');
  expect(second.headers['idempotent-replayed']).toBe('true');
});

test('replays an error response, even if a new request would get a different one', async () => {
  await send(FEATURES, { name: 'in-the-way' });
  const first = await send(FEATURES, { name: 'in-the-way' }, { key: 'd' });
  await sql`delete from features where name = 'in-the-way'`.execute(harness.db);
  const second = await send(FEATURES, { name: 'in-the-way' }, { key: 'd' });

  expect(first.status).toBe(409);
  expect(second.body).toEqual(first.body);
});

test.each([
  ['a different body', FEATURES, { name: 'other' }],
  ['a different URL', '/api/admin/projects', { name: 'mine' }],
  ['a different query', `${FEATURES}?x=1`, { name: 'mine' }],
])('rejects the same key with %s', async (difference, url, body) => {
  await send(FEATURES, { name: 'mine' }, { key: difference });

  const rejection = await send(url, body, { key: difference });

  expect(rejection).toMatchObject({ status: 422, body: { name: 'IdempotencyError' } });
});

test('keeps the keys of different callers separate', async () => {
  const { token } = await makeUser(harness.db, 'Editor');

  const adminResponse = await send(FEATURES, { name: 'of-admin' }, { key: 'e' });
  const editorResponse = await send(FEATURES, { name: 'of-editor' }, { key: 'e', token });

  expect([adminResponse.status, editorResponse.status]).toEqual([201, 201]);
});

test('rejects a replay after the caller loses the permission', async () => {
  const { token, id } = await makeUser(harness.db, 'Editor');
  await send(FEATURES, { name: 'was-allowed' }, { key: 'f', token });
  await sql`update user_roles set role_id = 3 where user_id = ${id}`.execute(harness.db);

  expect((await send(FEATURES, { name: 'was-allowed' }, { key: 'f', token })).status).toBe(403);
});

test('stores nothing without a key', async () => {
  const keysBefore = (await listKeys()).length;
  await send(FEATURES, { name: 'plain' });

  const { status } = await send(`${FEATURES}/plain`, { description: 'x' }, { method: 'PUT' });

  expect(status).toBe(200);
  expect(await listKeys()).toHaveLength(keysBefore);
});

test('a retried PUT with If-Match does not conflict with itself', async () => {
  await send(FEATURES, { name: 'conditional' });
  const url = `${FEATURES}/conditional`;
  const read = await harness.app.inject({ url, headers: { authorization: ADMIN_TOKEN } });
  const save = { method: 'PUT', headers: { 'if-match': String(read.headers.etag) } } as const;

  const first = await send(url, { description: 'mine' }, { ...save, key: 'put' });
  const retry = await send(url, { description: 'mine' }, { ...save, key: 'put' });
  const otherResponse = await send(url, { description: 'other' }, { ...save, key: 'put-2' });

  expect([first.status, retry.status, otherResponse.status]).toEqual([200, 200, 412]);
  expect(retry.body).toEqual(first.body);
  expect(retry.headers['idempotent-replayed']).toBe('true');
  expect(await countEvents('conditional')).toBe(2);
});

test('replays a 412 response even if the ETag is current again', async () => {
  await send(FEATURES, { name: 'undone', description: 'a' });
  const url = `${FEATURES}/undone`;
  const read = await harness.app.inject({ url, headers: { authorization: ADMIN_TOKEN } });
  const save = { method: 'PUT', headers: { 'if-match': String(read.headers.etag) }, key: '412' } as const;
  await send(url, { description: 'b' }, { method: 'PUT' });
  const first = await send(url, { description: 'mine' }, save);
  await send(url, { description: 'a' }, { method: 'PUT' });

  const retry = await send(url, { description: 'mine' }, save);

  expect([first.status, retry.status]).toEqual([412, 412]);
});

test('a retried DELETE returns the first response instead of 404', async () => {
  await send('/api/admin/tag-types', { name: 'gone', icon: '' });
  const remove = (key: string) => send('/api/admin/tag-types/gone', undefined, { key, method: 'DELETE' });

  const [first, retry, differentKey] = [
    await remove('delete'),
    await remove('delete'),
    await remove('delete-2'),
  ];

  expect([first.status, retry.status, differentKey.status]).toEqual([200, 200, 404]);
});

test('a retried PATCH applies its operations once', async () => {
  await send(FEATURES, { name: 'patched' });
  const patch = () =>
    send(`${FEATURES}/patched`, [{ op: 'replace', path: '/description', value: 'x' }], {
      key: 'patch',
      method: 'PATCH',
    });

  const [first, retry] = [await patch(), await patch()];

  expect([first.status, retry.status]).toEqual([200, 200]);
  expect(await countEvents('patched')).toBe(2);
});

test('rejects a DELETE with the key of a PUT to the same path', async () => {
  await send(FEATURES, { name: 'two-methods' });
  const url = `${FEATURES}/two-methods`;
  await send(url, { description: 'x' }, { key: 'methods', method: 'PUT' });

  const keyRejection = await send(url, undefined, { key: 'methods', method: 'DELETE' });

  expect(keyRejection).toMatchObject({ status: 422, body: { name: 'IdempotencyError' } });
});

test('runs one of two simultaneous PUTs and rejects the other with a retryable 409', async () => {
  await send(FEATURES, { name: 'two-puts' });
  const url = `${FEATURES}/two-puts`;
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'two-puts' for update`.execute(blocker);
  const first = send(url, { description: 'x' }, { key: 'puts', method: 'PUT' });
  await waitForLockWaiters(harness.db);

  const second = await send(url, { description: 'x' }, { key: 'puts', method: 'PUT' });
  await blocker.rollback().execute();

  expect(second).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  expect(second.headers['retry-after']).toBe('1');
  expect((await first).status).toBe(200);
  expect((await send(url, { description: 'x' }, { key: 'puts', method: 'PUT' })).status).toBe(200);
  expect(await countEvents('two-puts')).toBe(2);
});

test.each(['', 'x'.repeat(256)])('rejects the key "%s"', async key => {
  const rejection = await send(FEATURES, { name: 'bad-key' }, { key });

  expect(rejection).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(rejection.body.details[0].path).toBe('/headers/idempotency-key');
});

test('a request that the schema rejects does not use up its key', async () => {
  const bad = await send(FEATURES, { name: 'not free' }, { key: 'h' });
  const good = await send(FEATURES, { name: 'free' }, { key: 'h' });

  expect([bad.status, good.status]).toEqual([400, 201]);
});

test('runs one of two simultaneous requests and immediately rejects the other with 409', async () => {
  const app = await harness.secondServer();
  const blocker = await lockDefaultProject();
  const first = send(FEATURES, { name: 'simultaneous' }, { key: 'i' });
  await waitForLockWaiters(harness.db);

  const second = await send(FEATURES, { name: 'simultaneous' }, { key: 'i', app });
  const otherResponse = await send(FEATURES, { name: 'simultaneous-2' }, { key: 'i', app });
  await blocker.rollback().execute();

  expect(second).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  expect(second.headers['retry-after']).toBe('1');
  expect(otherResponse.status).toBe(422);
  expect((await first).status).toBe(201);
  expect((await send(FEATURES, { name: 'simultaneous' }, { key: 'i', app })).status).toBe(201);
  expect(await countEvents('simultaneous')).toBe(1);
});

test('runs a retry one minute after the process died without committing', async () => {
  // Such a process leaves a claimed key but no change.
  const blocker = await lockDefaultProject();
  const dyingRequest = send(FEATURES, { name: 'died-early' }, { key: 'j' });
  await waitForLockWaiters(harness.db);
  const waitingBackends = await sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    harness.db,
  );
  const copy = await sql<{ key: Buffer; request: Buffer; run: string }>`
    select key_hash as key, request_hash as request, run from idempotency_keys
    where settled_at is null and status is null`.execute(harness.db);
  for (const { pid } of waitingBackends.rows)
    await sql`select pg_terminate_backend(${pid})`.execute(harness.db);
  expect((await dyingRequest).status).toBe(503);
  await blocker.rollback().execute();
  expect(copy.rows).toHaveLength(1);
  for (const { key, request, run } of copy.rows) {
    await sql`
      insert into idempotency_keys (key_hash, request_hash, run) values (${key}, ${request}, ${run}::uuid)`.execute(
      harness.db,
    );
  }

  const earlyRetry = await send(FEATURES, { name: 'died-early' }, { key: 'j' });
  await ageKeysBy('61 seconds');
  const lateRetry = await send(FEATURES, { name: 'died-early' }, { key: 'j' });

  expect([earlyRetry.status, lateRetry.status]).toEqual([409, 201]);
  expect(await countEvents('died-early')).toBe(1);
});

test('rejects a retry with 409 after the process died between commit and response', async () => {
  await send(FEATURES, { name: 'died-late' }, { key: 'k' });
  await sql`update idempotency_keys set status = null, body = null where body like '%died-late%'`.execute(
    harness.db,
  );
  await ageKeysBy('61 seconds');
  await sql`delete from features where name = 'died-late'`.execute(harness.db);

  const retryResponse = await send(FEATURES, { name: 'died-late' }, { key: 'k' });

  expect(retryResponse).toMatchObject({ status: 409, body: { name: 'AlreadyCarriedOutError' } });
  expect(await countEvents('died-late')).toBe(1);
});

test('rolls back a slow run whose key was taken over', async () => {
  const blocker = await lockDefaultProject();
  const slowRun = send(FEATURES, { name: 'slow' }, { key: 'l' });
  await waitForLockWaiters(harness.db);
  await ageKeysBy('61 seconds');
  const quickRun = send(FEATURES, { name: 'slow' }, { key: 'l' });
  await waitForLockWaiters(harness.db, 2);
  await blocker.rollback().execute();

  const statuses = [(await slowRun).status, (await quickRun).status];

  // No matter which request locks the project first, the request that lost the key is rolled back.
  expect(statuses).toEqual([409, 201]);
  expect(await countEvents('slow')).toBe(1);
});

test('a server error is not stored, so a retry runs the request again', async () => {
  await sql`alter table feature_lifecycles add constraint broken check (feature_name <> 'unlucky')`.execute(
    harness.db,
  );
  const first = await send(FEATURES, { name: 'unlucky' }, { key: 'm' });
  await sql`alter table feature_lifecycles drop constraint broken`.execute(harness.db);
  const second = await send(FEATURES, { name: 'unlucky' }, { key: 'm' });

  expect([first.status, second.status]).toEqual([500, 201]);
});

test('does not store a secret, so a retry returns 409 and creates no second token', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const personal = { description: 'mine', expiresAt };
  const sdk = { tokenName: 'sdk', type: 'client', environment: 'production' };

  const first = await send('/api/admin/user/tokens', personal, { key: 'n', token });
  const second = await send('/api/admin/user/tokens', personal, { key: 'n', token });
  const third = await send('/api/admin/api-tokens', sdk, { key: 'n' });
  const fourth = await send('/api/admin/api-tokens', sdk, { key: 'n' });

  expect([first, second, third, fourth].map(({ status }) => status)).toEqual([201, 409, 201, 409]);
  const storedText = JSON.stringify(await listKeys());
  expect(storedText).not.toContain(first.body.secret);
  expect(storedText).not.toContain(third.body.secret);
  const { rows } = await sql`select from api_tokens where name = 'sdk'`.execute(harness.db);
  expect(rows).toHaveLength(1);
});

type Schema = { properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[]; $ref?: string };

test('marks every write whose response can contain a secret', () => {
  const document = JSON.parse(readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8'));
  const listNames = (schema: Schema | undefined): string[] => {
    if (!schema) return [];
    const name = schema.$ref?.split('/').at(-1);
    return [
      ...(name === undefined ? [] : listNames(document.components.schemas[name])),
      ...Object.entries(schema.properties ?? {}).flatMap(([key, value]) => [key, ...listNames(value)]),
      ...listNames(schema.items),
      ...(schema.anyOf ?? []).flatMap(listNames),
    ];
  };
  type Operation = { responses: object; 'x-returns-secret'?: boolean; 'x-permission'?: unknown };
  const writes = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method, operation]) => method !== 'get' && operation['x-permission'] !== undefined)
      .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
  const secretWrites = writes.filter(({ operation }) =>
    Object.entries(operation.responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, response]) => listNames(response.content?.['application/json']?.schema))
      .some(name => name !== 'readsTokenSecrets' && /secret|password|^token$|link$/i.test(name)),
  );

  expect(secretWrites.map(({ name }) => name)).toContain('POST /api/admin/api-tokens');
  const unmarkedOperations = secretWrites
    .filter(({ operation }) => !operation['x-returns-secret'])
    .map(({ name }) => name);
  // These operations only look as if they returned a secret. Their responses contain a mask, part of the secret or no link.
  expect(unmarkedOperations.toSorted()).toEqual([
    'POST /api/admin/addons/{id}/off',
    'POST /api/admin/addons/{id}/on',
    'POST /api/admin/auth/oidc/settings',
    'POST /api/admin/user-admin/{id}/deactivate',
    'POST /api/admin/user-admin/{id}/reactivate',
    'PUT /api/admin/addons/{id}',
    'PUT /api/admin/api-tokens/{token}',
    'PUT /api/admin/invite-link/tokens/{token}',
    'PUT /api/admin/user-admin/{id}',
  ]);
});

test('a key can be reused after 24 hours, and the job removes expired keys', async () => {
  await send(FEATURES, { name: 'daily' }, { key: 'o' });
  await ageKeysBy('23 hours 59 minutes');
  const timelyRetry = await send(FEATURES, { name: 'daily' }, { key: 'o' });
  await ageKeysBy('2 minutes');
  const late = await send(FEATURES, { name: 'daily' }, { key: 'o' });
  await ageKeysBy('25 hours');

  expect(timelyRetry.status).toBe(201);
  expect(late).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  expect(await removeExpiredKeys(harness.db)).toBeGreaterThan(0);
  expect(await listKeys()).toEqual([]);
});

test('neither the key nor the content of a request can be read from the table', async () => {
  // Archiving has an empty response, so the stored response does not repeat the request's content.
  await send(FEATURES, { name: 'readable-feature' });
  await sql`delete from idempotency_keys`.execute(harness.db);
  const { token } = await makeUser(harness.db, 'Editor');
  const archive = (caller?: string) =>
    send(
      '/api/admin/projects/default/archive?readable-query',
      { features: ['readable-feature'] },
      { key: 'readable-key', ...(caller === undefined ? {} : { token: caller }) },
    );

  const statuses = [(await archive()).status, (await archive(token)).status];

  const { rows } = await sql<{ row: string; key: string; request: string }>`
    select idempotency_keys::text as row, key_hash::text as key, request_hash::text as request
    from idempotency_keys`.execute(harness.db);
  expect(statuses).toEqual([202, 202]);
  expect(rows).toHaveLength(2);
  for (const secret of ['readable-key', 'readable-feature', 'readable-query']) {
    // A binary column is shown in hexadecimal.
    for (const form of [secret, Buffer.from(secret).toString('hex')])
      expect(rows.filter(({ row }) => row.includes(form))).toEqual([]);
  }
  // The hashes differ between callers, so a reader cannot compare them with the hashes of guessed requests.
  expect(new Set(rows.map(({ key }) => key)).size).toBe(2);
  expect(new Set(rows.map(({ request }) => request)).size).toBe(2);
});
