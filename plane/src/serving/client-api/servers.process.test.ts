import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyDatabase, discardDatabase, urlOf } from '../../../../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess } from '../../../../server/src/test/process.ts';
import { startSdk, TRANSPORTS, type Transport } from '../../../../server/src/test/sdk-client.ts';

const ADMIN = '*:*.an-operator-chose-this-secret-0123456789';
const name = `halyard_sdk_${randomBytes(4).toString('hex')}`;
const env = { DATABASE_URL: urlOf(name), HALYARD_INIT_ADMIN_TOKENS: ADMIN };
const FEATURES = '/api/admin/projects/default/features';
let token: string;
let old: RunningServer;

beforeAll(async () => {
  await copyDatabase(inject('template'), name);
  old = await startProcess(env);
  const body = { tokenName: 'sdk', type: 'backend', environment: 'production' };
  const created = (await admin('POST', '/api/admin/api-tokens', body)) as { secret: string };
  token = created.secret;
});
afterAll(async () => {
  await stopProcess(old);
  await discardDatabase(name);
});

async function admin(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${old.url}${path}`, {
    method,
    headers: { authorization: ADMIN, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
  return await response.json().catch(() => undefined);
}

const create = async (flag: string) => await admin('POST', FEATURES, { name: flag, type: 'release' });
const enable = async (flag: string) => await admin('POST', `${FEATURES}/${flag}/environments/production/on`);

/** The response as sent over the network, without decompression. */
async function read(server: RunningServer, path = '/api/client/features', etag?: string) {
  const request = get(`${server.url}${path}`, {
    headers: {
      authorization: token,
      'accept-encoding': 'gzip',
      'unleash-client-spec': '5.2.0',
      ...(etag ? { 'if-none-match': etag } : {}),
    },
  });
  const [response] = await once(request, 'response');
  const body: Buffer = await buffer(response);
  const { statusCode: status, headers } = response;
  return { status: status as number, etag: String(headers.etag), body: body.toString('base64') };
}

test('a server that starts now gives the same ETag and the same bytes as one that saw every change', async () => {
  await read(old);
  for (let number = 0; number < 20; number++) {
    await create(`flag-${number}`);
    if (number % 2 === 0) await enable(`flag-${number}`);
  }
  await admin('DELETE', `${FEATURES}/flag-3`);
  await expect.poll(async () => await read(old)).toMatchObject({ status: 200 });

  const fresh = await startProcess(env);

  for (const path of ['/api/client/features', '/api/client/delta']) {
    await expect.poll(async () => await read(old, path)).toEqual(await read(fresh, path));
    const { etag } = await read(fresh, path);
    expect((await read(old, path, etag)).status).toBe(304);
  }
  await stopProcess(fresh);
});

test('SDKs read without a failure while the database is down, and see the first change after its return', async () => {
  await create('late');
  const other = await startProcess(env);
  const sdks = await Promise.all(
    [old, other].flatMap(({ url }) =>
      (Object.keys(TRANSPORTS) as Transport[]).map(transport => startSdk(url, token, transport)),
    ),
  );
  const { etag } = await read(other);
  const database = new pg.Client({ connectionString: urlOf('postgres') });
  await database.connect();

  await database.query(`alter database ${name} allow_connections false`);
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
  );
  const isDatabaseGone = async () => (await (await fetch(`${other.url}/ready`)).json()) as unknown;
  await expect.poll(isDatabaseGone).toEqual({ health: 'GOOD', database: 'BAD', writes: 'BAD' });
  const statuses = new Set<number>();
  for (let round = 0; round < 200; round++) {
    statuses.add((await read(other)).status);
    statuses.add((await read(old, '/api/client/features', etag)).status);
  }
  expect([...statuses].toSorted()).toEqual([200, 304]);
  expect(sdks.map(sdk => sdk.isEnabled('late'))).toEqual(sdks.map(() => false));

  await database.query(`alter database ${name} allow_connections true`);
  await database.end();
  await expect
    .poll(
      async () =>
        (await fetch(`${old.url}/api/admin/projects`, { headers: { authorization: ADMIN } })).status,
    )
    .toBe(200);
  await enable('late');
  await expect.poll(() => sdks.map(sdk => sdk.isEnabled('late'))).toEqual(sdks.map(() => true));
  for (const sdk of sdks) sdk.destroy();
  await stopProcess(other);
});
