import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const CONNECTIONS = 16;

export type Request = { port: number; text: string };

/** The whole response to one request, as bytes. */
export async function readResponse({ port, text }: Request): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', chunk => chunks.push(chunk));
  socket.write(text.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
  await once(socket, 'close');
  return Buffer.concat(chunks);
}

/** Sends requests on 16 connections, each one after the previous response. All responses have the same length. */
export async function onKeptConnections(
  { port, text }: Request,
  count: number,
  length: number,
): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      const { promise, resolve } = Promise.withResolvers<void>();
      let received = 0;
      const send = () => {
        if (left-- > 0) socket.write(text);
        else resolve();
      };
      socket.on('data', chunk => {
        received += chunk.length;
        if (received < length) return;
        received = 0;
        send();
      });
      send();
      await promise;
      socket.destroy();
    }),
  );
}

/** Sends each request on a separate connection, 16 at a time. */
export async function onNewConnections(
  { port, text }: Request,
  count: number,
  length: number,
): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) await once(await answered(connect(port, '127.0.0.1'), text, length), 'close');
    }),
  );
}

async function answered(socket: Socket, text: string, length: number): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let received = 0;
  socket.on('data', chunk => {
    received += chunk.length;
    if (received >= length) resolve();
  });
  socket.write(text);
  await promise;
  socket.destroy();
  return socket;
}
