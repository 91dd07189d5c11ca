import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

export type ReceivedEvent = { id: number; at: number; data: string };

export type StreamClient = {
  status: number;
  headers: IncomingMessage['headers'];
  /** Events with data, in the order in which they arrived. */
  events: ReceivedEvent[];
  /** Returns the id that a browser would send in Last-Event-ID. */
  lastEventId: () => string | undefined;
  /** The lines outside events: comments and `retry`. */
  lines: string[];
  /** The body of a rejection. */
  body: () => Promise<string>;
  /** Resolves once the connection is closed, and says whether the response was complete. */
  closed: Promise<boolean>;
  response: IncomingMessage;
  close: () => void;
};

/** Connects to an event stream, and parses server-sent events as the HTML standard requires. */
export async function connectStream(
  url: string,
  token: string,
  {
    lastEventId,
    onEvent = () => {},
    keepEvents = true,
  }: {
    lastEventId?: string | undefined;
    onEvent?: (event: ReceivedEvent) => void;
    keepEvents?: boolean;
  } = {},
): Promise<StreamClient> {
  const request = get(url, {
    agent: false,
    headers: {
      authorization: token,
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const events: ReceivedEvent[] = [];
  const lines: string[] = [];
  let unread = '';
  let id = lastEventId;
  let pendingId = id;
  let data: string[] = [];
  const readLine = (line: string) => {
    if (line === '') {
      id = pendingId;
      if (data.length > 0) {
        const event = { id: Number(id), at: performance.now(), data: data.join('\n') };
        if (keepEvents) events.push(event);
        onEvent(event);
      }
      data = [];
    } else if (line.startsWith('id: ')) pendingId = line.slice(4);
    else if (line.startsWith('data: ')) data.push(line.slice(6));
    else lines.push(line);
  };
  response.setEncoding('utf8');
  const isStream = String(response.headers['content-type']).startsWith('text/event-stream');
  if (isStream) {
    response.on('data', (chunk: string) => {
      const parts = (unread + chunk).split('\n');
      unread = parts.pop() ?? '';
      for (const line of parts) readLine(line);
    });
  }
  response.on('error', () => {});
  request.on('error', () => {});
  const closed = new Promise<boolean>(resolve => response.once('close', () => resolve(response.complete)));
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    lastEventId: () => id,
    lines,
    body: async () => {
      let text = '';
      for await (const chunk of response) text += chunk;
      return text;
    },
    closed,
    response,
    close: () => request.destroy(),
  };
}
