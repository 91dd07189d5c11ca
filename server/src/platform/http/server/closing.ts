import type { Server } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { App } from '../../../../../plane/src/platform/http/app.ts';

/** Before it stops, a server drains: it is not ready, and serves what arrives until proxies have noticed. */
export type Drain = { begin: () => void; readonly isDraining: boolean };

declare module 'fastify' {
  interface FastifyInstance {
    drain: Drain;
  }
}

/**
 * While the server drains or stops, every response asks the client to close its connection: one that was busy when the stop
 * began would otherwise stay open, idle, until its keep-alive time (72 s) is over.
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
  // Runs before the handlers of both applications.
  app.server.prependListener('request', (_request, response) => {
    if (isDraining) response.shouldKeepAlive = false;
  });
  let closed: Promise<void> | undefined;
  // The first of these hooks. The others end streams, whose clients must not come back to this server.
  app.addHook('preClose', async () => {
    isDraining = true;
    isClosing = true;
    if (!app.server.listening) return;
    await untilNothingArrives(app.server);
    closed = new Promise(resolve => app.server.close(() => resolve()));
  });
  app.addHook('onClose', async () => await closed);
  // For requests that began earlier.
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
}

const QUIET_TURN_MS = 0.3;
/**
 * A very busy machine may need this long to accept all connections that have arrived. The process ends 9 s after the stop began.
 */
const QUIET_WITHIN_MS = 5_000;

/**
 * Resolves when it is safe to close the port. The operating system resets a connection that it has opened but the server has not
 * accepted, and a proxy does not retry a POST on a connection that was reset. Node.js accepts one connection in each turn of the
 * event loop, so after a short turn without a new connection none is waiting.
 */
async function untilNothingArrives(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted++;
  };
  server.on('connection', count);
  const until = performance.now() + QUIET_WITHIN_MS;
  for (let now = performance.now(); now < until; ) {
    const before = { accepted, now };
    await nextTurn();
    now = performance.now();
    if (accepted === before.accepted && now - before.now < QUIET_TURN_MS) break;
  }
  server.off('connection', count);
}
