import { randomUUID } from 'node:crypto';
import swagger from '@fastify/swagger';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Registry } from 'prom-client';
import { notFound } from '../../platform/errors.ts';
import { errorBody, STATUS, toApiError } from '../../platform/http/errors.ts';
import { MAX_PARAM_LENGTH } from '../../platform/http/input.ts';
import { SDK_TOKEN_SCHEME } from '../../platform/http/openapi.ts';
import { ErrorBody } from '../../platform/http/schema.ts';
import type { ServingState } from '../state/serving.ts';
import type { StreamLimits } from '../streaming/limits.ts';
import { streamingRoutes } from '../streaming/routes.ts';
import { makeStreams } from '../streaming/streams.ts';
import { authorize } from './authorize.ts';
import { installSdkBodies } from './bodies.ts';
import { type Operation, requestMetrics } from './metrics.ts';
import { makeResponder, type Responder } from './responses.ts';
import { clientRoutes } from './routes.ts';

/** Paths of the API for server-side SDKs. SDKs build addresses by joining texts, so slashes can be doubled. */
const SDK_PATH = /^\/+(?:api\/+client|edge)(?=[/?]|$)/;

export const isSdkPath = (url: string): boolean => SDK_PATH.test(url);

export type SdkAppSettings = {
  securityHeaders: Record<string, string>;
  log: Pick<FastifyBaseLogger, 'error'>;
  metrics: Registry;
  streams: StreamLimits;
};

/** An application of its own: the hooks of the admin API would double the cost of a response, and its log line triple it. */
export async function buildSdkApp(state: ServingState, settings: SdkAppSettings): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: MAX_PARAM_LENGTH,
    },
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => fail(error, request, reply),
  });
  const count = requestMetrics(settings.metrics);
  const responder = makeResponder(state, count, settings.securityHeaders);
  const streams = makeStreams(state, settings.streams, settings.metrics);
  const fail = makeErrorHandler(responder, settings.log);
  // The schemas describe the API. A body of an SDK is never rejected by them.
  app.setValidatorCompiler(() => () => true);
  app.setErrorHandler(fail);
  app.setNotFoundHandler((request, reply) => {
    if (request.method !== 'OPTIONS')
      throw notFound(`${request.method} ${request.url.split('?')[0]?.slice(0, 200)}`);
    responder.send(reply, 'other', 204, Buffer.alloc(0), ['allow', 'GET, POST, OPTIONS']);
  });
  app.addHook('preClose', async () => {
    responder.close();
    // Not awaited: the server must stop to listen now, and waits for all connections itself.
    void streams.close();
  });
  installSdkBodies(app);
  app.addSchema(ErrorBody);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      // Only the operations and schemas are used (platform/http/openapi.ts).
      info: { title: 'SDK', version: '0' },
      components: { securitySchemes: { sdkToken: SDK_TOKEN_SCHEME } },
    },
    refResolver: { buildLocalReference: (json, _uri, _fragment, i) => String(json.$id ?? `Schema${i}`) },
  });
  clientRoutes(app, state, streams, responder);
  streamingRoutes(app, streams, {
    authorize: request => authorize(state, request),
    commonHeaders: responder.commonHeaders,
    count: status => count('streaming', status),
  });
  return app;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name of an operation for SDKs in the metrics. */
    sdkOperation?: Operation;
  }
}

type Handler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Responds in the one error shape of the API. Only a bug is logged: outages are, once, where they are noticed. */
function makeErrorHandler(responder: Responder, log: SdkAppSettings['log']): Handler {
  return (error, request, reply) => {
    const id = randomUUID();
    const rejection = toApiError(error, request, id);
    const status = STATUS[rejection.name];
    if (status === 500) log.error({ err: error, errorId: id }, 'SDK request failed');
    const body = Buffer.from(JSON.stringify(errorBody(rejection, id)));
    const retryAfter = rejection.retryAfter ?? (status === 503 ? 2 : undefined);
    responder.send(reply, request.routeOptions.config.sdkOperation ?? 'other', status, body, [
      'content-type',
      'application/json; charset=utf-8',
      ...(retryAfter === undefined ? [] : ['retry-after', String(retryAfter)]),
      // The rest of the body is not read.
      ...(request.raw.complete ? [] : ['connection', 'close']),
    ]);
  };
}
