import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ApiError, notFound } from '../../platform/errors.ts';
import { errorResponses, jsonResponse } from '../../platform/http/schema.ts';
import { getCaller } from '../caller.ts';
import { acceptMetrics, acceptRegistration } from '../client-api/accept.ts';
import { type TokenKind, tokenCheck } from '../client-api/authenticate.ts';
import { authorize } from '../client-api/authorize.ts';
import { PUBLIC_BODY_LIMIT_BYTES, requireObject } from '../client-api/bodies.ts';
import { reportRoutes } from '../client-api/report-routes.ts';
import type { Responder } from '../client-api/responses.ts';
import { Metrics, Registration } from '../client-api/schema.ts';
import { preflightHeaders, setCorsHeaders } from '../cors/headers.ts';
import { completeContext, type RequestContext } from '../evaluation/context.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { respondWithResults, VARY } from '../evaluation/respond.ts';
import type { Reports } from '../reports.ts';
import { EVERYTHING, type ServingState } from '../state/serving.ts';
import { parseBodyContext, parseQueryContext } from './request-context.ts';
import {
  ContextQuery,
  FrontendFeature,
  FrontendFeatures,
  FrontendRequest,
  ImpressionEvents,
} from './schema.ts';
import { toggleBody, togglesBody } from './toggles.ts';

const tags = ['SDK'];
const security = [{ frontendToken: [] }];
const TOKEN_KINDS: readonly TokenKind[] = ['frontend'];
const OK = Buffer.from('OK');
const TEXT_TYPE = ['content-type', 'text/plain; charset=utf-8'];
const JSON_TYPE = ['content-type', 'application/json; charset=utf-8'];
const ACCEPTED = {
  description: 'Accepted',
  content: { 'text/plain': { schema: { type: 'string' }, example: 'OK' } },
};
const UNCHANGED = { type: 'null', description: 'The client already has the results for this context' };

const readQueryContext = ({ query, url }: FastifyRequest): RequestContext =>
  parseQueryContext(query as Record<string, unknown>, url.length - url.indexOf('?') - 1);

/** The API for SDKs in browsers and apps. It evaluates flags, so that clients get results rather than rules. */
export function frontendRoutes(
  app: FastifyInstance,
  state: ServingState,
  evaluation: Evaluation,
  responder: Responder,
  reports: Reports,
): void {
  for (const schema of [FrontendFeatures, FrontendFeature]) app.addSchema(schema);

  const respond = async (
    request: FastifyRequest,
    reply: FastifyReply,
    readContext: (request: FastifyRequest) => RequestContext,
  ): Promise<void> => {
    const { token, scope } = await authorize(state, request, EVERYTHING, TOKEN_KINDS);
    const caller = getCaller(token, request.ip);
    const context = completeContext(readContext(request), scope.environment, request.ip);
    await respondWithResults(evaluation, caller, scope, context, request, reply, togglesBody, {
      notModified: etag => responder.notModified(reply, 'frontend', etag, VARY),
      send: (body, headers) => responder.send(reply, 'frontend', 200, body, headers),
    });
  };

  const onRequest = tokenCheck(state.tokens, TOKEN_KINDS);

  app.addHook('onRequest', async (request, reply) => setCorsHeaders(state.origins, request, reply));

  for (const path of ['/api/frontend', '/api/frontend/*']) {
    app.options(path, { schema: { hide: true } }, (request, reply) =>
      responder.send(reply, 'other', 204, Buffer.alloc(0), preflightHeaders(request)),
    );
  }

  app.get(
    '/api/frontend',
    {
      config: { sdkOperation: 'frontend' },
      schema: {
        operationId: 'getFrontendFeatures',
        tags,
        security,
        summary: 'Evaluate all features',
        description:
          'Returns the features that are enabled for the context in the query, with their variants. The response has an ETag; while the results are the same, a request with If-None-Match returns 304. Requires an API token of type frontend.',
        querystring: ContextQuery,
        response: {
          200: jsonResponse('The enabled features', FrontendFeatures),
          304: UNCHANGED,
          ...errorResponses(400, 401, 403),
        },
      },
    },
    async (request, reply) => await respond(request, reply, readQueryContext),
  );

  app.post(
    '/api/frontend',
    {
      onRequest,
      bodyLimit: PUBLIC_BODY_LIMIT_BYTES,
      config: { sdkOperation: 'frontend' },
      schema: {
        operationId: 'postFrontendFeatures',
        tags,
        security,
        summary: 'Evaluate all features for a context in the body',
        description:
          'Returns the features that are enabled for the context in the body, with their variants. Compared with GET, the URL contains no personal data, and the browser sends one preflight request for all contexts. The response has an ETag; while the results are the same, a request with If-None-Match returns 304. Requires an API token of type frontend.',
        body: FrontendRequest,
        response: {
          200: jsonResponse('The enabled features', FrontendFeatures),
          304: UNCHANGED,
          ...errorResponses(400, 401, 403, 413, 415),
        },
      },
    },
    async (request, reply) =>
      await respond(request, reply, ({ body }) => parseBodyContext(requireObject(body))),
  );

  app.get(
    '/api/frontend/features/:featureName',
    {
      config: { sdkOperation: 'frontend' },
      schema: {
        operationId: 'getFrontendFeature',
        tags,
        security,
        summary: 'Evaluate one feature',
        description:
          'Returns one feature for the context in the query, whether or not it is enabled, as Unleash Edge does. The PHP SDK uses it with a frontend token. Requires an API token of type frontend.',
        params: Type.Object({
          featureName: Type.String({
            maxLength: 512,
            description: 'Feature name, unique in the instance',
            examples: ['checkout-v2'],
          }),
        }),
        querystring: ContextQuery,
        response: {
          200: jsonResponse('The feature', FrontendFeature),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async (request, reply) => {
      const { featureName } = request.params as { featureName: string };
      const { token, scope } = await authorize(state, request, EVERYTHING, TOKEN_KINDS);
      const context = completeContext(readQueryContext(request), scope.environment, request.ip);
      const evaluator = await evaluation.getEvaluator(scope);
      const flag = evaluator.find(featureName);
      if (!flag) throw notFound(`Feature "${featureName.slice(0, 200)}"`);
      const work = toggleBody(evaluator, flag, context);
      const body = await evaluation.run(getCaller(token, request.ip), work, 1, () => !reply.raw.destroyed);
      if (body === undefined) return void reply.hijack();
      responder.send(reply, 'frontend', 200, body, JSON_TYPE);
    },
  );

  app.get('/api/frontend/client/features', { schema: { hide: true } }, () => {
    throw new ApiError(
      'MethodNotAllowedError',
      'Frontend SDKs get evaluated features from GET /api/frontend. Backend SDKs use /api/client/features.',
    );
  });

  reportRoutes(
    app,
    responder,
    { onRequest, bodyLimit: PUBLIC_BODY_LIMIT_BYTES, security },
    { status: 200, description: ACCEPTED, body: OK, headers: TEXT_TYPE },
    [
      {
        path: '/api/frontend/client/register',
        operation: 'frontend-register',
        id: 'registerFrontendClient',
        summary: 'Register a frontend application',
        description:
          'Accepts a registration, like POST /api/client/register. Requires an API token of type frontend.',
        body: Registration,
        accept: request => acceptRegistration(reports, request),
      },
      {
        path: '/api/frontend/client/metrics',
        operation: 'frontend-metrics',
        id: 'sendFrontendMetrics',
        summary: 'Send metrics from a frontend application',
        description:
          'Accepts metrics, like POST /api/client/metrics. Requires an API token of type frontend.',
        body: Metrics,
        accept: request => acceptMetrics(reports, request),
      },
      {
        path: '/api/frontend/client/events',
        operation: 'frontend-events',
        id: 'sendFrontendEvents',
        summary: 'Send impression events from a frontend application',
        description:
          'Accepts impression events from newer frontend SDKs and discards them. Requires an API token of type frontend.',
        body: ImpressionEvents,
        accept: () => {},
      },
    ],
  );
}
