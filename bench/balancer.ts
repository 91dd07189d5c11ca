import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Balancer = { url: string; close: () => void };

/** Forwards each connection to a random port, or to the next one if nothing listens there. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  const forward = (clientSocket: Socket, candidates: readonly number[]): void => {
    const [port, ...otherPorts] = candidates;
    if (port === undefined) {
      clientSocket.destroy();
      return;
    }
    const serverSocket = connect(port, '127.0.0.1');
    serverSocket.once('error', () => {
      if (serverSocket.bytesRead + serverSocket.bytesWritten === 0) forward(clientSocket, otherPorts);
    });
    serverSocket.once('connect', () => {
      for (const [source, target] of [
        [clientSocket, serverSocket],
        [serverSocket, clientSocket],
      ] as const) {
        sockets.add(source);
        source.pipe(target);
        source.on('error', () => {});
        source.on('close', () => {
          sockets.delete(source);
          target.destroy();
        });
      }
    });
  };
  const server = createServer(clientSocket => {
    clientSocket.on('error', () => {});
    forward(clientSocket, Math.random() < 0.5 ? ports : ports.toReversed());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
