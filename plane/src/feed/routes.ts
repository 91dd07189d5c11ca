import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Admission } from '../platform/admission/metrics.ts';
import { toNetwork } from '../platform/admission/network.ts';
import { ApiError, badData } from '../platform/errors.ts';
import { acceptsGzip } from '../platform/http/output/accept-encoding.ts';
import { EVENT_STREAM_HEAD } from '../platform/http/output/server-sent-events.ts';
import { errorResponses, jsonResponse } from '../platform/http/schema.ts';
import { getSdkToken } from '../serving/client-api/accept.ts';
import { authenticate, parseToken } from '../serving/client-api/authenticate.ts';
import type { CountRequest } from '../serving/client-api/metrics.ts';
import type { Responder } from '../serving/client-api/responses.ts';
import type { ServingState } from '../serving/state/serving.ts';
import type { SdkToken } from '../serving/tokens/tokens.ts';
import { type Feeds, PATH_HEADER } from './feeds.ts';
import { type Position, readPosition } from './publisher.ts';
import { EdgeReport, EdgeReportResult, readReport } from './report.ts';

const REPORT_LIMIT_BYTES = 4 * 1_024 * 1_024;
const PLAIN_TEXT = ['content-type', 'text/plain; charset=utf-8'];
const HASH = /^[0-9a-f]{64}$/;

const lines = (description: string, example: string) => ({
  description,
  content: { 'text/plain': { schema: Type.Unsafe<string>({ type: 'string' }), example } },
});

const SIGNATURE = '88b9664b4d44afdb 6Pzw…AQ==';
const FEED = '"feed":{"environment":"production","projects":null}';
const HEAD_EXAMPLE = `{"v":1,${FEED},"epoch":"0d3c9fb2a1","log":"head","rev":42,"completeSince":0,"tokenRev":7,"origins":["*"],"now":"2026-11-18T08:00:00.000Z","age":0.2}\n${SIGNATURE}`;

/** The operations for edges: read the feed that their token names, and deliver what SDKs report to them. */
export function feedRoutes(
  app: FastifyInstance,
  state: ServingState,
  responder: Responder,
  count: CountRequest,
  admission: Admission,
  feeds: Feeds | undefined,
): void {
  if (!feeds) {
    app.all('/api/edge/v1/*', { schema: { hide: true } }, () => {
      throw new ApiError(
        'ServiceUnavailableError',
        'This server cannot sign feeds. Set HALYARD_SECRET_KEY on the server.',
      );
    });
    return;
  }
  admission.set('edge-streams', feeds.shares);
  // Not awaited: the server must stop listening now, and waits for all connections itself.
  app.addHook('preClose', async () => void feeds.close());

  const sendLines = (reply: FastifyReply, status: number, text: string): void =>
    responder.send(reply, 'edge', status, Buffer.from(`${text}\n`), PLAIN_TEXT);

  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const text = parseToken(request.headers.authorization);
    try {
      request.sdkToken = await authenticate(state.tokens, text, request.ip, ['edge']);
    } catch (error) {
      const tokenHash = hash('sha256', text);
      // Signed, because an edge ignores an unsigned rejection, which any proxy on the way could have sent.
      const revocation = state.tokens.hasEnded(tokenHash) ? await feeds.revocation(tokenHash) : undefined;
      if (revocation !== undefined) return sendLines(reply, 401, revocation);
      throw withHint(error, feeds.accepts);
    }
    request.sdkToken.used = true;
    await state.load(request.sdkToken.environment ?? '');
  };

  const get = (
    path: string,
    schema: { operationId: string; summary: string; description: string; response: object; params?: object },
    handler: (request: FastifyRequest, reply: FastifyReply, token: SdkToken) => Promise<void> | void,
  ): void => {
    app.get(
      `/api/edge/v1/${path}`,
      {
        config: { sdkOperation: 'edge' },
        exposeHeadRoute: false,
        onRequest,
        schema: { tags: ['Edge'], security: [{ edgeToken: [] }], ...schema },
      },
      async (request, reply) => await handler(request, reply, getSdkToken(request)),
    );
  };

  get(
    'head',
    {
      operationId: 'getEdgeHead',
      summary: 'Get the head of a feed',
      description:
        'Returns the current revisions of the feed that the token names, as one line of JSON and one line with its signature. Requires an API token of type edge.',
      response: { 200: lines('The head and its signature', HEAD_EXAMPLE), ...errorResponses(401, 403) },
    },
    (_request, reply, token) => sendLines(reply, 200, feeds.head(token)),
  );

  get(
    'snapshot',
    {
      operationId: 'getEdgeSnapshot',
      summary: 'Get the snapshot of a feed',
      description:
        'Returns everything that is needed to serve the SDKs of the feed, signed. docs/reference/snapshot.md describes the format. Responds with 304 if If-None-Match has the current revisions. Requires an API token of type edge.',
      response: {
        200: lines('The snapshot', '{"v":1,"feed":{"environment":"production","projects":null}, …}'),
        304: { type: 'null', description: 'The edge has this snapshot' },
        ...errorResponses(401, 403),
      },
    },
    async ({ headers }, reply, token) => {
      const { etag, plain, gzip } = await feeds.snapshot(token);
      if (headers['if-none-match'] === etag) return responder.notModified(reply, 'edge', etag);
      const isCompressed = acceptsGzip(headers);
      const encoding = isCompressed ? ['content-encoding', 'gzip'] : [];
      const body = isCompressed ? await gzip() : await plain();
      responder.send(reply, 'edge', 200, body, [
        ...PLAIN_TEXT,
        'etag',
        etag,
        'vary',
        'accept-encoding',
        ...encoding,
      ]);
    },
  );

  get(
    'stream',
    {
      operationId: 'streamEdgeFrames',
      summary: 'Stream the changes of a feed',
      description:
        'Sends the changes after the Last-Event-ID if the server knows them, then the head, and then every change and a head every 3 s. The data of an event has two lines: JSON and its signature. docs/reference/edge-api.md describes the frames. An edge that stops reading is disconnected at 1 MiB. Requires an API token of type edge.',
      response: {
        200: {
          description: 'Server-sent events',
          content: {
            'text/event-stream': {
              schema: Type.Unsafe<string>({ type: 'string' }),
              example: `id: 0d3c9fb2a1.42.7\ndata: ${HEAD_EXAMPLE.replace('\n', '\ndata: ')}\n\n`,
            },
          },
        },
        ...errorResponses(401, 403),
      },
    },
    async (request, reply, token) => {
      const edgePosition = readPosition(String(request.headers['last-event-id'] ?? ''));
      if (edgePosition) await checkForLostRevisions(state, token.environment ?? '', edgePosition);
      feeds.open(reply, token, edgePosition, [...EVENT_STREAM_HEAD, ...responder.commonHeaders()]);
      count('edge', 200);
    },
  );

  get(
    'tokens/:hash',
    {
      operationId: 'getEdgeToken',
      summary: 'Look up a token for an edge',
      description:
        'Returns the API token with this hash, signed, or null if there is no such token or it can read more than the feed contains. An edge calls this when an SDK sends a token that the edge does not know. Requires an API token of type edge.',
      params: Type.Object({
        hash: Type.String({
          maxLength: 64,
          description: 'SHA-256 of the token, as hexadecimal digits',
          examples: ['de3374cc9a5d1e8acd13d8a98d885d4643b057c5a833a6736c909eea019a9a96'],
        }),
      }),
      response: {
        200: lines(
          'The token and the signature',
          `{"v":1,${FEED},"epoch":"0d3c9fb2a1","log":"token","rev":7,"hash":"de33…9a96","token":null}\n${SIGNATURE}`,
        ),
        ...errorResponses(400, 401, 403),
      },
    },
    async ({ params, ip }, reply, edge) => {
      const { hash: tokenHash } = params as { hash: string };
      if (!HASH.test(tokenHash))
        throw badData([{ message: 'hash must have 64 hexadecimal digits', path: '/params/hash' }]);
      sendLines(reply, 200, await feeds.lookUpToken(edge, tokenHash, toNetwork(ip)));
    },
  );

  for (const schema of [EdgeReport, EdgeReportResult]) app.addSchema(schema);
  app.post(
    '/api/edge/v1/report',
    {
      config: { sdkOperation: 'edge' },
      bodyLimit: REPORT_LIMIT_BYTES,
      onRequest,
      schema: {
        operationId: 'reportFromEdge',
        tags: ['Edge'],
        security: [{ edgeToken: [] }],
        summary: 'Report from an edge',
        description:
          "Accepts an edge's report: what it serves, which revisions its SDKs have, and one batch of metrics and registrations. When the response arrives, the batch is stored. It is counted once, no matter how often it is sent. Requires an API token of type edge.",
        body: EdgeReport,
        response: {
          200: jsonResponse('What the edge should do', EdgeReportResult),
          ...errorResponses(400, 401, 403, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const sender = {
        secret: parseToken(request.headers.authorization),
        path: String(request.headers[PATH_HEADER] ?? '')
          .split(',')
          .filter(id => id !== ''),
      };
      const result = await feeds.report(getSdkToken(request), readReport(request.body), sender);
      responder.send(reply, 'edge', 200, Buffer.from(JSON.stringify(result)), [
        'content-type',
        'application/json; charset=utf-8',
      ]);
    },
  );
}

/** Says which tokens are accepted if not all of them are. */
function withHint(error: unknown, accepts: string | undefined): unknown {
  if (!(error instanceof ApiError) || error.name !== 'AuthenticationRequired' || accepts === undefined)
    return error;
  return new ApiError(error.name, `${error.message} ${accepts}`, { cause: error });
}

/**
 * An edge can be ahead of this server because it read from a faster server, or because a restored database lost changes. In the
 * second case, a new epoch begins.
 */
async function checkForLostRevisions(
  state: ServingState,
  environment: string,
  edgePosition: Position,
): Promise<void> {
  const current = new Map(state.environments()).get(environment);
  const { epoch, revision, tokenRevision } = edgePosition;
  if (current?.epoch !== epoch) return;
  if (current.revision >= revision && state.tokens.revision >= tokenRevision) return;
  await state.isLost(epoch, environment, revision, tokenRevision);
}
