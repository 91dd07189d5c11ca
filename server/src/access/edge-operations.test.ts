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
let foreign: { id: number; secret: string };
let wide: { id: number; secret: string };

const trustedKeys = () => {
  const { id, publicKey } = deriveSigningKey(APP_SETTINGS.secretKey);
  return new Map([[id, publicKey]]);
};

beforeAll(async () => {
  const { db, app } = harness;
  await makeProject(db, { id: 'mine' });
  await makeProject(db, { id: 'foreign' });
  await makeFeature(db, 'mine', { name: 'flag-of-mine' });
  await makeFeature(db, 'foreign', { name: 'flag-of-foreign' });
  const make = (tokenName: string, type: 'edge' | 'backend' | 'frontend', projects: string[]) =>
    makeApiToken(db, { tokenName, type, environment: 'development', projects });
  tokens.edge = (await make('edge', 'edge', ['mine'])).secret;
  ownToken = await make('own', 'backend', ['mine']);
  tokens.backend = ownToken.secret;
  tokens.frontend = (await make('frontend', 'frontend', ['mine'])).secret;
  foreign = await make('foreign', 'backend', ['foreign']);
  wide = await make('wide', 'backend', ['*']);
  const deletedToken = await make('gone', 'edge', ['mine']);
  revokedToken = deletedToken.secret;
  tokens.user = (await makeUser(db, 'Admin')).token;
  await app.serving.refresh();
  await call(app, 'DELETE', `/api/admin/api-tokens/${deletedToken.id}`);
  await app.serving.refresh();
});

const send = ({ method, path, body }: Operation, token: string | null) =>
  call(harness.app, method, path.replace('{hash}', HASH), { token, body });

const lines = async (path: string): Promise<string> =>
  (
    await harness.app.sdk.inject({
      url: `/api/edge/v1/${path}`,
      headers: { authorization: tokens.edge ?? '' },
    })
  ).payload.trimEnd();

test('the document lists every operation for edges', () => {
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

  test('signs the statement that an edge token was revoked', async () => {
    const { method, path, body } = operation;
    const response = await harness.app.sdk.inject({
      method,
      url: path.replace('{hash}', HASH),
      headers: { authorization: revokedToken },
      ...(body === undefined ? {} : { payload: body as object }),
    });

    expect(response.statusCode).toBe(401);
    expect(readSigned(response.payload, trustedKeys())).toEqual({
      v: 1,
      log: 'revoked',
      hash: hash('sha256', revokedToken),
    });
  });
});

test('a feed of some projects contains neither flags nor tokens of others', async () => {
  const snapshot = decodeSnapshot(Buffer.from(await lines('snapshot')), trustedKeys());

  expect(snapshot.feed).toEqual({ environment: 'development', projects: ['mine'] });
  expect(snapshot.features.map(({ name }) => name)).toEqual(['flag-of-mine']);
  expect(snapshot.tokens.map(({ type, projects }) => [type, projects])).toEqual([
    ['edge', ['mine']],
    ['backend', ['mine']],
    ['frontend', ['mine']],
  ]);
  const findToken = async (secret: string) =>
    readSigned(await lines(`tokens/${hash('sha256', secret)}`), trustedKeys()) as { token: object | null };
  expect(await findToken(ownToken.secret)).toMatchObject({ token: { id: ownToken.id } });
  expect(await findToken(foreign.secret)).toMatchObject({ token: null });
  expect(await findToken(wide.secret)).toMatchObject({ token: null });
  expect(await findToken(wide.secret)).not.toHaveProperty('ended');
  expect(await findToken(revokedToken)).toMatchObject({ token: null, ended: true });
});

test('a revocation is still signed after many other tokens were revoked', async () => {
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
  expect(readSigned(response.payload, trustedKeys())).toMatchObject({
    log: 'revoked',
    hash: hash('sha256', revokedToken),
  });
  const answer = readSigned(await lines(`tokens/${hash('sha256', revokedToken)}`), trustedKeys());
  expect(answer).toMatchObject({ token: null, ended: true });
});

test("what an edge reports for a token of other projects counts as reported with the edge's own token", async () => {
  const heard = { application: 'liar', instance: 'one', epoch: '', revision: 1, isExact: true };
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
      heard: [{ ...heard, token: foreign.id, id: 'liar', isStreaming: false, interval: 15, age: 0 }],
      requests: [{ environment: 'production', revision: 1, requests: 1 }],
      uses: [foreign.id],
      batch: {
        sequence: 1,
        buckets: [
          {
            token: foreign.id,
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
  expect(instances.map(({ token_id }) => token_id)).not.toContain(foreign.id);
  const knownToken = [...harness.app.serving.tokens.all()].find(({ id }) => id === foreign.id);
  expect(knownToken?.used).toBe(false);
});
