import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFeature, makeProject, makeScopedToken, makeUser, type TestUser } from '../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';
import { INSTRUCTIONS } from './protocol.ts';
import { TOOLS } from './registry.ts';
import { connect, ERAS, listening, type TestClient } from './test-client.ts';
import { definitionOf } from './tool.ts';

const harness = useHarness();
let url: string;
let owner: TestUser;
const opened: TestClient[] = [];

const open = async (token: string, era?: (typeof ERAS)[number]) => {
  const client = await connect(url, token, era);
  opened.push(client);
  return client;
};

beforeAll(async () => {
  url = await listening(harness.app);
  owner = await makeUser(harness.db, 'Admin', 'anna');
  await makeProject(harness.db, { id: 'shop' });
  await makeFeature(harness.db, 'shop', { name: 'checkout', description: 'The new checkout' });
});
afterAll(async () => {
  for (const client of opened) await client.close();
});

const READING = TOOLS.filter(({ needs }) => needs === undefined).map(({ name }) => name);

describe.each(ERAS)('a client of %s', era => {
  test('lists the tools and calls one', async () => {
    const agent = await open(owner.token, era);

    expect(agent.client.getNegotiatedProtocolVersion()).toBe(era);
    expect(agent.client.getInstructions()).toBe(INSTRUCTIONS);
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    expect(await agent.ok('find_flags', { query: 'check' })).toMatchObject({ flags: [{ name: 'checkout' }] });
  });

  test('learns that a tool does not exist', async () => {
    const agent = await open(owner.token, era);

    await expect(agent.call('drop_tables')).rejects.toMatchObject({ code: -32602 });
  });
});

test('every tool has all four hints, and the definitions are small', () => {
  const definitions = TOOLS.map(definitionOf);

  for (const { annotations } of definitions) {
    expect(Object.keys(annotations).toSorted()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ]);
    expect(annotations.openWorldHint).toBe(false);
  }
  expect(JSON.stringify(definitions).length).toBeLessThanOrEqual(12_000);
  expect(INSTRUCTIONS.split(' ').length).toBeLessThanOrEqual(120);
});

test('every string and list of an input has a maximum', () => {
  const unbounded: string[] = [];
  const visit = (schema: Record<string, unknown>, path: string): void => {
    if (schema.type === 'string' && schema.maxLength === undefined && schema.enum === undefined)
      unbounded.push(path);
    if (schema.type === 'array' && schema.maxItems === undefined) unbounded.push(path);
    if (schema.items) visit(schema.items as Record<string, unknown>, `${path}[]`);
    for (const [name, one] of Object.entries((schema.properties ?? {}) as Record<string, object>))
      visit(one as Record<string, unknown>, `${path}.${name}`);
  };
  for (const { name, input } of TOOLS) visit(input, name);

  expect(unbounded).toEqual([]);
});

test('a read-only token is offered only tools that read', async () => {
  const agent = await open(await makeScopedToken(harness.db, owner, { readOnly: true }));
  const { tools } = await agent.client.listTools();

  expect(tools.map(({ name }) => name)).toEqual(READING);
  await expect(agent.call('create_flag', { name: 'x', project: 'shop' })).rejects.toMatchObject({
    code: -32602,
  });
});

test('a Viewer is offered only tools that read', async () => {
  const viewer = await makeUser(harness.db, 'Viewer');
  const { tools } = await (await open(viewer.token)).client.listTools();

  expect(tools.map(({ name }) => name)).toEqual(READING);
});

const MESSAGE = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const ACCEPT = { accept: 'application/json, text/event-stream' };
const post = (body: unknown, token: string | null = ADMIN_TOKEN, headers: Record<string, string> = {}) =>
  call(harness.app, 'POST', '/mcp', { token, body, headers: { ...ACCEPT, ...headers } });

test('an anonymous caller gets 401', async () => {
  expect(await post(MESSAGE, null)).toMatchObject({
    status: 401,
    body: { message: expect.stringContaining('no Authorization header') },
  });
});

test('a token for SDKs is rejected', async () => {
  expect((await post(MESSAGE, '*:development.unknown-token')).status).toBe(401);
});

test('a page of a different site gets 403', async () => {
  expect((await post(MESSAGE, ADMIN_TOKEN, { origin: 'https://evil.example' })).status).toBe(403);
});

test.each(['GET', 'DELETE'] as const)('%s is rejected with 405', async method => {
  const scoped = await makeScopedToken(harness.db, owner, { readOnly: true });
  for (const token of [ADMIN_TOKEN, scoped])
    expect(await call(harness.app, method, '/mcp', { token })).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
    });
});

test('only readOnly=true restricts the tools, and every other spelling is rejected', async () => {
  const listed = async (query: string) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: MODERN } };
    const headers = { ...ACCEPT, ...HEADERS, 'mcp-method': 'tools/list' };
    const response = await call(harness.app, 'POST', `/mcp${query}`, { body, headers });
    return response.body.result?.tools.length ?? response.status;
  };

  expect(await listed('?readOnly=true')).toBe(READING.length);
  expect(await listed('?readOnly=false')).toBe(TOOLS.length);
  for (const query of [
    'readOnly=TRUE',
    'readOnly=1',
    'readOnly=',
    'readOnly=true&readOnly=false',
    'readonly=true',
  ])
    expect([query, await listed(`?${query}`)]).toEqual([query, 400]);
});

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const HEADERS = { 'mcp-protocol-version': '2026-07-28' };

test.each(['resources/list', 'subscriptions/listen', 'no/such'])('%s is an unknown method', async method => {
  const body = { jsonrpc: '2.0', id: 1, method, params: { _meta: MODERN } };
  const response = await post(body, ADMIN_TOKEN, { ...HEADERS, 'mcp-method': method });

  expect(response).toMatchObject({ status: 404, body: { error: { code: -32601 } } });
});

test('a header that does not match the body is rejected', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: MODERN } };
  const response = await post(body, ADMIN_TOKEN, { ...HEADERS, 'mcp-method': 'tools/call' });

  expect(response).toMatchObject({ status: 400, body: { error: { code: -32020 } } });
});

test('a batch is rejected', async () => {
  expect(await post([MESSAGE, MESSAGE])).toMatchObject({
    status: 400,
    body: { message: 'The body must be one JSON-RPC message. Batches are not accepted.' },
  });
});

test.each([{}, { jsonrpc: '2.0' }, { jsonrpc: '1.0', id: 1, method: 5 }, { ...MESSAGE, params: 'x' }])(
  'a malformed message %j is not a 500',
  async body => {
    expect((await post(body)).status).toBeLessThan(500);
  },
);

test('a body that is too large is rejected with 413', async () => {
  expect((await post({ ...MESSAGE, params: { x: 'y'.repeat(200_000) } })).status).toBe(413);
});
