import { hash } from 'node:crypto';
import { readSigned } from '@halyard/plane/feed/signed.ts';
import { decodeSnapshot } from '@halyard/plane/snapshot/format.ts';
import { deriveSigningKey } from '@halyard/plane/snapshot/keys.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeApiToken, makeFeature, makeProject, makeUser } from '../test/factories.ts';
import { ADMIN_TOKEN, APP_SETTINGS, useHarness } from '../test/harness.ts';
import { listOperations, type Operation } from '../test/operations.ts';
import { call } from '../test/request.ts';

const harness = useHarness();
const operations = listOperations().filter(({ edgeToken }) => edgeToken);
const HASH = '0'.repeat(64);
const tokens: Record<string, string> = {};
let revokedToken: string;
let ownToken: { id: number; secret: string };
let foreignToken: { id: number; secret: string };
let unrestrictedToken: { id: number; secret: string };

const getTrustedKeys = () => {
  const { id, publicKey } = deriveSigningKey(APP_SETTINGS.secretKey);
  return new Map([[id, publicKey]]);
};

beforeAll(async () => {
  const { db, app } = harness;
  await makeProject(db, { id: 'mine' });
  await makeProject(db, { id: 'foreign' });
  await makeFeature(db, 'mine', { name: 'flag-of-mine' });
  await makeFeature(db, 'foreign', { name: 'flag-of-foreign' });
  const makeToken = (tokenName: string, type: 'edge' | 'backend' | 'frontend', projects: string[]) =>
    makeApiToken(db, { tokenName, type, environment: 'development', projects });
  tokens.edge = (await makeToken('edge', 'edge', ['mine'])).secret;
  ownToken = await makeToken('own', 'backend', ['mine']);
  tokens.backend = ownToken.secret;
  tokens.frontend = (await makeToken('frontend', 'frontend', ['mine'])).secret;
  foreignToken = await makeToken('foreign', 'backend', ['foreign']);
  unrestrictedToken = await makeToken('wide', 'backend', ['*']);
  const deletedToken = await makeToken('gone', 'edge', ['mine']);
  revokedToken = deletedToken.secret;
  tokens.user = (await makeUser(db, 'Admin')).token;
  await app.serving.refresh();
  await call(app, 'DELETE', `/api/admin/api-tokens/${deletedToken.id}`);
  await app.serving.refresh();
});

const send = ({ method, path, body }: Operation, token: string | null) =>
  call(harness.app, method, path.replace('{hash}', HASH), { token, body });

const readLines = async (path: string): Promise<string> =>
  (
    await harness.app.sdk.inject({
      url: `/api/edge/v1/${path}`,
      headers: { authorization: tokens.edge ?? '' },
    })
  ).payload.trimEnd();

test('openapi.json lists every edge operation', () => {
  expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/edge/v1/head',
    'GET /api/edge/v1/snapshot',
    'GET /api/edge/v1/stream',
    'GET /api/edge/v1/tokens/{hash}',
    'POST /api/edge/v1/report',
  ]);
});

describe.each(operations)('$method $path', operation => {
  test('rejects requests without an edge token', async () => {
    expect(await send(operation, null)).toMatchObject({
      status: 401,
      body: { name: 'AuthenticationRequired' },
    });
    for (const invalidToken of ['nonsense', '*:development.unknown', tokens.user ?? ''])
      expect(await send(operation, invalidToken)).toMatchObject({ status: 401 });
    for (const otherToken of [tokens.backend ?? '', tokens.frontend ?? '', ADMIN_TOKEN])
      expect(await send(operation, otherToken)).toMatchObject({
        status: 403,
        body: { name: 'NoAccessError' },
      });
  });

  test('signs the response that says that an edge token was revoked', async () => {
    const { method, path, body } = operation;
    const response = await harness.app.sdk.inject({
      method,
      url: path.replace('{hash}', HASH),
      headers: { authorization: revokedToken },
      ...(body === undefined ? {} : { payload: body as object }),
    });

    expect(response.statusCode).toBe(401);
    expect(readSigned(response.payload, getTrustedKeys())).toEqual({
      v: 1,
      log: 'revoked',
      hash: hash('sha256', revokedToken),
    });
  });
});

test('a feed that is limited to some projects contains no flags or tokens of other projects', async () => {
  const snapshot = decodeSnapshot(Buffer.from(await readLines('snapshot')), getTrustedKeys());

  expect(snapshot.feed).toEqual({ environment: 'development', projects: ['mine'] });
  expect(snapshot.features.map(({ name }) => name)).toEqual(['flag-of-mine']);
  expect(snapshot.tokens.map(({ type, projects }) => [type, projects])).toEqual([
    ['edge', ['mine']],
    ['backend', ['mine']],
    ['frontend', ['mine']],
  ]);
  const findToken = async (secret: string) =>
    readSigned(await readLines(`tokens/${hash('sha256', secret)}`), getTrustedKeys()) as {
      token: object | null;
    };
  expect(await findToken(ownToken.secret)).toMatchObject({ token: { id: ownToken.id } });
  expect(await findToken(foreignToken.secret)).toMatchObject({ token: null });
  expect(await findToken(unrestrictedToken.secret)).toMatchObject({ token: null });
  expect(await findToken(unrestrictedToken.secret)).not.toHaveProperty('ended');
  expect(await findToken(revokedToken)).toMatchObject({ token: null, ended: true });
});

test('the server still signs a revocation after many other tokens were revoked', async () => {
  const { db, app } = harness;
  await sql`
    insert into api_tokens (name, hint, type, environment, all_projects, hash, revoked_at)
    select 'revoked', '', 'backend', 'development', true, sha256(gen_random_uuid()::text::bytea), now() + interval '1 hour'
    from generate_series(1, 1100)`.execute(db);
  await app.serving.refresh();
  expect(app.serving.tokens.ended.has(hash('sha256', revokedToken))).toBe(false);

  const response = await app.sdk.inject({
    url: '/api/edge/v1/head',
    headers: { authorization: revokedToken },
  });

  expect(response.statusCode).toBe(401);
  expect(readSigned(response.payload, getTrustedKeys())).toMatchObject({
    log: 'revoked',
    hash: hash('sha256', revokedToken),
  });
  const tokenStatus = readSigned(await readLines(`tokens/${hash('sha256', revokedToken)}`), getTrustedKeys());
  expect(tokenStatus).toMatchObject({ token: null, ended: true });
});

test("attributes usage that an edge reports for another project's token to the edge's own token", async () => {
  const client = { application: 'liar', instance: 'one', epoch: '', revision: 1, isExact: true };
  const hour = Math.floor(Date.now() / 3_600_000);
  const response = await call(harness.app, 'POST', '/api/edge/v1/report', {
    token: tokens.edge ?? '',
    body: {
      edge: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
      version: '0.1.0',
      epoch: '',
      revision: 1,
      age: 0,
      clients: 1,
      isIgnoring: false,
      isStopping: false,
      heard: [{ ...client, token: foreignToken.id, id: 'liar', isStreaming: false, interval: 15, age: 0 }],
      requests: [{ environment: 'production', revision: 1, requests: 1 }],
      uses: [foreignToken.id],
      batch: {
        sequence: 1,
        buckets: [
          {
            token: foreignToken.id,
            application: 'liar',
            hour,
            features: [{ name: 'flag-of-foreign', yes: 5, no: 0, seenAt: Date.now() }],
          },
        ],
        instances: [],
      },
    },
  });

  expect(response.status).toBe(200);
  const { body } = await call(harness.app, 'GET', '/api/admin/client-metrics/features/flag-of-foreign/raw');
  expect(body.data).toEqual([]);
  const instances = await harness.db
    .selectFrom('reach_instances')
    .select('token_id')
    .where('connection_id', '=', 'liar')
    .execute();
  expect(instances.map(({ token_id }) => token_id)).not.toContain(foreignToken.id);
  const knownToken = [...harness.app.serving.tokens.all()].find(({ id }) => id === foreignToken.id);
  expect(knownToken?.used).toBe(false);
});
