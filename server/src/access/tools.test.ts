import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';

// These tests replay the requests of tools that we cannot install for tests.

const harness = useHarness();
let token: string;

beforeAll(async () => {
  await harness.app.listen({ host: '127.0.0.1', port: 0 });
  const body = { name: 'Tools', rootRole: 1, readsTokenSecrets: true };
  const { id } = (await call(harness.app, 'POST', '/api/admin/service-account', { body })).body;
  const createResponse = await call(harness.app, 'POST', `/api/admin/service-account/${id}/token`, {
    body: { description: 'tools', expiresAt: '2048-01-01T00:00:00Z' },
  });
  token = createResponse.body.secret;
});

/** Sends a request like a Go program: with an unencoded path, which `fetch` would encode, and `Content-Type` even without a body. */
async function send(method: string, path: string, body?: object) {
  const { port } = harness.app.server.address() as AddressInfo;
  const headers = { authorization: token, 'content-type': 'application/json' };
  const payload = body && JSON.stringify(body);
  const outgoingRequest = request({
    port,
    method,
    path,
    agent: false,
    headers: { ...headers, ...(payload && { 'content-length': Buffer.byteLength(payload) }) },
  });
  outgoingRequest.end(payload);
  const [response] = (await once(outgoingRequest, 'response')) as [IncomingMessage];
  const responseText = await text(response);
  return {
    status: response.statusCode,
    // biome-ignore lint/suspicious/noExplicitAny: each test knows which body to expect
    body: (responseText === '' ? undefined : JSON.parse(responseText)) as any,
  };
}

test('the Terraform provider by philips-labs manages a flag', async () => {
  const features = '/api/admin/projects/default/features';
  const environment = `${features}/basket/environments/development`;
  // With each toggle, the provider sends an empty flag.
  const emptyFlag = { name: '', description: '', type: '', project: '', stale: false, variants: null };

  const createResponse = await send('POST', features, { name: 'basket', description: 'x', type: 'release' });
  const strategyResponse = await send('POST', `${environment}/strategies`, {
    name: 'flexibleRollout',
    parameters: { rollout: '50', stickiness: 'default', groupId: 'basket' },
    constraints: [],
  });
  const enableResponse = await send('POST', `${environment}/on`, emptyFlag);
  const tagResponse = await send('PUT', '/api/admin/features/basket/tags', {
    addedTags: [{ type: 'simple', value: 'shop' }],
    removedTags: [],
  });
  const readResponse = await send('GET', `${features}/basket`);
  const disableResponse = await send('POST', `${environment}/off`, emptyFlag);
  const responseAfter = await send('GET', `${features}/basket`);
  const archiveResponse = await send('DELETE', `${features}/basket`);
  const deleteResponse = await send('DELETE', '/api/admin/archive/basket');
  const responseAfterDelete = await send('GET', `${features}/basket`);

  expect(
    [createResponse, strategyResponse, enableResponse, tagResponse, readResponse, disableResponse].map(
      ({ status }) => status,
    ),
  ).toEqual([201, 200, 200, 200, 200, 200]);
  expect(readResponse.body).toMatchObject({ name: 'basket', description: 'x', project: 'default' });
  const findDevelopment = ({ body }: typeof readResponse) =>
    body.environments.find(({ name }: { name: string }) => name === 'development');
  expect(findDevelopment(readResponse)).toMatchObject({
    enabled: true,
    strategies: [{ id: strategyResponse.body.id }],
  });
  expect(findDevelopment(responseAfter)).toMatchObject({ enabled: false });
  expect([archiveResponse.status, deleteResponse.status, responseAfterDelete.status]).toEqual([
    202, 200, 404,
  ]);
});

test('the Terraform provider by philips-labs finds a user with an unencoded search, lists a token with its secret, and deletes it by that secret', async () => {
  const user = await send('POST', '/api/admin/user-admin', {
    email: 'ada@example.com',
    name: 'Ada',
    rootRole: 2,
    sendEmail: false,
  });
  const searchResponse = await send('GET', '/api/admin/user-admin/search?q=ada@example.com');
  const createResponse = await send('POST', '/api/admin/api-tokens', {
    username: 'shop',
    type: 'client',
    environment: 'development',
    projects: ['*'],
  });
  const listResponse = await send('GET', '/api/admin/api-tokens');
  const deleteResponse = await send('DELETE', `/api/admin/api-tokens/${createResponse.body.secret}`);

  expect([user.status, createResponse.status, deleteResponse.status]).toEqual([201, 201, 200]);
  expect(searchResponse.body).toEqual([
    expect.objectContaining({ id: user.body.id, email: 'ada@example.com' }),
  ]);
  expect(listResponse.body.tokens).toContainEqual(
    expect.objectContaining({
      secret: createResponse.body.secret,
      tokenName: 'shop',
      environment: 'development',
    }),
  );
});

test('unleasherator checks the instance, creates a token, finds it by name and deletes it by secret', async () => {
  const health = await send('GET', '/health');
  const statistics = await send('GET', '/api/admin/instance-admin/statistics');
  const createResponse = await send('POST', '/api/admin/api-tokens', {
    username: 'team-app-3f2a',
    tokenName: 'team-app-3f2a',
    type: 'client',
    environment: 'development',
    projects: ['default'],
  });
  const namedTokens = await send('GET', '/api/admin/api-tokens/team-app-3f2a');
  const deleteResponse = await send('DELETE', `/api/admin/api-tokens/${createResponse.body.secret}`);
  const responseAfter = await send('GET', '/api/admin/api-tokens/team-app-3f2a');

  expect(health.body).toEqual({ health: 'GOOD' });
  expect(statistics.body).toMatchObject({
    instanceId: expect.any(String),
    versionOSS: expect.any(String),
    versionEnterprise: expect.any(String),
    users: expect.any(Number),
    projects: expect.any(Number),
    featureToggles: expect.any(Number),
    SAMLenabled: expect.any(Boolean),
    OIDCenabled: expect.any(Boolean),
  });
  expect([createResponse.status, createResponse.body.tokenName]).toEqual([201, 'team-app-3f2a']);
  expect(namedTokens.body.tokens).toEqual([expect.objectContaining({ secret: createResponse.body.secret })]);
  expect([deleteResponse.status, responseAfter.body.tokens]).toEqual([200, []]);
});
