import { expect, test } from 'vitest';
import { api, createProject, run, unique } from './support/run.ts';

const line = (id: number, method: string, params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'pipe test', version: '1.0' },
};
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'modern', version: '2' },
};

/** Sends the lines and returns the responses in order. */
async function exchange(lines: string[], args = ['mcp'], env: Record<string, string> = {}) {
  const { stdout, code } = await run(args, { env, input: `${lines.join('\n')}\n` });
  const messages = stdout
    .trim()
    .split('\n')
    .map(text => JSON.parse(text));
  return { code, messages };
}

test('supports a client of the 2025 protocol', async () => {
  const project = await createProject(api);
  const name = `piped-${unique()}`;
  const { code, messages } = await exchange([
    line(1, 'initialize', INITIALIZE),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    line(2, 'tools/list', {}),
    '',
    'not json',
    line(3, 'tools/call', { name: 'create_flag', arguments: { name, project } }),
  ]);

  expect(code).toBe(0);
  expect(messages.map(({ id }) => id)).toEqual([1, 2, null, 3]);
  expect(messages[0].result.protocolVersion).toBe('2025-11-25');
  expect(messages[1].result.tools.length).toBeGreaterThan(10);
  expect(messages[2].error.code).toBe(-32700);
  expect(messages[3].result.structuredContent.flag).toBe(name);
  const { events } = await api.send<{ events: { createdByClient?: string }[] }>(
    'GET',
    `/api/admin/search/events?feature=IS:${name}&limit=1`,
  );
  expect(events[0]?.createdByClient).toBe('pipe-test/1.0');
});

test('supports a client of the 2026 protocol with --read-only', async () => {
  const { messages } = await exchange(
    [
      line(1, 'tools/list', { _meta: MODERN }),
      line(2, 'tools/call', { name: 'find_flags', arguments: {}, _meta: MODERN }),
    ],
    ['mcp', '--read-only'],
  );
  const names = messages[0].result.tools.map((tool: { name: string }) => tool.name);

  expect(names).toContain('get_flag');
  expect(names).not.toContain('apply_plan');
  expect(messages[1].result.structuredContent.flags).toBeInstanceOf(Array);
});

test('keeps running after a rejected token', async () => {
  const { messages } = await exchange([line(1, 'tools/list', {}), line(2, 'tools/list', {})], ['mcp'], {
    HALYARD_TOKEN: 'user:unknown',
  });

  expect(messages.map(({ error }) => error.message)).toEqual(Array(2).fill(expect.stringContaining('token')));
});
