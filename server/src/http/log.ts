import type { LoggerOptions } from 'pino';
import type { App } from './app.ts';

/** JSON lines with the request's id. Headers and addresses are not logged: both can carry tokens. */
export function logOptions(level: string): LoggerOptions {
  return {
    level,
    redact: {
      paths: ['req.headers', 'headers', '*.authorization', '*.cookie', '*.secret', '*.password', '*.token'],
      censor: '[hidden]',
    },
  };
}

export function installRequestLog(app: App): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        actor: request.actor?.userId,
      },
      'request',
    );
  });
}
