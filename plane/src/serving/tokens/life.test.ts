import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeFeature } from '../../../../server/src/test/factories.ts';
import { useHarness } from '../../../../server/src/test/harness.ts';
import { call } from '../../../../server/src/test/request.ts';
import { useSdkServer } from '../../../../server/src/test/sdk-server.ts';
import { waitForLockWaiters } from '../../../../server/src/test/waiting.ts';
import type { App } from '../../platform/http/app.ts';

const harness = useHarness();
const server = useSdkServer(harness);
let otherApp: App;

beforeAll(async () => {
  otherApp = await harness.secondServer();
  await server.keep(otherApp);
  for (const id of ['shop', 'stock'])
    await call(harness.app, 'POST', '/api/admin/projects', { body: { id, name: id } });
  await makeFeature(harness.db, 'shop', { name: 'shop-flag' });
  await makeFeature(harness.db, 'stock', { name: 'stock-flag' });
});

const create = async (fields: object) => {
  const body = { tokenName: 'life', type: 'backend', environment: 'production', ...fields };
  return (await call(harness.app, 'POST', '/api/admin/api-tokens', { body })).body as {
    id: number;
    secret: string;
  };
};

const readFeatures = async (app: App, token: string) =>
  await call(app, 'GET', '/api/client/features', { token, headers: { 'unleash-client-spec': '5.2.0' } });

const statuses = async (token: string) => [
  (await readFeatures(harness.app, token)).status,
  (await readFeatures(otherApp, token)).status,
];

test('every server accepts a new token immediately, and rejects it once it is revoked', async () => {
  const { id, secret } = await create({});
  expect(await statuses(secret)).toEqual([200, 200]);

  await call(harness.app, 'DELETE', `/api/admin/api-tokens/${id}`);

  await expect.poll(() => statuses(secret)).toEqual([401, 401]);
});

test('every server rejects an expired token, and accepts it again once its expiry is extended', async () => {
  const { id, secret } = await create({});
  expect(await statuses(secret)).toEqual([200, 200]);

  await sql`update api_tokens set expires_at = now() + interval '1 second' where id = ${id}`.execute(
    harness.db,
  );
  await expect.poll(() => statuses(secret)).toEqual([401, 401]);

  await call(harness.app, 'PUT', `/api/admin/api-tokens/${id}`, { body: { expiresAt: null } });
  await expect.poll(() => statuses(secret)).toEqual([200, 200]);
});

test('deleting a project removes it from tokens for several projects and revokes tokens for that project alone', async () => {
  await call(harness.app, 'POST', '/api/admin/projects', { body: { id: 'brief', name: 'brief' } });
  const ownToken = await create({ projects: ['brief'] });
  const sharedToken = await create({ projects: ['brief', 'shop'] });
  expect(await statuses(ownToken.secret)).toEqual([200, 200]);
  const bodyBefore = (await readFeatures(otherApp, sharedToken.secret)).body;
  expect(bodyBefore.query.project).toEqual(['brief', 'shop']);

  await call(harness.app, 'DELETE', '/api/admin/projects/brief');

  await expect.poll(() => statuses(ownToken.secret)).toEqual([401, 401]);
  await expect
    .poll(async () => (await readFeatures(otherApp, sharedToken.secret)).body.query.project)
    .toEqual(['shop']);
  const bodyAfter = (await readFeatures(otherApp, sharedToken.secret)).body;
  expect(bodyAfter.features.map(({ name }: { name: string }) => name)).toEqual(['shop-flag']);
  expect(bodyAfter.meta.queryHash).not.toBe(bodyBefore.meta.queryHash);
});

test("a token gets only its projects' features", async () => {
  const { secret } = await create({ projects: ['stock'] });

  const { body } = await readFeatures(otherApp, secret);

  expect(body.features.map(({ name }: { name: string }) => name)).toEqual(['stock-flag']);
});

test('records the last use only of tokens that were used', async () => {
  const usedToken = await create({});
  const unusedToken = await create({});
  await readFeatures(harness.app, usedToken.secret);

  await harness.app.serving.tokens.writeUses();

  const readSeenAt = async (id: number) =>
    (await call(harness.app, 'GET', `/api/admin/api-tokens/${id}`)).body.tokens[0].seenAt;
  expect(await readSeenAt(usedToken.id)).toEqual(expect.any(String));
  expect(await readSeenAt(unusedToken.id)).toBeNull();
});

test('requests with a token in memory do not query the database', async () => {
  const { secret } = await create({});
  await readFeatures(harness.app, secret);
  // Creating the token sends a notification, which makes the server read all tokens once.
  await harness.app.serving.refresh();
  const statements = () => harness.statements.filter(text => /api_tokens|sdk_features/.test(text)).length;
  const statementsBefore = statements();

  for (let round = 0; round < 20; round++) await readFeatures(harness.app, secret);

  // Occasionally, the servers also read tokens in the background.
  expect(statements() - statementsBefore).toBeLessThan(10);
});

const FIRST_TOKENS: [string, () => Promise<string>, number][] = [
  ['a new token', async () => (await create({})).secret, 200],
  ['an unknown token', async () => '*:production.an-unknown-token', 401],
];
test.for(FIRST_TOKENS)(
  'simultaneous first requests with %s share one query',
  async ([, makeToken, status]) => {
    const app = await harness.secondServer();
    await app.serving.refresh();
    const token = await makeToken();
    const countLookups = () =>
      harness.statements.filter(text => /api_tokens.*decode\(given/s.test(text)).length;

    const { requests, lookupsBefore } = await harness.db.transaction().execute(async tx => {
      await sql`lock table api_tokens in access exclusive mode`.execute(tx);
      const lookupsBefore = countLookups();
      const requests = Array.from({ length: 10 }, () => readFeatures(app, token));
      await waitForLockWaiters(harness.db);
      // Once this request is complete, the requests that were sent before it have started.
      await call(app, 'GET', '/health', { token: null });
      return { requests, lookupsBefore };
    });

    expect((await Promise.all(requests)).map(response => response.status)).toEqual(
      requests.map(() => status),
    );
    expect(countLookups() - lookupsBefore).toBe(1);
  },
);

test('with more tokens than a server loads, a change to one token keeps other tokens in memory', async () => {
  const [usedToken, revokedToken] = [await create({}), await create({})];
  await sql`
    insert into api_tokens (hash, type, name, hint, environment, all_projects, seen_at)
    select sha256(n::text::bytea), 'backend', 'one of many', 'x', 'production', true, now() + interval '1 minute'
    from generate_series(1, 20000) as n`.execute(harness.db);
  const app = await harness.secondServer();
  await app.serving.refresh();
  expect(app.serving.tokens.findCached(usedToken.secret)).toBeUndefined();
  for (const { secret } of [usedToken, revokedToken])
    expect((await readFeatures(app, secret)).status).toBe(200);
  const token = app.serving.tokens.findCached(usedToken.secret);

  await call(harness.app, 'DELETE', `/api/admin/api-tokens/${revokedToken.id}`);
  await app.serving.refresh();

  expect(app.serving.tokens.findCached(usedToken.secret)).toBe(token);
  expect((await readFeatures(app, revokedToken.secret)).status).toBe(401);
});
