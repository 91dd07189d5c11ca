import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
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
    const server = createServer({ ...options.http }, (request, response) => {
      if (reject(request, response)) return;
      (isOther(request) ? other() : main)(request, response);
    });
    server.keepAliveTimeout = options.keepAliveTimeout ?? server.keepAliveTimeout;
    server.requestTimeout = options.requestTimeout ?? server.requestTimeout;
    return server;
  };
