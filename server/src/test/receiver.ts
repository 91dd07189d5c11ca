import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const ARRIVAL_TIMEOUT_MS = 100_000;

export type ReceivedRequest = { path: string; headers: IncomingHttpHeaders; body: string; at: number };

type Respond = (request: ReceivedRequest, response: ServerResponse) => void;

export type Receiver = {
  url: string;
  received: ReceivedRequest[];
  /** Sets the response to later requests, which is 200 by default. */
  respondWith: (respond: Respond | number) => void;
  /** Waits until this many requests have arrived. */
  count: (expectedCount: number, withinMs?: number) => Promise<ReceivedRequest[]>;
  close: () => Promise<void>;
};

/** Starts a local webhook receiver. */
export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedRequest[] = [];
  let respond: Respond = (_, response) => response.end();
  const server = createServer((request, response) => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const receivedRequest = {
        path: request.url ?? '',
        headers: request.headers,
        body:
          request.headers['content-encoding'] === 'gzip' ? body.toString('base64') : body.toString('utf8'),
        at,
      };
      received.push(receivedRequest);
      respond(receivedRequest, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    respondWith: reply => {
      respond = typeof reply === 'number' ? (_, response) => response.writeHead(reply).end() : reply;
    },
    count: async (expectedCount, withinMs = ARRIVAL_TIMEOUT_MS) => {
      const deadline = Date.now() + withinMs;
      while (received.length < expectedCount) {
        if (Date.now() > deadline) throw new Error(`${received.length} of ${expectedCount} requests arrived`);
        await new Promise(resolve => setTimeout(resolve, 5));
      }
      return received;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
