import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Balancer = { url: string; close: () => void };

/** Forwards each connection to one of the ports, chosen at random, or to another one if nothing listens there. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  const forward = (near: Socket, candidates: readonly number[]): void => {
    const [port, ...others] = candidates;
    if (port === undefined) {
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    far.once('error', () => {
      if (far.bytesRead + far.bytesWritten === 0) forward(near, others);
    });
    far.once('connect', () => {
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one.pipe(other);
        one.on('error', () => {});
        one.on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      }
    });
  };
  const server = createServer(near => {
    near.on('error', () => {});
    forward(near, Math.random() < 0.5 ? ports : ports.toReversed());
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
