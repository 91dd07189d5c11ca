import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

export type SdkEvent = {
  id: string;
  name: string;
  /** The list of events in the data. */
  events: { type: string; eventId: number; [field: string]: unknown }[];
};

export type SdkStream = {
  status: number;
  headers: IncomingMessage['headers'];
  received: SdkEvent[];
  /** Lines outside events, such as comments. */
  lines: string[];
  bytes: () => number;
  closed: Promise<unknown>;
  isClosed: () => boolean;
  response: IncomingMessage;
  close: () => void;
};

/** Opens a stream as an SDK does, and records everything that arrives. */
export async function openStream(
  url: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<SdkStream> {
  const request = get(`${url}/api/client/streaming`, {
    agent: false,
    headers: { authorization: token, accept: 'text/event-stream', ...headers },
  });
  request.on('error', () => {});
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const received: SdkEvent[] = [];
  const lines: string[] = [];
  let unreadParts: string[] = [];
  let bytes = 0;
  let isClosed = false;
  let fields: Record<string, string> = {};
  const readLine = (line: string) => {
    const [, field = '', value = ''] = /^(id|event|data|retry): (.*)$/s.exec(line) ?? [];
    if (line === '' && fields.data !== undefined) {
      const { id = '', event = '', data } = fields;
      received.push({ id, name: event, events: JSON.parse(data).events });
    }
    if (line === '') fields = {};
    else if (field === '' || field === 'retry') lines.push(line);
    else fields[field] = value;
  };
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    bytes += Buffer.byteLength(chunk);
    const [head = '', ...parts] = chunk.split('\n');
    // The parts are joined when the line is complete, because a hydration arrives in hundreds of chunks.
    unreadParts.push(head);
    for (const part of parts) {
      readLine(unreadParts.join(''));
      unreadParts = [part];
    }
  });
  response.on('error', () => {});
  const closed = new Promise<void>(resolve => response.once('close', resolve)).then(() => {
    isClosed = true;
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    received,
    lines,
    bytes: () => bytes,
    closed,
    isClosed: () => isClosed,
    response,
    close: () => request.destroy(),
  };
}
