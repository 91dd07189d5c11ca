import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../../../server/src/app.ts';
import { type Db, openDb } from '../../../../server/src/platform/db/database.ts';
import { listenForChanges } from '../../../../server/src/publishing/source/database-source.ts';
import { makeApiToken } from '../../../../server/src/test/factories.ts';
import { APP_SETTINGS, useHarness } from '../../../../server/src/test/harness.ts';
import { call } from '../../../../server/src/test/request.ts';
import { putDocuments } from '../../../../server/src/test/sdk-documents.ts';
import { startTcpProxy, type TcpProxy } from '../../../../server/src/test/tcp-proxy.ts';
import type { App } from '../../platform/http/app.ts';
import { keepCurrent } from './keep-current.ts';

const harness = useHarness();
const metrics = new Registry();
const feature = { name: 'a', enabled: true, strategies: [], variants: [] };
let proxy: TcpProxy;
let db: Db;
let app: App;
let stop: () => Promise<void>;

/** Starts a server that connects to the database through a proxy. */
beforeAll(async () => {
  const url = new URL(harness.databaseUrl);
  proxy = await startTcpProxy(url.hostname, Number(url.port || 5432));
  url.host = `127.0.0.1:${proxy.port}`;
  db = openDb({
    url: url.href,
    poolSize: 3,
    onError: () => {},
    connectTimeoutMs: 1_000,
    queryTimeoutMs: 2_000,
    preparedStatements: false,
  });
  app = await buildApp(db, APP_SETTINGS);
  await app.ready();
  stop = await keepCurrent(app.serving, listenForChanges(url.href), { warn: () => {} }, metrics);
});
afterAll(async () => {
  proxy.restore();
  await stop();
  await app.close();
  await db.destroy();
  await proxy.close();
});

const makeToken = async () =>
  (await makeApiToken(harness.db, { tokenName: 'x', type: 'backend', environment: 'production' })).secret;

const readFeatures = async (token: string, headers: Record<string, string> = {}) =>
  await call(app, 'GET', '/api/client/features', {
    token,
    headers: { 'unleash-client-spec': '5.2.0', ...headers },
  });

test('serves known tokens while the database does not respond, but rejects unknown tokens with 503', async () => {
  const token = await makeToken();
  await putDocuments(harness.db, 'production', { features: [feature] });
  await expect.poll(async () => (await readFeatures(token)).body.features).toHaveLength(1);
  expect((await call(app, 'GET', '/ready')).body).toEqual({
    health: 'GOOD',
    database: 'GOOD',
    writes: 'GOOD',
  });
  const unknownToken = await makeToken();

  proxy.freeze();
  const rejectedResponse = await readFeatures(unknownToken);
  expect(rejectedResponse).toMatchObject({ status: 503, body: { name: 'ServiceUnavailableError' } });
  expect(rejectedResponse.headers['retry-after']).toBe('2');

  await expect.poll(async () => (await readFeatures(token)).headers['halyard-age']).toMatch(/^[1-9]\d*$/);
  const { headers, status, body } = await readFeatures(token);
  expect([status, body.features.length]).toEqual([200, 1]);
  const unchangedResponse = await readFeatures(token, { 'if-none-match': String(headers.etag) });
  expect(unchangedResponse.status).toBe(304);
  expect(Number(unchangedResponse.headers['halyard-age'])).toBeGreaterThanOrEqual(5);
  const ready = await call(app, 'GET', '/ready');
  expect([ready.status, ready.body]).toEqual([200, { health: 'GOOD', database: 'BAD', writes: 'BAD' }]);
  expect(await metrics.getSingleMetricAsString('halyard_sdk_state_age_seconds')).toMatch(
    / ([5-9]|\d\d+)\.\d+$/m,
  );
  await putDocuments(harness.db, 'production', { features: [{ ...feature, name: 'b' }] });

  proxy.restore();
  await expect.poll(async () => (await readFeatures(token)).body.features).toHaveLength(2);
  await expect.poll(async () => (await readFeatures(unknownToken)).status).toBe(200);
  await expect.poll(async () => (await readFeatures(token)).headers['halyard-age']).toBeUndefined();
});

test('a new epoch changes the ETag and reloads everything', async () => {
  const token = await makeToken();
  const responseBefore = await readFeatures(token);
  const tag = String(responseBefore.headers.etag);

  await harness.db.updateTable('sdk_epoch').set({ number: 1 }).execute();
  await expect.poll(async () => (await readFeatures(token)).headers.etag).not.toBe(tag);

  const responseAfter = await readFeatures(token, { 'if-none-match': tag });
  expect([responseAfter.status, responseAfter.body.features]).toEqual([200, responseBefore.body.features]);
  const delta = await call(app, 'GET', '/api/client/delta', { token, headers: { 'if-none-match': tag } });
  expect(delta.body.events).toMatchObject([{ type: 'hydration' }]);
});

test('a server that has just started serves environments with a token even during an outage', async () => {
  const token = await makeToken();
  const startedApp = await buildApp(db, APP_SETTINGS);
  await startedApp.ready();
  const stopStarted = await keepCurrent(
    startedApp.serving,
    listenForChanges(harness.databaseUrl),
    { warn: () => {} },
    new Registry(),
  );

  proxy.freeze();
  const { status, body } = await call(startedApp, 'GET', '/api/client/features', { token });

  expect([status, body.features.length > 0]).toEqual([200, true]);
  proxy.restore();
  await stopStarted();
  await startedApp.close();
});
