import type { App } from './app.ts';

const STALLED_AFTER_MS = 10_000;

/** Cuts off a client that stops reading its response: what is left of the response would stay in memory for good. */
export function installStalledClients(app: App, afterMs = STALLED_AFTER_MS): void {
  app.addHook('onSend', async (request, reply) => {
    const response = reply.raw;
    // Node calls this when no byte went through the socket for so long.
    response.setTimeout(afterMs, () => {
      const unread = (response.socket?.writableLength ?? 0) + response.writableLength;
      // Nothing to read yet: the response is still being made.
      if (unread === 0) return void response.setTimeout(afterMs);
      request.log.warn({ route: request.routeOptions.url, unread, afterMs }, 'client stopped reading');
      response.destroy();
    });
  });
}
