import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const CONNECTIONS = 16;

export type Request = { port: number; text: string };

/** Builds a request as the Node.js SDK sends it. */
export function buildRequest(token: string, etag = '', path = '/api/client/features'): string {
  return [
    `GET ${path} HTTP/1.1`,
    'host: 127.0.0.1:4242',
    'accept: */*',
    'accept-encoding: gzip, deflate',
    `authorization: ${token}`,
    'unleash-appname: bench',
    'unleash-instanceid: bench-instance',
    'unleash-connection-id: 6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55',
    'unleash-interval: 15000',
    'unleash-sdk: unleash-node-sdk:6.12.1',
    'unleash-client-spec: 5.2.0',
    'user-agent: bench',
    ...(etag === '' ? [] : [`if-none-match: ${etag}`]),
    '',
    '',
  ].join('\r\n');
}

/** Sends a request on a new connection, and returns the whole response. */
export async function readResponse({ port, text }: Request): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', chunk => chunks.push(chunk));
  socket.write(text.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
  await once(socket, 'close');
  return Buffer.concat(chunks);
}

/** Measures the length of a response on a persistent connection. */
export async function measureResponseLength({ port, text }: Request): Promise<number> {
  const response = await readResponse({ port, text });
  // The measured response has `connection: close` instead of `connection: keep-alive` and `keep-alive: timeout=72`.
  return response.length - 'close'.length + 'keep-alive'.length + 'Keep-Alive: timeout=72\r\n'.length;
}

/**
 * Sends requests 16 at a time, each on a new connection or on one of 16 persistent connections. All responses have the same length.
 */
export async function sendMany(
  { port, text }: Request,
  count: number,
  length: number,
  isPersistent = true,
): Promise<void> {
  let remaining = count;
  const exchange = (socket: Socket) =>
    new Promise<void>(resolve => {
      let received = 0;
      const receive = (chunk: Buffer) => {
        received += chunk.length;
        if (received < length) return;
        socket.off('data', receive);
        resolve();
      };
      socket.on('data', receive);
      socket.write(text);
    });
  const sendInTurn = async () => {
    let socket = connect(port, '127.0.0.1');
    while (remaining-- > 0) {
      await exchange(socket);
      if (isPersistent) continue;
      socket.destroy();
      await once(socket, 'close');
      socket = connect(port, '127.0.0.1');
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendInTurn));
}
