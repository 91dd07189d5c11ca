import type { App } from '@halyard/plane/platform/http/app.ts';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The revision of the protocol that has no sessions, and the newest revision that has a handshake. */
export const PROTOCOL_VERSIONS = ['2026-07-28', '2025-11-25'] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/** Makes the server listen on a free port and returns its URL. */
export const listenOnFreePort = async (app: App): Promise<string> =>
  await app.listen({ host: '127.0.0.1', port: 0 });

/** Halyard's tools return only text, never images or audio. */
type ToolResult = {
  isError?: boolean;
  structuredContent?: unknown;
  content: { type: string; text: string }[];
};

export type TestClient = {
  client: Client;
  call: (name: string, input?: Record<string, unknown>) => Promise<ToolResult>;
  /** Returns the result of a call that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the result it expects
  ok: (name: string, input?: Record<string, unknown>) => Promise<any>;
  /** Returns the error of a call that must fail. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the error it expects
  fails: (name: string, input?: Record<string, unknown>) => Promise<any>;
  close: () => Promise<void>;
};

/** Connects the reference client with a token. */
export async function connect(
  url: string,
  token: string,
  protocolVersion: ProtocolVersion = '2026-07-28',
): Promise<TestClient> {
  const client = new Client(
    { name: 'test agent', version: '3.1' },
    { versionNegotiation: { mode: protocolVersion === '2026-07-28' ? { pin: protocolVersion } : 'legacy' } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', url), {
      requestInit: { headers: { authorization: token } },
    }),
  );
  const call: TestClient['call'] = async (name, input = {}) =>
    (await client.callTool({ name, arguments: input })) as ToolResult;
  const callExpecting = async (
    name: string,
    input: Record<string, unknown> | undefined,
    isError: boolean,
  ) => {
    const result = await call(name, input);
    if ((result.isError ?? false) !== isError)
      throw new Error(`${name} ${isError ? 'succeeded' : 'failed'}: ${JSON.stringify(result)}`);
    return result.structuredContent;
  };
  return {
    client,
    call,
    ok: (name, input) => callExpecting(name, input, false),
    fails: (name, input) => callExpecting(name, input, true),
    close: () => client.close(),
  };
}
