import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const ARRIVED_WITHIN_MS = 100_000;

export type Received = { path: string; headers: IncomingHttpHeaders; body: string; at: number };

type Respond = (received: Received, response: ServerResponse) => void;

export type Receiver = {
  url: string;
  received: Received[];
  /** Sets the response to the next requests. 200 by default. */
  respondWith: (respond: Respond | number) => void;
  /** Waits until there are this many requests. */
  count: (wanted: number, withinMs?: number) => Promise<Received[]>;
  close: () => Promise<void>;
};

/** A receiver of webhooks on this machine. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let respond: Respond = (_, response) => response.end();
  const server = createServer((request, response) => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body:
          request.headers['content-encoding'] === 'gzip' ? body.toString('base64') : body.toString('utf8'),
        at,
      };
      received.push(one);
      respond(one, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    respondWith: wanted => {
      respond = typeof wanted === 'number' ? (_, response) => response.writeHead(wanted).end() : wanted;
    },
    count: async (wanted, withinMs = ARRIVED_WITHIN_MS) => {
      const until = Date.now() + withinMs;
      while (received.length < wanted) {
        if (Date.now() > until) throw new Error(`${received.length} of ${wanted} requests arrived`);
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
