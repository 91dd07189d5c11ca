import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { Admission } from '../platform/admission/metrics.ts';
import type { NetworkQueues } from '../platform/admission/network-queues.ts';
import { notFound } from '../platform/errors.ts';
import { SDK_TOKEN_SCHEMES } from '../platform/http/description/token-schemes.ts';
import { lazyCompilers } from '../platform/http/input/compilers.ts';
import { MAX_PARAM_LENGTH } from '../platform/http/input/url-limits.ts';
import { errorBody, STATUS, toApiError } from '../platform/http/output/error-body.ts';
import { collectMethods, wrongMethod } from '../platform/http/output/methods.ts';
import { installNetworkQueues } from '../platform/http/protection/network-queues.ts';
import { ErrorBody, withBusyResponses } from '../platform/http/schema.ts';
import { makeSdkAdmission } from './admission.ts';
import { authorize, forgetLostRevision } from './client-api/authorize.ts';
import { installSdkBodies } from './client-api/bodies.ts';
import { type CountRequest, type Operation, registerRequestMetrics } from './client-api/metrics.ts';
import { makeResponder, type Responder } from './client-api/responses.ts';
import { clientRoutes } from './client-api/routes.ts';
import { makeEvaluation } from './evaluation/evaluation.ts';
import type { SliceLimits } from './evaluation/slices.ts';
import { frontendRoutes } from './frontend-api/routes.ts';
import { makeOfrepErrors } from './ofrep/errors.ts';
import { makeNotifications } from './ofrep/notifications.ts';
import { ofrepRoutes } from './ofrep/routes.ts';
import type { Positions } from './positions.ts';
import type { Reports } from './reports.ts';
import type { ServingState } from './state/serving.ts';
import type { StreamLimits } from './streaming/limits.ts';
import { streamingRoutes } from './streaming/routes.ts';
import { makeStreams } from './streaming/streams.ts';

/** Paths of the APIs for SDKs. SDKs build URLs by joining strings, so slashes can be doubled. */
const SDK_PATH = /^\/+(?:api\/+(?:client|frontend|edge)|edge|ofrep)(?=[/?]|$)/;
const OFREP_PATH = /^\/+ofrep\/+/;

export const isSdkPath = (url: string): boolean => SDK_PATH.test(url);

/** The schemas describe the API. They are never used to reject an SDK's body. */
const ACCEPT_ALL = () => () => true;

export type SdkAppSettings = {
  securityHeaders: Record<string, string>;
  log: { error: (fields: object, message: string) => void };
  metrics: Registry;
  streams: StreamLimits;
  evaluation: SliceLimits;
  /** IP addresses of proxies whose X-Forwarded-For is trusted. */
  trustedProxies: string[];
  reports: Reports;
  positions: Positions;
  networkQueues: NetworkQueues;
  /** The resources that appear in the admission metrics. */
  admission: Admission;
  /** Whether to generate the OpenAPI document, which a server publishes and an edge does not. */
  hasApiDocument?: boolean;
  /** Adds routes of higher layers, with the same responses and errors. */
  addRoutes?: (app: FastifyInstance, responder: Responder, count: CountRequest) => void;
};

/** Loads the generator on demand, because it is an eighth of an edge's code, and an edge has to start quickly. */
async function describe(app: FastifyInstance): Promise<void> {
  const { default: swagger } = await import('@fastify/swagger');
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      // Only the operations and schemas are used (platform/http/description/openapi.ts).
      info: { title: 'SDK', version: '0' },
      components: { securitySchemes: SDK_TOKEN_SCHEMES },
    },
    transform: ({ schema, url }) => ({ schema: withBusyResponses(schema), url }),
    refResolver: { buildLocalReference: (json, _uri, _fragment, i) => String(json.$id ?? `Schema${i}`) },
  });
}

/**
 * Builds a separate application for SDKs, because the admin API's hooks would double the cost of a response, and its log line
 * would triple it.
 */
export async function buildSdkApp(state: ServingState, settings: SdkAppSettings): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    trustProxy: settings.trustedProxies.length > 0 ? settings.trustedProxies : false,
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: MAX_PARAM_LENGTH,
    },
    return503OnClosing: false,
    schemaController: lazyCompilers,
    // The router rejects a path before a plugin can handle the error.
    frameworkErrors: (error, request, reply) =>
      (OFREP_PATH.test(request.url) ? failOfrep : fail)(error, request, reply),
  });
  const listMethods = collectMethods(app);
  const admission = makeSdkAdmission(settings.streams.streams);
  const count = registerRequestMetrics(settings.metrics);
  const responder = makeResponder(state, count, settings.securityHeaders);
  const streams = makeStreams(
    state,
    settings.streams,
    admission.streams,
    settings.metrics,
    settings.positions,
  );
  settings.positions.setReconnectClients(streams.reconnect);
  const evaluation = makeEvaluation(
    settings.evaluation,
    admission.unread,
    settings.metrics,
    settings.positions.countEvaluation,
  );
  settings.admission
    .set('sdk-bodies', admission.bodies)
    .set('sdk-evaluations', evaluation.waiting)
    .set('sdk-unread', admission.unread)
    .set('sdk-streams', admission.streams)
    .set('sdk-page-streams', admission.pageStreams);
  const notifications = makeNotifications(state, admission, settings.metrics);
  const fail = makeErrorHandler(responder, settings.log);
  const failOfrep = makeOfrepErrors(responder, settings.log);
  app.setValidatorCompiler(ACCEPT_ALL);
  app.setErrorHandler(fail);
  app.setNotFoundHandler((request, reply) => {
    if (request.method !== 'OPTIONS') {
      const path = request.url.split('?')[0] ?? '';
      const operation = `${request.method} ${path.slice(0, 200)}`;
      const methods = listMethods(path);
      throw methods.length > 0 ? wrongMethod(operation, methods) : notFound(operation);
    }
    responder.send(reply, 'other', 204, Buffer.alloc(0), ['allow', 'GET, POST, OPTIONS']);
  });
  app.addHook('preClose', async () => {
    responder.close();
    // Not awaited: the server must stop listening now, and waits for all connections itself.
    void notifications.close();
    void streams.close();
  });
  app.decorateRequest('sdkToken');
  installNetworkQueues(app, settings.networkQueues);
  installSdkBodies(app, admission.bodies);
  app.addSchema(ErrorBody);
  if (settings.hasApiDocument) await describe(app);
  clientRoutes(app, state, streams, responder, settings.reports, settings.positions);
  streamingRoutes(app, streams, settings.positions, {
    authorize: async request => {
      const access = await authorize(state, request);
      await forgetLostRevision(state, request, access.scope);
      return access;
    },
    commonHeaders: responder.commonHeaders,
    count: status => count('streaming', status),
  });
  settings.addRoutes?.(app, responder, count);
  await app.register((part, _options, done) => {
    part.setValidatorCompiler(ACCEPT_ALL);
    frontendRoutes(part, state, evaluation, responder, settings.reports);
    done();
  });
  await app.register((part, _options, done) => {
    part.setValidatorCompiler(ACCEPT_ALL);
    part.setErrorHandler(failOfrep);
    ofrepRoutes(part, state, evaluation, notifications, responder, count);
    done();
  });
  return app;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation's name in the SDK metrics. */
    sdkOperation?: Operation;
  }
}

type Handler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Responds in the API's usual error format. Only bugs are logged here; outages are logged once, where they are noticed. */
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
      // The connection still has unread body bytes.
      ...(request.raw.complete ? [] : ['connection', 'close']),
    ]);
  };
}
