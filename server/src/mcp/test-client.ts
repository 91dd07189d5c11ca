import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { App } from '../../../plane/src/platform/http/app.ts';

/** The revision of the protocol without sessions, and the newest one with a handshake. */
export const ERAS = ['2026-07-28', '2025-11-25'] as const;
export type Era = (typeof ERAS)[number];

/** The URL of a server that listens on a free port. */
export const listening = async (app: App): Promise<string> =>
  await app.listen({ host: '127.0.0.1', port: 0 });

/** Our tools return only text, never images or audio. */
type ToolResult = {
  isError?: boolean;
  structuredContent?: unknown;
  content: { type: string; text: string }[];
};

export type TestClient = {
  client: Client;
  call: (name: string, input?: Record<string, unknown>) => Promise<ToolResult>;
  /** The result of a call that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the result it expects
  ok: (name: string, input?: Record<string, unknown>) => Promise<any>;
  /** The error of a call that must fail. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the error it expects
  fails: (name: string, input?: Record<string, unknown>) => Promise<any>;
  close: () => Promise<void>;
};

/** The reference client, connected with a token. */
export async function connect(url: string, token: string, era: Era = '2026-07-28'): Promise<TestClient> {
  const client = new Client(
    { name: 'test agent', version: '3.1' },
    { versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', url), {
      requestInit: { headers: { authorization: token } },
    }),
  );
  const call: TestClient['call'] = async (name, input = {}) =>
    (await client.callTool({ name, arguments: input })) as ToolResult;
  const outcome = async (name: string, input: Record<string, unknown> | undefined, isError: boolean) => {
    const result = await call(name, input);
    if ((result.isError ?? false) !== isError)
      throw new Error(`${name} ${isError ? 'succeeded' : 'failed'}: ${JSON.stringify(result)}`);
    return result.structuredContent;
  };
  return {
    client,
    call,
    ok: (name, input) => outcome(name, input, false),
    fails: (name, input) => outcome(name, input, true),
    close: () => client.close(),
  };
}
