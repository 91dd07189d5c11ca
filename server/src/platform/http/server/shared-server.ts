import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyServerOptions } from 'fastify';

/** The settings that Fastify does not apply to a server that it did not create. */
type ServerSettings = Pick<FastifyServerOptions, 'keepAliveTimeout' | 'requestTimeout'> & {
  http?: Parameters<typeof createServer>[0];
};

/**
 * Creates one server for two applications, for Fastify's `serverFactory`. Requests that `belongsToOther` accepts go to the other
 * application. Neither application gets a request that `rejectEarly` has responded to.
 */
export const makeSharedServer =
  (
    belongsToOther: (request: IncomingMessage) => boolean,
    getOther: () => RequestListener,
    rejectEarly: (request: IncomingMessage, response: ServerResponse) => boolean,
  ) =>
  (main: RequestListener, options: ServerSettings): Server => {
    const silentSockets = new Set<Socket>();
    const server = createServer({ ...options.http }, (request, response) => {
      silentSockets.delete(request.socket);
      if (rejectEarly(request, response)) return;
      (belongsToOther(request) ? getOther() : main)(request, response);
    });
    server.keepAliveTimeout = options.keepAliveTimeout ?? server.keepAliveTimeout;
    server.requestTimeout = options.requestTimeout ?? server.requestTimeout;
    server.on('connection', socket => {
      silentSockets.add(socket);
      socket.once('close', () => silentSockets.delete(socket));
    });
    endSilentSockets(server, silentSockets);
    return server;
  };

/**
 * Browsers and load balancers open connections before they have a request. When a server closes, Node closes connections that are
 * idle between two requests, but would wait forever for connections that never sent a request.
 */
function endSilentSockets(server: Server, silentSockets: ReadonlySet<Socket>): void {
  const close = server.close.bind(server);
  server.close = callback => {
    for (const socket of silentSockets) if (socket.bytesRead === 0) socket.destroy();
    // A partial request head may still become a request.
    setTimeout(() => {
      for (const socket of silentSockets) socket.destroy();
    }, server.headersTimeout).unref();
    return close(callback);
  };
}
