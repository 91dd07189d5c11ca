import { Socket } from 'node:net';
import type { App } from '@halyard/plane/platform/http/app.ts';

const STALLED_AFTER_MS = 10_000;

/** Cuts off a client that stops reading its response, because otherwise the rest of the response would stay in memory forever. */
export function installStalledClients(app: App, afterMs = STALLED_AFTER_MS): void {
  app.addHook('onSend', async (request, reply) => {
    const response = reply.raw;
    const { socket } = request.raw;
    // A request that did not come through the network has no client that could stop reading.
    if (!(socket instanceof Socket)) return;
    // Node calls this when no byte has passed through the socket for this long.
    response.setTimeout(afterMs, () => {
      const unreadBytes = socket.writableLength + response.writableLength;
      // There is nothing to read yet, because the response is still being created.
      if (unreadBytes === 0) return void socket.setTimeout(afterMs);
      request.log.warn(
        { route: request.routeOptions.url, unread: unreadBytes, afterMs },
        'client stopped reading',
      );
      response.destroy();
    });
  });
}
