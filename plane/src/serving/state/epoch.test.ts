import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeApiToken } from '../../../../server/src/test/factories.ts';
import { useHarness } from '../../../../server/src/test/harness.ts';
import { call } from '../../../../server/src/test/request.ts';
import { makeEnvironment, putDocuments } from '../../../../server/src/test/sdk-documents.ts';
import type { App } from '../../platform/http/app.ts';

const harness = useHarness();

const put = async (environment: string, name: string) =>
  await putDocuments(harness.db, environment, { features: [{ name, enabled: true, strategies: [] }] });

const makeToken = async (environment: string) =>
  await makeApiToken(harness.db, { tokenName: environment, type: 'backend', environment });

const readFeatures = async (app: App, token: string, tag?: string) => {
  const headers = { 'unleash-client-spec': '5.2.0', ...(tag === undefined ? {} : { 'if-none-match': tag }) };
  const { status, body, headers: sent } = await call(app, 'GET', '/api/client/features', { token, headers });
  const names = status === 200 ? body.features.map(({ name }: { name: string }) => name) : [];
  return { status, names, tag: String(sent.etag) };
};

/** Resets an environment's rows to what a backup taken at the revision would contain. */
async function restore(environment: string, revision: number): Promise<void> {
  await sql`delete from sdk_features where environment = ${environment} and revision > ${revision}`.execute(
    harness.db,
  );
  await sql`update sdk_revisions set revision = ${revision} where environment = ${environment}`.execute(
    harness.db,
  );
}

const epochRow = async () =>
  await harness.db.selectFrom('sdk_epoch').select(['number', 'reason']).executeTakeFirstOrThrow();

test('a server with a later revision than the database starts a new epoch', async () => {
  const { app } = harness;
  await makeEnvironment(harness.db, 'behind');
  for (const name of ['a', 'b', 'c']) await put('behind', name);
  const { secret } = await makeToken('behind');
  await app.serving.refresh();
  const responseBefore = await readFeatures(app, secret);
  expect(responseBefore.names).toEqual(['a', 'b', 'c']);

  await restore('behind', 1);
  await app.serving.refresh();

  expect(await readFeatures(app, secret, responseBefore.tag)).toMatchObject({ status: 200, names: ['a'] });
  expect((await epochRow()).reason).toBe('Environment "behind" was at revision 3, but is now at 1.');
  for (const name of ['d', 'e']) await put('behind', name);
  await app.serving.refresh();
  expect(await readFeatures(app, secret, responseBefore.tag)).toMatchObject({
    status: 200,
    names: ['a', 'd', 'e'],
  });
  const metrics = await app.metrics.getSingleMetricAsString('halyard_database_epoch_changes_total');
  expect(metrics).toContain('halyard_database_epoch_changes_total{kind="restore"} 1');
});

test('a client with a later revision than the database gets everything, and starts a new epoch at most once an hour', async () => {
  await makeEnvironment(harness.db, 'client');
  for (const name of ['a', 'b', 'c']) await put('client', name);
  const { secret } = await makeToken('client');
  await sql`update sdk_epoch set started_at = null`.execute(harness.db);
  const first = await harness.secondServer();
  const { tag } = await readFeatures(first, secret);

  await restore('client', 1);
  const restartedServer = await harness.secondServer();
  await restartedServer.serving.refresh();
  expect(await readFeatures(restartedServer, secret, tag)).toMatchObject({ status: 200, names: ['a'] });

  const { number, reason } = await epochRow();
  expect(reason).toBe('A client has revision 3 of environment "client", but the database is at 1.');
  for (const name of ['d', 'e']) await put('client', name);
  await restartedServer.serving.refresh();
  const now = await readFeatures(restartedServer, secret, tag);
  expect(now).toMatchObject({ status: 200, names: ['a', 'd', 'e'] });
  const forgedTag = now.tag.replace(/\d+"$/, '99"');
  expect(await readFeatures(restartedServer, secret, forgedTag)).toMatchObject({
    status: 200,
    names: ['a', 'd', 'e'],
  });
  expect((await epochRow()).number).toBe(number);
});

test('a client that is ahead of the server but not of the database keeps what it has', async () => {
  await makeEnvironment(harness.db, 'lagging');
  await put('lagging', 'a');
  const { secret } = await makeToken('lagging');
  const [lateServer, earlyServer] = [await harness.secondServer(), await harness.secondServer()];
  await readFeatures(lateServer, secret);
  await put('lagging', 'b');
  const { tag } = await readFeatures(earlyServer, secret);
  const { number } = await epochRow();

  expect(await readFeatures(lateServer, secret, tag)).toMatchObject({ status: 304, tag });

  expect((await epochRow()).number).toBe(number);
});

test('tokens are reloaded after their revision decreased, and a token revoked afterward is rejected', async () => {
  const app = await harness.secondServer();
  const { id, secret } = await makeToken('production');
  const lostToken = await makeToken('production');
  await app.serving.refresh();
  expect((await readFeatures(app, lostToken.secret)).status).toBe(200);
  await sql`delete from api_tokens where id = ${lostToken.id}`.execute(harness.db);
  await sql`update sdk_token_revision set revision = revision - 3`.execute(harness.db);

  const unknownSecret = (await makeToken('production')).secret;
  const statementsBefore = harness.statements.length;
  expect((await readFeatures(app, unknownSecret)).status).toBe(503);
  const lookups = harness.statements.slice(statementsBefore).filter(text => text.includes('from api_tokens'));
  expect(lookups).toHaveLength(2);

  await app.serving.refresh();
  expect((await readFeatures(app, unknownSecret)).status).toBe(200);
  expect((await readFeatures(app, lostToken.secret)).status).toBe(401);
  await call(harness.app, 'DELETE', `/api/admin/api-tokens/${id}`);
  await app.serving.refresh();
  expect((await readFeatures(app, secret)).status).toBe(401);
});

test('a lookup that finds a new epoch reloads all tokens', async () => {
  const app = await harness.secondServer();
  const revokedToken = await makeToken('production');
  await app.serving.refresh();
  await sql`delete from api_tokens where id = ${revokedToken.id}`.execute(harness.db);
  await sql`update sdk_token_revision set revision = revision - 3`.execute(harness.db);
  await sql`update sdk_epoch set number = number + 1`.execute(harness.db);

  expect((await readFeatures(app, (await makeToken('production')).secret)).status).toBe(200);

  expect((await readFeatures(app, revokedToken.secret)).status).toBe(401);
});

test('an edge with a later revision than the database starts a new epoch', async () => {
  await makeEnvironment(harness.db, 'edge');
  for (const name of ['a', 'b', 'c']) await put('edge', name);
  const fields = { tokenName: 'edge', type: 'edge' as const, environment: 'edge', projects: ['*'] };
  const { secret } = await makeApiToken(harness.db, fields);
  await sql`update sdk_epoch set started_at = null`.execute(harness.db);
  const { rows } = await sql<{ id: string }>`select id from database_epoch`.execute(harness.db);
  await restore('edge', 1);
  const restartedServer = await harness.secondServer();
  await restartedServer.serving.refresh();
  const url = await restartedServer.listen({ host: '127.0.0.1', port: 0 });

  const connection = new AbortController();
  const response = await fetch(`${url}/api/edge/v1/stream`, {
    headers: { authorization: secret, 'last-event-id': `${rows[0]?.id}.3.0` },
    signal: connection.signal,
  });
  connection.abort();

  expect(response.status).toBe(200);
  expect((await epochRow()).reason).toBe(
    'A client has revision 3 of environment "edge", but the database is at 1.',
  );
});

test('an edge with a later token revision than the database starts a new epoch, even if no flag was lost', async () => {
  await makeEnvironment(harness.db, 'tokens');
  await put('tokens', 'a');
  const fields = { tokenName: 'tokens', type: 'edge' as const, environment: 'tokens', projects: ['*'] };
  const { secret } = await makeApiToken(harness.db, fields);
  await sql`update sdk_epoch set started_at = null`.execute(harness.db);
  const { rows } = await sql<{ id: string; revision: number }>`
    select id, (select revision from sdk_token_revision) as revision from database_epoch`.execute(harness.db);
  const [{ id, revision } = { id: '', revision: 0 }] = rows;
  const restartedServer = await harness.secondServer();
  await restartedServer.serving.refresh();
  const url = await restartedServer.listen({ host: '127.0.0.1', port: 0 });
  const connect = async (tokenRevision: number): Promise<void> => {
    const connection = new AbortController();
    const response = await fetch(`${url}/api/edge/v1/stream`, {
      headers: { authorization: secret, 'last-event-id': `${id}.1.${tokenRevision}` },
      signal: connection.signal,
    });
    expect(response.status).toBe(200);
    connection.abort();
  };
  const { number } = await epochRow();

  await connect(revision);
  expect((await epochRow()).number).toBe(number);
  await connect(revision + 1);

  expect((await epochRow()).reason).toBe(
    `An edge has tokens of revision ${revision + 1}, but the database is at ${revision}.`,
  );
});
