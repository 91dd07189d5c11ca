import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type TcpProxy = {
  port: number;
  /** Silently drops all packets from now on, like a disconnected cable. */
  freeze: () => void;
  /** Closes all connections and rejects new ones from now on, like a server that is down. */
  cut: () => void;
  /** Closes all connections, and forwards new ones to another port, as after a failover. Ends a cut. */
  moveTo: (port: number) => void;
  /** Ends a freeze or a cut. */
  thaw: () => void;
  /**
   * Cuts the connection whose client next sends a packet with this string, after the packet was passed on. With `earlier`, only a
   * connection whose client has sent that string before.
   */
  cutAfter: (text: string, earlier?: string) => void;
  /** Connections that `cutAfter` has cut so far. */
  readonly cuts: number;
  close: () => Promise<void>;
};

/** Sits between a client and a server, and can stop forwarding. */
export async function startTcpProxy(host: string, firstPort: number): Promise<TcpProxy> {
  let port = firstPort;
  const sockets = new Set<Socket>();
  let frozen = false;
  let isDown = false;
  let cutting: { text: string; earlier: string } | undefined;
  let cuts = 0;
  const server = createServer(near => {
    if (isDown) {
      near.destroy();
      return;
    }
    let isReady = false;
    const far = connect(port, host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('data', data => {
        if (one === near && cutting !== undefined && data.includes(cutting.earlier)) isReady = true;
        const isCut = one === near && isReady && cutting !== undefined && data.includes(cutting.text);
        if (isCut) cutting = undefined;
        other.write(data, () => {
          if (!isCut) return;
          cuts++;
          near.destroy();
        });
      });
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      if (frozen) one.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    cut: () => {
      isDown = true;
      for (const socket of sockets) socket.destroy();
    },
    moveTo: next => {
      port = next;
      isDown = false;
      for (const socket of sockets) socket.destroy();
    },
    thaw: () => {
      frozen = false;
      isDown = false;
      for (const socket of sockets) socket.resume();
    },
    cutAfter: (text, earlier = '') => {
      cutting = { text, earlier };
    },
    get cuts() {
      return cuts;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
