import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { LogController } from 'fastify';
import pino, { type LoggerOptions } from 'pino';
import { makeOutageLog } from './outage-log.ts';

/** Configures JSON log lines with the request's id. Headers and URLs are not logged, because both can contain tokens. */
export function logOptions(level: string, { hooks } = makeOutageLog()): LoggerOptions {
  return {
    level,
    hooks,
    serializers: { err: serializeError },
    redact: {
      paths: ['req.headers', 'headers', '*.authorization', '*.cookie', '*.secret', '*.password', '*.token'],
      censor: '[hidden]',
    },
  };
}

/** Omits objects, because `pg` attaches its connection to an error, and with it the key that cancels statements. */
function serializeError(error: Error): object {
  const { aggregateErrors, ...fields } = pino.stdSerializers.err(error);
  const isShown = (value: unknown) => typeof value !== 'object' || value === null || Array.isArray(value);
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => isShown(value))),
    ...(aggregateErrors && {
      errors: aggregateErrors.map((aggregateError: Error) => aggregateError.message),
    }),
  };
}

/**
 * Turns off Fastify's own request lines, because installRequestLog writes them. The same option silences the line about a response
 * that broke after its first bytes. The request log shows such a response with status 200, so the failure is logged here.
 */
export class RequestLogController extends LogController {
  constructor() {
    super({ disableRequestLogging: true });
  }

  override streamError(...[error, request]: Parameters<LogController['streamError']>): void {
    const route = request.routeOptions.url;
    const isGone = 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (isGone) request.log.info({ route }, 'response aborted by the client');
    // The token was revoked during an export, or the caller is no longer a root admin.
    else if (error instanceof ApiError && error.name === 'AuthenticationRequired')
      request.log.info({ route, error: error.name, actor: request.actor?.userId }, 'response ended early');
    else request.log.error({ err: error, route }, 'response stream failed');
  }
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
