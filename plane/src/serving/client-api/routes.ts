import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { toNetwork } from '../../platform/admission/network.ts';
import { badData, notFound } from '../../platform/errors.ts';
import { acceptsGzip } from '../../platform/http/output/accept-encoding.ts';
import { errorResponses, jsonResponse, Nothing, Optional } from '../../platform/http/schema.ts';
import type { Positions } from '../positions.ts';
import type { Reports } from '../reports.ts';
import { inlineText } from '../state/inline.ts';
import { listFeatures, type Scope } from '../state/scope.ts';
import { type Encoding, EVERYTHING, type QueryOptions, type ServingState } from '../state/serving.ts';
import { readConnectionId } from '../streaming/routes.ts';
import type { Streams } from '../streaming/streams.ts';
import type { SdkToken } from '../tokens/tokens.ts';
import { acceptBulk, acceptMetrics, acceptRegistration } from './accept.ts';
import { findCachedToken, parseToken, tokenCheck } from './authenticate.ts';
import { authorize, forgetLostRevision } from './authorize.ts';
import { requireObject } from './bodies.ts';
import { needsInlineSegments } from './client-spec.ts';
import { readRevision } from './etag.ts';
import type { Operation } from './metrics.ts';
import { readQueryOptions } from './query-options.ts';
import { reportRoutes } from './report-routes.ts';
import type { Responder } from './responses.ts';
import {
  BulkMetrics,
  EdgeData,
  MAX_VALIDATED_TOKENS,
  Metrics,
  Registration,
  SdkDelta,
  SdkFeature,
  SdkFeatures,
  SdkSegment,
  TokensToValidate,
  ValidTokens,
} from './schema.ts';

const tags = ['SDK'];
const security = [{ sdkToken: [] }];
const JSON_TYPE = ['content-type', 'application/json; charset=utf-8'];
const VARY = ['vary', 'accept-encoding'];
const NOTHING = Buffer.alloc(0);

const filters = Type.Object({
  project: Optional.String({
    title: 'SdkProject',
    maxLength: 100,
    description:
      'Only features in this project. Repeatable. Ignored if the token is limited to certain projects',
    examples: ['payments'],
  }),
  namePrefix: Optional.String({
    title: 'SdkNamePrefix',
    maxLength: 100,
    description: 'Only features whose name starts with this string',
    examples: ['pay.'],
  }),
  tag: Optional.String({
    title: 'SdkTag',
    maxLength: 200,
    description:
      'Only features with this tag, as type:value. Repeatable: features need at least one of the tags',
    examples: ['team:checkout'],
  }),
});

const encodingHeaders = (encoding: Encoding): string[] =>
  encoding === 'gzip' ? ['content-encoding', 'gzip'] : [];

type Handler = (
  request: FastifyRequest,
  reply: FastifyReply,
  scope: Scope,
  token: SdkToken,
) => Promise<void> | undefined;

/** The API for server-side SDKs. */
export function clientRoutes(
  app: FastifyInstance,
  state: ServingState,
  streams: Pick<Streams, 'invite'>,
  responder: Responder,
  reports: Reports,
  positions: Positions,
): void {
  for (const schema of [SdkFeature, SdkSegment, SdkFeatures, SdkDelta, ValidTokens]) app.addSchema(schema);

  /** Calls the handler with the scope of the request: immediately if everything is in memory, which is almost always. */
  const withScope =
    (options: (request: FastifyRequest) => QueryOptions, handler: Handler) =>
    (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
      const token = findCachedToken(state.tokens, parseToken(request.headers.authorization));
      const scope = token && state.findScope(token, options(request));
      if (!scope) {
        return authorize(state, request, options(request)).then(async access => {
          await forgetLostRevision(state, request, access.scope);
          await handler(request, reply, access.scope, access.token);
        });
      }
      token.used = true;
      const lossCheck = forgetLostRevision(state, request, scope);
      if (lossCheck !== undefined) return lossCheck.then(() => handler(request, reply, scope, token));
      return handler(request, reply, scope, token);
    };

  /** Records the client's revision. Returns undefined if the client sent none for this scope. */
  const recordRevision = ({ headers }: FastifyRequest, token: SdkToken, scope: Scope): number | undefined => {
    const { 'if-none-match': tag } = headers;
    const presentedRevision =
      tag === scope.etag ? scope.revision : readRevision(tag, scope.current.epoch, scope.id);
    positions.recordContact(token, headers, scope, presentedRevision);
    return presentedRevision;
  };

  /** Responds with 304 to a client that has this revision of the scope, or a newer one from another server. */
  const isNotModified = (
    clientRevision: number | undefined,
    reply: FastifyReply,
    operation: Operation,
    { etag, revision }: Scope,
  ): boolean => {
    if (clientRevision === undefined || clientRevision < revision) return false;
    const isNewer = clientRevision > revision && Number.isFinite(clientRevision);
    const clientTag = isNewer ? etag.replace(/\d+"$/, `${clientRevision}"`) : etag;
    responder.notModified(reply, operation, clientTag);
    return true;
  };

  /**
   * Sends the body immediately if it is in memory, otherwise once it is compressed. The tag is that of the state
   * the body was built from.
   */
  const sendBody = (
    reply: FastifyReply,
    operation: Operation,
    encoding: Encoding,
    body: Buffer | Promise<Buffer>,
    tag: string[],
  ): Promise<void> | undefined => {
    const headers = [...JSON_TYPE, ...encodingHeaders(encoding), ...VARY, ...tag];
    if (!Buffer.isBuffer(body))
      return body.then(bytes => responder.send(reply, operation, 200, bytes, headers));
    responder.send(reply, operation, 200, body, headers);
    return undefined;
  };

  /**
   * Sent without an ETag: an SDK ignores this body and opens a stream. If the stream then failed, an ETag would get it a 304
   * for flags that it does not have.
   */
  const INVITATION = ['fetch-mode', 'streaming'];

  app.get(
    '/api/client/features',
    {
      config: { sdkOperation: 'features' },
      schema: {
        operationId: 'getClientFeatures',
        tags,
        security,
        summary: 'Read all features',
        description:
          "Returns the features in the token's environment and projects, with the segments that they use. The response has an ETag; while the list is unchanged, a request with If-None-Match returns 304. If Unleash-Client-Spec is missing or below 4.2.0, the strategies contain the segment constraints inline. Requires an API token of type backend or client.",
        querystring: filters,
        response: {
          200: jsonResponse('The features', SdkFeatures),
          304: { type: 'null', description: 'The client has this revision or a newer one' },
          ...errorResponses(400, 401, 403),
        },
      },
    },
    withScope(requestedOptions, (request, reply, scope, token) => {
      const encoding = chooseEncoding(request);
      const isInvited = streams.invite(token, readConnectionId(request));
      const clientRevision = recordRevision(request, token, scope);
      if (!isInvited && isNotModified(clientRevision, reply, 'features', scope)) return undefined;
      const tag = isInvited ? INVITATION : ['etag', scope.etag];
      return sendBody(reply, 'features', encoding, state.body('features', encoding, scope), tag);
    }),
  );

  app.get(
    '/api/client/features/:featureName',
    {
      config: { sdkOperation: 'feature' },
      schema: {
        operationId: 'getClientFeature',
        tags,
        security,
        summary: 'Read one feature',
        description:
          "Returns one feature in the token's scope. Requires an API token of type backend or client.",
        params: Type.Object({
          featureName: Type.String({
            maxLength: 512,
            description: 'Feature name, unique in the instance',
            examples: ['checkout-v2'],
          }),
        }),
        response: {
          200: jsonResponse('The feature', SdkFeature),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    withScope(requestedOptions, (request, reply, scope) => {
      const { featureName } = request.params as { featureName: string };
      const feature = listFeatures(scope, scope.current).find(({ name }) => name === featureName);
      if (!feature) throw notFound(`Feature "${featureName.slice(0, 200)}"`);
      const text = scope.inline ? inlineText(scope.current, feature) : feature.text;
      responder.send(reply, 'feature', 200, Buffer.from(text), JSON_TYPE);
      return undefined;
    }),
  );

  app.get(
    '/api/client/delta',
    {
      config: { sdkOperation: 'delta' },
      schema: {
        operationId: 'getClientDelta',
        tags,
        security,
        summary: 'Read feature changes',
        description:
          'Returns the events after the revision in If-None-Match: updated segments, removed features and segments, updated features. Without If-None-Match, or with an ETag of a different scope or history, the list has one hydration event with everything. With filters, every response with changes is a hydration. Requires an API token of type backend or client.',
        querystring: filters,
        response: {
          200: jsonResponse('The events', SdkDelta),
          304: { type: 'null', description: 'The client has this revision or a newer one' },
          ...errorResponses(400, 401, 403),
        },
      },
    },
    withScope(
      request => readQueryOptions(request.query as Query, false),
      (request, reply, scope, token) => {
        const clientRevision = recordRevision(request, token, scope);
        if (isNotModified(clientRevision, reply, 'delta', scope)) return undefined;
        const encoding = chooseEncoding(request);
        const body = state.deltaBody(encoding, scope, clientRevision, token);
        return sendBody(reply, 'delta', encoding, body, ['etag', scope.etag]);
      },
    ),
  );

  const onRequest = tokenCheck(state.tokens);

  reportRoutes(
    app,
    responder,
    { onRequest, security },
    { status: 202, description: Nothing, body: NOTHING },
    [
      {
        path: '/api/client/register',
        operation: 'register',
        id: 'registerClient',
        summary: 'Register an application',
        description:
          'Records the application, the instance and the SDK. An SDK calls this when it starts. The body can be compressed with gzip. Requires an API token of type backend or client. Events: application-created.',
        body: Registration,
        accept: request => acceptRegistration(reports, request),
      },
      {
        path: '/api/client/metrics',
        operation: 'metrics',
        id: 'sendClientMetrics',
        summary: 'Send metrics',
        description:
          "Adds an SDK's counts: how often each feature was enabled and disabled, and each variant served. The server writes them within 10 s. Counts that cannot be read are skipped instead of being rejected, because an SDK may stop sending metrics after an error. The body can be compressed with gzip. Requires an API token of type backend or client. Events: application-created, feature-stage-entered.",
        body: Metrics,
        accept: request => acceptMetrics(reports, request),
      },
      {
        path: '/api/client/metrics/bulk',
        operation: 'metrics',
        id: 'sendBulkMetrics',
        summary: 'Send metrics from a proxy',
        description:
          'Adds the applications and counts that a proxy such as Unleash Edge collected. An invalid body is rejected as a whole. Entries for other environments are skipped. Requires an API token of type backend or client. Events: application-created, feature-stage-entered.',
        body: BulkMetrics,
        accept: request => acceptBulk(reports, request),
      },
      {
        path: '/api/client/metrics/edge',
        operation: 'metrics',
        id: 'sendEdgeMetrics',
        summary: 'Send data about a proxy',
        description:
          'Accepts and discards what Unleash Edge reports about itself. Requires an API token of type backend or client.',
        body: EdgeData,
        accept: ({ body }) => requireObject(body),
      },
    ],
  );

  app.post(
    '/edge/validate',
    {
      bodyLimit: VALIDATE_LIMIT_BYTES,
      config: { sdkOperation: 'validate' },
      schema: {
        operationId: 'validateTokens',
        tags,
        security: [],
        summary: 'Validate tokens',
        description:
          'Returns the given tokens that are valid, with their environment and projects. For Unleash Edge and other proxies. Needs no authentication.',
        body: TokensToValidate,
        response: {
          200: jsonResponse('The valid tokens', ValidTokens),
          ...errorResponses(400, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const valid = await findValidTokens(state, requireObject(request.body).tokens, toNetwork(request.ip));
      const body = Buffer.from(JSON.stringify({ tokens: valid }));
      responder.send(reply, 'validate', 200, body, JSON_TYPE);
    },
  );
}

const VALIDATE_LIMIT_BYTES = 65_536;

type Query = Parameters<typeof readQueryOptions>[0];

function requestedOptions({ headers, url, query }: FastifyRequest): QueryOptions {
  const inline = needsInlineSegments(headers['unleash-client-spec']);
  if (!inline && !url.includes('?')) return EVERYTHING;
  return readQueryOptions(query as Query, inline);
}

/** Uses gzip unless the client does not accept it. Every SDK accepts it. */
const chooseEncoding = ({ headers }: FastifyRequest): Encoding =>
  acceptsGzip(headers) ? 'gzip' : 'identity';

async function findValidTokens({ tokens }: ServingState, list: unknown, network: string) {
  if (
    !Array.isArray(list) ||
    list.length > MAX_VALIDATED_TOKENS ||
    !list.every(item => typeof item === 'string')
  )
    throw badData([
      { message: `tokens must be a list of at most ${MAX_VALIDATED_TOKENS} strings`, path: '/body/tokens' },
    ]);
  const valid: object[] = [];
  // One at a time, so that no caller takes all lookups.
  for (const text of list) {
    const token = tokens.findCached(text) ?? (await tokens.lookUp(text, network));
    if (!token || token.environment === null || token.type === 'admin') continue;
    const { environment, projects = ['*'] } = token;
    valid.push({
      token: text,
      type: token.type === 'frontend' ? 'frontend' : 'client',
      projects,
      environment,
    });
  }
  return valid;
}
