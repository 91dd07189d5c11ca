import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { FastifyServerOptions } from 'fastify';

/** The settings of the server that Fastify does not apply to a server which it did not create. */
type ServerSettings = Pick<FastifyServerOptions, 'keepAliveTimeout' | 'requestTimeout'> & {
  http?: Parameters<typeof createServer>[0];
};

/** For `serverFactory`: one listener for two applications. The other application gets the requests that belong to it. */
export const sharedServer =
  (isOther: (request: IncomingMessage) => boolean, other: () => RequestListener) =>
  (main: RequestListener, options: ServerSettings): Server => {
    const server = createServer({ ...options.http }, (request, response) =>
      isOther(request) ? other()(request, response) : main(request, response),
    );
    server.keepAliveTimeout = options.keepAliveTimeout ?? server.keepAliveTimeout;
    server.requestTimeout = options.requestTimeout ?? server.requestTimeout;
    return server;
  };
