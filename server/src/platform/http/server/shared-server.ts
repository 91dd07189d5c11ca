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
 * Creates one listener for two applications, for `serverFactory`. The other application gets the requests that belong to it, and
 * neither gets a request to which `reject` has responded.
 */
export const makeSharedServer =
  (
    isOther: (request: IncomingMessage) => boolean,
    other: () => RequestListener,
    reject: (request: IncomingMessage, response: ServerResponse) => boolean,
  ) =>
  (main: RequestListener, options: ServerSettings): Server => {
    const silentSockets = new Set<Socket>();
    const server = createServer({ ...options.http }, (request, response) => {
      silentSockets.delete(request.socket);
      if (reject(request, response)) return;
      (isOther(request) ? other() : main)(request, response);
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
 * Browsers and load balancers open connections before they have a request. Node closes connections between two requests when the
 * server closes, and would wait for these forever.
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
