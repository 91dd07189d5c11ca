import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyDatabase, discardDatabase, getDatabaseUrl } from '../../../../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess } from '../../../../server/src/test/process.ts';
import { startSdk, TRANSPORTS, type Transport } from '../../../../server/src/test/sdk-client.ts';

const ADMIN = '*:*.an-operator-chose-this-secret-0123456789';
const name = `halyard_sdk_${randomBytes(4).toString('hex')}`;
const env = { DATABASE_URL: getDatabaseUrl(name), HALYARD_INIT_ADMIN_TOKENS: ADMIN };
const FEATURES = '/api/admin/projects/default/features';
let token: string;
let firstServer: RunningServer;

beforeAll(async () => {
  await copyDatabase(inject('template'), name);
  firstServer = await startProcess(env);
  const body = { tokenName: 'sdk', type: 'backend', environment: 'production' };
  const created = (await admin('POST', '/api/admin/api-tokens', body)) as { secret: string };
  token = created.secret;
});
afterAll(async () => {
  await stopProcess(firstServer);
  await discardDatabase(name);
});

async function admin(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${firstServer.url}${path}`, {
    method,
    headers: { authorization: ADMIN, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
  return await response.json().catch(() => undefined);
}

const create = async (flag: string) => await admin('POST', FEATURES, { name: flag, type: 'release' });
const enable = async (flag: string) => await admin('POST', `${FEATURES}/${flag}/environments/production/on`);

/** Reads a response as it is sent over the network, without decompression. */
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

test('a freshly started server sends the same ETag and bytes as a server that saw every change', async () => {
  await read(firstServer);
  for (let number = 0; number < 20; number++) {
    await create(`flag-${number}`);
    if (number % 2 === 0) await enable(`flag-${number}`);
  }
  await admin('DELETE', `${FEATURES}/flag-3`);
  await expect.poll(async () => await read(firstServer)).toMatchObject({ status: 200 });

  const newServer = await startProcess(env);

  for (const path of ['/api/client/features', '/api/client/delta']) {
    await expect.poll(async () => await read(firstServer, path)).toEqual(await read(newServer, path));
    const { etag } = await read(newServer, path);
    expect((await read(firstServer, path, etag)).status).toBe(304);
  }
  await stopProcess(newServer);
});

test('SDKs read without errors while the database is down, and see the first change once the database is back', async () => {
  await create('late');
  const other = await startProcess(env);
  const sdks = await Promise.all(
    [firstServer, other].flatMap(({ url }) =>
      (Object.keys(TRANSPORTS) as Transport[]).map(transport => startSdk(url, token, transport)),
    ),
  );
  const { etag } = await read(other);
  const database = new pg.Client({ connectionString: getDatabaseUrl('postgres') });
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
    statuses.add((await read(firstServer, '/api/client/features', etag)).status);
  }
  expect([...statuses].toSorted()).toEqual([200, 304]);
  expect(sdks.map(sdk => sdk.isEnabled('late'))).toEqual(sdks.map(() => false));

  await database.query(`alter database ${name} allow_connections true`);
  await database.end();
  await expect
    .poll(
      async () =>
        (await fetch(`${firstServer.url}/api/admin/projects`, { headers: { authorization: ADMIN } })).status,
    )
    .toBe(200);
  await enable('late');
  await expect.poll(() => sdks.map(sdk => sdk.isEnabled('late'))).toEqual(sdks.map(() => true));
  for (const sdk of sdks) sdk.destroy();
  await stopProcess(other);
});
