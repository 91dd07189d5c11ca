import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type TcpProxy = {
  port: number;
  /** Stops forwarding without closing anything, like a disconnected cable. The data arrives after `restore`. */
  freeze: () => void;
  /** Closes all connections and rejects new ones from now on, like a server that is down. */
  cut: () => void;
  /** Closes all connections, and forwards new ones to a different port, as after a failover. Ends a cut. */
  moveTo: (port: number) => void;
  /** Undoes `freeze` and `cut`. */
  restore: () => void;
  /** Closes the first connection whose client sends a packet containing `text`, once the packet is forwarded. */
  closeAfter: (text: string) => void;
  /** The number of connections that `closeAfter` has closed so far. */
  readonly closedCount: number;
  close: () => Promise<void>;
};

/**
 * Sits between a client and a server, and can stop forwarding. Like Node's HTTP servers, it sends small chunks immediately: otherwise,
 * the second of two chunks would wait up to 40 ms for the acknowledgment of the first.
 */
export async function startTcpProxy(host: string, firstPort: number): Promise<TcpProxy> {
  let port = firstPort;
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let isDown = false;
  let awaitedText: string | undefined;
  let closedCount = 0;
  const server = createServer({ noDelay: true }, near => {
    if (isDown) {
      near.destroy();
      return;
    }
    const far = connect({ port, host, noDelay: true });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('data', data => {
        const isLastPacket = socket === near && awaitedText !== undefined && data.includes(awaitedText);
        if (isLastPacket) awaitedText = undefined;
        other.write(data, () => {
          if (!isLastPacket) return;
          closedCount++;
          near.destroy();
        });
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      if (isFrozen) socket.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    cut: () => {
      isDown = true;
      for (const socket of sockets) socket.destroy();
    },
    moveTo: newPort => {
      port = newPort;
      isDown = false;
      for (const socket of sockets) socket.destroy();
    },
    restore: () => {
      isFrozen = false;
      isDown = false;
      for (const socket of sockets) socket.resume();
    },
    closeAfter: text => {
      awaitedText = text;
    },
    get closedCount() {
      return closedCount;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
