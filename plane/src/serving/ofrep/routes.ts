import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { notFound } from '../../platform/errors.ts';
import { EVENT_STREAM_HEAD } from '../../platform/http/output/server-sent-events.ts';
import { jsonResponse, Optional } from '../../platform/http/schema.ts';
import { getCaller } from '../caller.ts';
import { parseToken, type TokenKind, tokenCheck } from '../client-api/authenticate.ts';
import { PUBLIC_BODY_LIMIT_BYTES } from '../client-api/bodies.ts';
import type { CountRequest } from '../client-api/metrics.ts';
import type { Responder } from '../client-api/responses.ts';
import { preflightHeaders, setCorsHeaders } from '../cors/headers.ts';
import { completeContext } from '../evaluation/context.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { respondWithResults, VARY } from '../evaluation/respond.ts';
import type { ServingState } from '../state/serving.ts';
import type { SdkToken } from '../tokens/tokens.ts';
import { bulkBody, evaluateFlag } from './bulk.ts';
import type { Notifications } from './notifications.ts';
import { readContext } from './request-context.ts';
import { OfrepEvaluation, OfrepEvaluations, OfrepFailure, OfrepRequest } from './schema.ts';
import { makeStreamIds } from './stream-ids.ts';
import { ENABLED_SUFFIX, hasPayload } from './values.ts';
import { makeWaitForRevision } from './wait-for-revision.ts';

const tags = ['SDK'];
const security = [{ sdkToken: [] }, { frontendToken: [] }];
const TOKEN_KINDS: readonly TokenKind[] = ['backend', 'frontend'];
const JSON_TYPE = ['content-type', 'application/json; charset=utf-8'];
const STREAM_PATH = '/ofrep/v1/events';

const failure = (description: string) => jsonResponse(description, OfrepFailure);
const FAILURES = {
  400: failure('The body or the context is invalid'),
  401: failure('The token is missing or invalid'),
  403: failure('The token has the wrong type'),
  413: failure('The body is too large'),
  415: failure('The body is not JSON'),
  429: failure('The caller has too many requests at a time. Retry-After contains the seconds to wait'),
  503: failure('The server cannot evaluate now. Retry-After contains the seconds to wait'),
};

/** The protocol has its own header for the token. */
function readTokenOrKey({ headers: { authorization, 'x-api-key': key } }: FastifyRequest): string {
  return authorization === undefined ? String(key ?? '') : parseToken(authorization);
}

/** The OpenFeature Remote Evaluation Protocol, for OpenFeature providers. */
export function ofrepRoutes(
  app: FastifyInstance,
  state: ServingState,
  evaluation: Evaluation,
  notifications: Notifications,
  responder: Responder,
  count: CountRequest,
): void {
  for (const schema of [OfrepEvaluation, OfrepEvaluations, OfrepFailure]) app.addSchema(schema);
  const addresses = makeStreamIds(state.tokens);
  const waitForRevision = makeWaitForRevision(state);

  const onRequest = tokenCheck(state.tokens, TOKEN_KINDS, readTokenOrKey);

  /** Returns the scope of the token, and the context completed for it. */
  const readRequest = async (request: FastifyRequest) => {
    // The authentication hook has set the token.
    const token = request.sdkToken as SdkToken;
    await state.load(token.environment ?? '');
    const scope = state.findScope(token);
    if (!scope) throw new Error("The token's environment is not loaded");
    const { flagConfigEtag } = request.query as Record<string, unknown>;
    await waitForRevision(scope, flagConfigEtag);
    // Responses name the token's stream, so different tokens have different tags.
    const context = completeContext(
      readContext(request.body),
      scope.environment,
      request.ip,
      `evaluations of token ${token.id}`,
    );
    return { token, scope, context };
  };

  app.addHook('onRequest', async (request, reply) => setCorsHeaders(state.origins, request, reply));

  app.options('/ofrep/v1/*', { schema: { hide: true } }, (request, reply) =>
    responder.send(reply, 'other', 204, Buffer.alloc(0), preflightHeaders(request)),
  );

  app.post(
    '/ofrep/v1/evaluate/flags/:key',
    {
      onRequest,
      bodyLimit: PUBLIC_BODY_LIMIT_BYTES,
      config: { sdkOperation: 'ofrep-flag' },
      schema: {
        operationId: 'evaluateOfrepFlag',
        tags,
        security,
        summary: 'Evaluate one feature with OpenFeature',
        description:
          'Returns the value of one feature for the context, as the OpenFeature Remote Evaluation Protocol specifies. For a feature with payloads, the key NAME.enabled returns its boolean. Requires an API token of type backend, client or frontend.',
        params: Type.Object({
          key: Type.String({
            maxLength: 512,
            description: 'Feature name, unique in the instance',
            examples: ['checkout-v2'],
          }),
        }),
        body: OfrepRequest,
        response: {
          200: jsonResponse('The value', OfrepEvaluation),
          ...FAILURES,
          404: failure("The feature does not exist in the token's projects"),
        },
      },
    },
    async (request, reply) => {
      const { key } = request.params as { key: string };
      const { token, scope, context } = await readRequest(request);
      const evaluator = await evaluation.getEvaluator(scope);
      const payloadFlag = key.endsWith(ENABLED_SUFFIX)
        ? evaluator.find(key.slice(0, -ENABLED_SUFFIX.length))
        : undefined;
      const flag = evaluator.find(key) ?? (payloadFlag && hasPayload(payloadFlag) ? payloadFlag : undefined);
      if (!flag) throw notFound(`Feature "${key.slice(0, 200)}"`);
      const work = evaluateFlag(evaluator, flag, context, key);
      const body = await evaluation.run(getCaller(token, request.ip), work, 1, () => !reply.raw.destroyed);
      if (body === undefined) return void reply.hijack();
      responder.send(reply, 'ofrep-flag', 200, Buffer.from(body), JSON_TYPE);
    },
  );

  app.post(
    '/ofrep/v1/evaluate/flags',
    {
      onRequest,
      bodyLimit: PUBLIC_BODY_LIMIT_BYTES,
      config: { sdkOperation: 'ofrep' },
      schema: {
        operationId: 'evaluateOfrepFlags',
        tags,
        security,
        summary: 'Evaluate all features with OpenFeature',
        description:
          "Returns the values of all features in the token's projects for the context, and the path of a stream that announces when to evaluate again. The response has an ETag; while the values are the same, a request with If-None-Match returns 304. Requires an API token of type backend, client or frontend.",
        querystring: Type.Object({
          flagConfigEtag: Optional.String({
            maxLength: 200,
            description:
              'The etag from a notification. A server that does not have this revision yet waits for it, at most 1 s',
            examples: ['0d3c9fb2a1.5f0c8d0e4a.42'],
          }),
        }),
        body: OfrepRequest,
        response: {
          200: jsonResponse('The values', OfrepEvaluations),
          304: { type: 'null', description: 'The client already has the values for this context' },
          ...FAILURES,
        },
      },
    },
    async (request, reply) => {
      const { token, scope, context } = await readRequest(request);
      const work = bulkBody(`${STREAM_PATH}/${addresses.computeStreamId(token)}`);
      await respondWithResults(
        evaluation,
        getCaller(token, request.ip),
        scope,
        context,
        request,
        reply,
        work,
        {
          notModified: etag => responder.notModified(reply, 'ofrep', etag, VARY),
          send: (body, headers) => responder.send(reply, 'ofrep', 200, body, headers),
        },
      );
    },
  );

  app.get(
    `${STREAM_PATH}/:address`,
    {
      config: { sdkOperation: 'ofrep-stream' },
      exposeHeadRoute: false,
      schema: {
        operationId: 'streamOfrepChanges',
        tags,
        security: [],
        summary: 'Stream notifications for OpenFeature',
        description:
          'Sends an event when the client should evaluate again. The response of POST /ofrep/v1/evaluate/flags contains the URL, which works as long as the token is valid, and the stream ends when the token does. Events contain no flags. Requires no token.',
        params: Type.Object({
          address: Type.String({
            maxLength: 100,
            description: 'Identifies the stream, as in the URL in eventStreams',
            examples: ['nJ2hS4v0q1mVb7cX9yT3kL5wZ8aE6dRf'],
          }),
        }),
        response: {
          200: {
            description: 'Server-sent events. data has the type refetchEvaluation and the revision as etag',
            content: {
              'text/event-stream': {
                schema: Type.Unsafe<string>({ type: 'string' }),
                example:
                  'id: 0d3c9fb2a1.5f0c8d0e4a.42\ndata: {"type":"refetchEvaluation","etag":"0d3c9fb2a1.5f0c8d0e4a.42"}\n\n',
              },
            },
          },
          404: failure('The stream is unknown, or its token was revoked'),
          429: failure('The server has no free stream slot'),
          503: FAILURES[503],
        },
      },
    },
    async (request, reply) => {
      const { address } = request.params as { address: string };
      const token = addresses.find(address);
      if (!token || token.environment === null) throw notFound('This stream');
      await state.load(token.environment);
      const lastEventId = request.headers['last-event-id'];
      const client = {
        token,
        caller: getCaller(token, request.ip),
        lastEventId: lastEventId === undefined ? undefined : String(lastEventId),
      };
      notifications.open(reply, client, [...EVENT_STREAM_HEAD, ...responder.commonHeaders()]);
      count('ofrep-stream', 200);
    },
  );
}
