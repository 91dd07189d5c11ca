import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  makeApiToken,
  makeFeature,
  makeProject,
  makeScopedToken,
  makeUser,
  type TestUser,
} from '../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';
import { INSTRUCTIONS } from './protocol.ts';
import { TOOLS } from './registry.ts';
import { connect, listenOnFreePort, PROTOCOL_VERSIONS, type TestClient } from './test-client.ts';
import { toToolDefinition } from './tool.ts';

const harness = useHarness();
let url: string;
let owner: TestUser;
const openClients: TestClient[] = [];

const openClient = async (token: string, protocolVersion?: (typeof PROTOCOL_VERSIONS)[number]) => {
  const client = await connect(url, token, protocolVersion);
  openClients.push(client);
  return client;
};

beforeAll(async () => {
  url = await listenOnFreePort(harness.app);
  owner = await makeUser(harness.db, 'Admin', 'anna');
  await makeProject(harness.db, { id: 'shop' });
  await makeFeature(harness.db, 'shop', { name: 'checkout', description: 'The new checkout' });
});
afterAll(async () => {
  for (const client of openClients) await client.close();
});

const READING_TOOLS = TOOLS.filter(({ needs }) => needs === undefined).map(({ name }) => name);

describe.each(PROTOCOL_VERSIONS)('a client with protocol version %s', protocolVersion => {
  test('lists the tools and calls a tool', async () => {
    const agent = await openClient(owner.token, protocolVersion);

    expect(agent.client.getNegotiatedProtocolVersion()).toBe(protocolVersion);
    expect(agent.client.getInstructions()).toBe(INSTRUCTIONS);
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    expect(await agent.ok('find_flags', { query: 'check' })).toMatchObject({ flags: [{ name: 'checkout' }] });
  });

  test('returns an error for an unknown tool', async () => {
    const agent = await openClient(owner.token, protocolVersion);

    await expect(agent.call('drop_tables')).rejects.toMatchObject({ code: -32602 });
  });
});

test('every tool has all four hints, and the definitions and instructions are short', () => {
  const definitions = TOOLS.map(toToolDefinition);

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

test('every string and list in a tool input has a maximum length', () => {
  const unbounded: string[] = [];
  const visit = (schema: Record<string, unknown>, path: string): void => {
    if (schema.type === 'string' && schema.maxLength === undefined && schema.enum === undefined)
      unbounded.push(path);
    if (schema.type === 'array' && schema.maxItems === undefined) unbounded.push(path);
    if (schema.items) visit(schema.items as Record<string, unknown>, `${path}[]`);
    for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, object>))
      visit(property as Record<string, unknown>, `${path}.${name}`);
  };
  for (const { name, input } of TOOLS) visit(input, name);

  expect(unbounded).toEqual([]);
});

test('a read-only token is offered only tools that read', async () => {
  const agent = await openClient(await makeScopedToken(harness.db, owner, { readOnly: true }));
  const { tools } = await agent.client.listTools();

  expect(tools.map(({ name }) => name)).toEqual(READING_TOOLS);
  await expect(agent.call('create_flag', { name: 'x', project: 'shop' })).rejects.toMatchObject({
    code: -32602,
  });
});

test('a Viewer is offered only tools that read', async () => {
  const viewer = await makeUser(harness.db, 'Viewer');
  const { tools } = await (await openClient(viewer.token)).client.listTools();

  expect(tools.map(({ name }) => name)).toEqual(READING_TOOLS);
});

const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const ACCEPT_HEADER = { accept: 'application/json, text/event-stream' };
const post = (body: unknown, token: string | null = ADMIN_TOKEN, headers: Record<string, string> = {}) =>
  call(harness.app, 'POST', '/mcp', { token, body, headers: { ...ACCEPT_HEADER, ...headers } });

test('rejects an anonymous caller with 401', async () => {
  expect(await post(LIST_TOOLS, null)).toMatchObject({
    status: 401,
    body: { message: expect.stringContaining('no Authorization header') },
  });
});

test('rejects an unknown SDK token', async () => {
  expect((await post(LIST_TOOLS, '*:development.unknown-token')).status).toBe(401);
});

test.each(['client', 'backend', 'frontend'] as const)('rejects a valid %s token with 403', async type => {
  const { secret } = await makeApiToken(harness.db, {
    tokenName: `${type} SDK`,
    type,
    environment: 'development',
    projects: ['*'],
  });

  expect(await post(LIST_TOOLS, secret)).toMatchObject({
    status: 403,
    body: { name: 'NoAccessError', message: expect.stringContaining(`A token of type "${type}" cannot`) },
  });
});

test('rejects a request from a page on a different site with 403', async () => {
  expect((await post(LIST_TOOLS, ADMIN_TOKEN, { origin: 'https://evil.example' })).status).toBe(403);
});

test.each(['GET', 'DELETE'] as const)('%s is rejected with 405', async method => {
  const scopedToken = await makeScopedToken(harness.db, owner, { readOnly: true });
  for (const token of [ADMIN_TOKEN, scopedToken])
    expect(await call(harness.app, method, '/mcp', { token })).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
    });
});

test('restricts the tools with readOnly=true but not with false, and rejects every other value or spelling', async () => {
  const countTools = async (query: string) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: PROTOCOL_META } };
    const headers = { ...ACCEPT_HEADER, ...PROTOCOL_HEADER, 'mcp-method': 'tools/list' };
    const response = await call(harness.app, 'POST', `/mcp${query}`, { body, headers });
    return response.body.result?.tools.length ?? response.status;
  };

  expect(await countTools('?readOnly=true')).toBe(READING_TOOLS.length);
  expect(await countTools('?readOnly=false')).toBe(TOOLS.length);
  for (const query of [
    'readOnly=TRUE',
    'readOnly=1',
    'readOnly=',
    'readOnly=true&readOnly=false',
    'readonly=true',
  ])
    expect([query, await countTools(`?${query}`)]).toEqual([query, 400]);
});

const PROTOCOL_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const PROTOCOL_HEADER = { 'mcp-protocol-version': '2026-07-28' };

test.each(['resources/list', 'subscriptions/listen', 'no/such'])('%s is an unknown method', async method => {
  const body = { jsonrpc: '2.0', id: 1, method, params: { _meta: PROTOCOL_META } };
  const response = await post(body, ADMIN_TOKEN, { ...PROTOCOL_HEADER, 'mcp-method': method });

  expect(response).toMatchObject({ status: 404, body: { error: { code: -32601 } } });
});

test('rejects a header that does not match the body', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: PROTOCOL_META } };
  const response = await post(body, ADMIN_TOKEN, { ...PROTOCOL_HEADER, 'mcp-method': 'tools/call' });

  expect(response).toMatchObject({ status: 400, body: { error: { code: -32020 } } });
});

test('rejects a batch', async () => {
  expect(await post([LIST_TOOLS, LIST_TOOLS])).toMatchObject({
    status: 400,
    body: { message: 'The body must be one JSON-RPC message. Batches are not accepted.' },
  });
});

test.each([{}, { jsonrpc: '2.0' }, { jsonrpc: '1.0', id: 1, method: 5 }, { ...LIST_TOOLS, params: 'x' }])(
  'a malformed message %j does not cause a 5xx',
  async body => {
    expect((await post(body)).status).toBeLessThan(500);
  },
);

test('rejects a large body with 413', async () => {
  expect((await post({ ...LIST_TOOLS, params: { x: 'y'.repeat(200_000) } })).status).toBe(413);
});
