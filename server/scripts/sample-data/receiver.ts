import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Receiver = {
  /** URL that accepts every request. */
  reliableUrl: string;
  /** URL that fails after a call to `fail`. */
  failingUrl: string;
  fail: () => void;
  close: () => void;
};

const UNAVAILABLE = JSON.stringify({
  error: 'upstream connect error or disconnect/reset before headers',
  reset_reason: 'connection timeout',
});

/** Receives the webhooks of the sample data. */
export async function startReceiver(): Promise<Receiver> {
  let isFailing = false;
  const server = createServer((request, response) => {
    request.resume();
    const isDown = isFailing && request.url === '/warehouse';
    response.writeHead(isDown ? 503 : 200, {
      'content-type': 'application/json',
      server: 'nginx/1.27.2',
      ...(isDown ? { 'retry-after': '5' } : {}),
    });
    response.end(isDown ? UNAVAILABLE : '{"accepted":true}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    reliableUrl: `${url}/deploy-bot`,
    failingUrl: `${url}/warehouse`,
    fail: () => {
      isFailing = true;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
