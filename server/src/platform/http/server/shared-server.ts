import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyServerOptions } from 'fastify';

/** The settings of the server that Fastify does not apply to a server which it did not create. */
type ServerSettings = Pick<FastifyServerOptions, 'keepAliveTimeout' | 'requestTimeout'> & {
  http?: Parameters<typeof createServer>[0];
};

/**
 * For `serverFactory`: one listener for two applications. The other application gets the requests that belong to it, and
 * neither gets a request to which `reject` has responded.
 */
export const sharedServer =
  (
    isOther: (request: IncomingMessage) => boolean,
    other: () => RequestListener,
    reject: (request: IncomingMessage, response: ServerResponse) => boolean,
  ) =>
  (main: RequestListener, options: ServerSettings): Server => {
    const silent = new Set<Socket>();
    const server = createServer({ ...options.http }, (request, response) => {
      silent.delete(request.socket);
      if (reject(request, response)) return;
      (isOther(request) ? other() : main)(request, response);
    });
    server.keepAliveTimeout = options.keepAliveTimeout ?? server.keepAliveTimeout;
    server.requestTimeout = options.requestTimeout ?? server.requestTimeout;
    server.on('connection', socket => {
      silent.add(socket);
      socket.once('close', () => silent.delete(socket));
    });
    endSilent(server, silent);
    return server;
  };

/**
 * Browsers and load balancers open connections before they have a request. Node closes connections between two requests when the
 * server closes, and would wait for these forever.
 */
function endSilent(server: Server, silent: ReadonlySet<Socket>): void {
  const close = server.close.bind(server);
  server.close = callback => {
    for (const socket of silent) if (socket.bytesRead === 0) socket.destroy();
    // Half of a request head may still become a request.
    setTimeout(() => {
      for (const socket of silent) socket.destroy();
    }, server.headersTimeout).unref();
    return close(callback);
  };
}
