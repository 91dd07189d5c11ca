import { createInterface } from 'node:readline';
import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { CommandError } from '../../errors.ts';
import { buildPath } from '../../requests.ts';

const PARSE_ERROR = -32700;
const INTERNAL_ERROR = -32603;
const META_PREFIX = 'io.modelcontextprotocol/';

type Message = {
  id?: string | number | null;
  method?: string;
  params?: { name?: unknown; clientInfo?: Client; _meta?: Record<string, unknown> };
};
type Client = { name?: unknown; version?: unknown };

export const mcp = command({
  name: 'mcp',
  brief: 'Connect an agent to the server over stdio',
  description:
    'For agents that start their tools as local processes. The command reads one JSON-RPC message per line, sends it to the server, and prints the response. The tools and their permissions come from the server, so they always match its version. Give the agent a separate token, which halyard tokens delegate creates.',
  options: {
    readOnly: { type: 'flag', brief: 'Offer only tools that read, even if the token may do more' },
    project: {
      type: 'string',
      value: 'id',
      short: 'p',
      brief: 'Only this project, even if the token can see more',
      complete: 'projects',
    },
  },
  streams: true,
  raw: true,
  calls: [],
  output: { type: 'string' },
  examples: [
    { does: 'Connect an agent that may only read', run: 'mcp --read-only' },
    { does: 'Connect it to the project "payments" only', run: 'mcp --project payments' },
  ],
  run: async function* (context, _args, { readOnly, project }) {
    const path = buildPath('/mcp', { query: { readOnly: readOnly || undefined, project } });
    // A client of the 2025 protocol names itself and negotiates a version only in the handshake. The server has no sessions, so
    // each request repeats both in its headers.
    let sessionHeaders: Record<string, string> = {};
    for await (const line of createInterface({ input: context.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() === '') continue;
      const message = parseMessage(line);
      if (!message) {
        yield errorResponse(null, PARSE_ERROR, 'The line is not a JSON-RPC message.');
        continue;
      }
      const headers = { ...sessionHeaders, ...buildHeaders(message) };
      const response = await sendMessage(context, path, message, headers);
      if (message.method === 'initialize')
        sessionHeaders = { ...clientHeader(message.params?.clientInfo), ...versionHeader(response) };
      if (response !== undefined) yield response;
    }
  },
  text: line => line,
});

function parseMessage(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the headers that repeat parts of the body, so that proxies can read them. */
function buildHeaders({ method, params }: Message): Record<string, string> {
  const version = params?._meta?.[`${META_PREFIX}protocolVersion`];
  if (typeof version !== 'string' || method === undefined) return {};
  return {
    'Mcp-Protocol-Version': version,
    'Mcp-Method': method,
    ...(typeof params?.name === 'string' && { 'Mcp-Name': encodeHeader(params.name) }),
    ...clientHeader(params?._meta?.[`${META_PREFIX}clientInfo`] as Client | undefined),
  };
}

/** Encodes a header value as the protocol defines, because headers are ASCII. */
const encodeHeader = (text: string): string =>
  /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;

function clientHeader(client: Client | undefined): Record<string, string> {
  if (typeof client?.name !== 'string') return {};
  const cleanPart = (text: unknown) =>
    String(text ?? '')
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .slice(0, 50);
  return { 'Halyard-Client': `${cleanPart(client.name)}/${cleanPart(client.version)}` };
}

function versionHeader(response: string | undefined): Record<string, string> {
  const { result } = JSON.parse(response ?? '{}') as { result?: { protocolVersion?: unknown } };
  return typeof result?.protocolVersion === 'string'
    ? { 'Mcp-Protocol-Version': result.protocolVersion }
    : {};
}

/** Sends a message and returns the response as one line. A notification has no response. */
async function sendMessage(
  context: Context,
  path: string,
  message: Message,
  headers: Record<string, string>,
): Promise<string | undefined> {
  const id = message.id ?? null;
  try {
    const response = await context.send('POST', path, {
      body: message,
      once: true,
      headers: { Accept: 'application/json, text/event-stream', ...headers },
    });
    const body = await response.text();
    if (message.id === undefined) return undefined;
    const text = /^text\/event-stream/.test(response.headers.get('Content-Type') ?? '')
      ? extractMessage(body)
      : body;
    const value = JSON.parse(text) as { jsonrpc?: unknown; message?: unknown };
    if (value.jsonrpc !== undefined) return JSON.stringify(value);
    return errorResponse(
      id,
      INTERNAL_ERROR,
      String(value.message ?? `The server responded with ${response.status}.`),
    );
  } catch (error) {
    if (context.signal.aborted) throw error;
    if (message.id === undefined) return undefined;
    return errorResponse(
      id,
      INTERNAL_ERROR,
      error instanceof CommandError ? error.problem.message : 'The response is not JSON.',
    );
  }
}

/** Extracts the message from a stream with a single event, which is how the 2025 protocol sends a response. */
const extractMessage = (stream: string): string =>
  stream
    .split('\n')
    .filter(line => line.startsWith('data:'))
    .map(line => line.slice('data:'.length).trim())
    .findLast(data => data !== '') ?? '';

const errorResponse = (id: Message['id'], code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } });
