import type { Server } from 'node:http';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { App } from '@halyard/plane/platform/http/app.ts';

/**
 * Before a server stops, it drains: it reports that it is not ready, but keeps serving requests until the proxies have noticed.
 */
export type Drain = { begin: () => void; readonly isDraining: boolean };

declare module 'fastify' {
  interface FastifyInstance {
    drain: Drain;
  }
}

/**
 * Closes connections when the server stops. While the server drains or stops, every response asks the client to close its
 * connection, because a connection that is busy at that moment would otherwise stay open and idle until its keep-alive timeout
 * (72 s).
 */
export function installClosing(app: App): void {
  let isDraining = false;
  let isClosing = false;
  app.decorate('drain', {
    begin: () => {
      isDraining = true;
    },
    get isDraining() {
      return isDraining;
    },
  });
  // This listener runs before the handlers of both applications.
  app.server.prependListener('request', (_request, response) => {
    if (isDraining) response.shouldKeepAlive = false;
  });
  let serverClosed: Promise<void> | undefined;
  // This must be the first preClose hook, because the others end streams, whose clients must not reconnect to this server.
  app.addHook('preClose', async () => {
    isDraining = true;
    isClosing = true;
    if (!app.server.listening) return;
    await waitUntilQuiet(app.server);
    serverClosed = new Promise(resolve => app.server.close(() => resolve()));
  });
  app.addHook('onClose', async () => await serverClosed);
  // This covers requests that began before the server started to close.
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
}

const QUIET_TURN_MS = 0.3;
/**
 * A very busy machine may need this long to accept all connections that have arrived. The process exits 9 s after it begins to
 * stop.
 */
const MAX_QUIET_WAIT_MS = 5_000;

/**
 * Resolves when it is safe to close the port. The operating system resets a connection that it has opened but the server has not
 * accepted, and a proxy does not retry a POST on a connection that was reset. Node.js accepts one connection in each turn of the
 * event loop, so after a short turn without a new connection, no connection is waiting.
 */
async function waitUntilQuiet(server: Server): Promise<void> {
  let acceptedConnectionCount = 0;
  const count = () => {
    acceptedConnectionCount++;
  };
  server.on('connection', count);
  const deadline = performance.now() + MAX_QUIET_WAIT_MS;
  for (let now = performance.now(); now < deadline; ) {
    const previous = { acceptedConnections: acceptedConnectionCount, now };
    await yieldToEventLoop();
    now = performance.now();
    if (acceptedConnectionCount === previous.acceptedConnections && now - previous.now < QUIET_TURN_MS) break;
  }
  server.off('connection', count);
}
