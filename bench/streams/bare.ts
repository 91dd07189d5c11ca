// A process that does nothing but write the same bytes to all of its sockets in one loop. The cost of a stream is compared with it.
import { createServer, type Socket } from 'node:net';
import { now } from './messages.ts';

const BYTES = 2_100;
const sockets = new Set<Socket>();
let revision = 1;

const frame = () => Buffer.from(`id: bare.bare.${revision}\ndata: ${'x'.repeat(BYTES)}\n\n`);

const server = createServer(socket => {
  sockets.add(socket);
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('close', () => sockets.delete(socket));
  socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n\r\nid: bare.bare.1\n\n`));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : 0);
});
process.on('message', () => {
  revision++;
  const bytes = frame();
  const at = now();
  for (const socket of sockets) socket.write(bytes);
  process.send?.({ revision, at });
});
process.on('disconnect', () => process.exit());
