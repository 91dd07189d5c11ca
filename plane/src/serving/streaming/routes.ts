import type { FastifyInstance, FastifyRequest } from 'fastify';
import { EVENT_STREAM_HEAD } from '../../platform/http/output/server-sent-events.ts';
import { errorResponses } from '../../platform/http/schema.ts';
import type { Positions } from '../positions.ts';
import type { Scope } from '../state/scope.ts';
import type { SdkToken } from '../tokens/tokens.ts';
import { neverPolls } from './never-polls.ts';
import { STREAM, StreamHeaders } from './schema.ts';
import type { Streams } from './streams.ts';

type Access = {
  /** Returns the request's token and scope. */
  authorize: (request: FastifyRequest) => Promise<{ token: SdkToken; scope: Scope }>;
  /** The headers that every response of the SDK API has. */
  commonHeaders: () => string[];
  count: (status: number) => void;
};

export function streamingRoutes(
  app: FastifyInstance,
  streams: Streams,
  positions: Positions,
  { authorize, commonHeaders, count }: Access,
): void {
  app.get(
    '/api/client/streaming',
    {
      config: { sdkOperation: 'streaming' },
      exposeHeadRoute: false,
      schema: {
        operationId: 'streamClientFeatures',
        tags: ['SDK'],
        security: [{ sdkToken: [] }],
        summary: 'Stream feature changes',
        description:
          'Sends everything, or the changes after the Last-Event-ID, and then every change. A client that has the current revision gets an empty list first. The stream ends when the token is revoked or expires, and when the server stops. Status 429 means that the server has no slot for the stream, or that the client hydrates too often: the client should poll. SDKs for Python and Ruby never poll: without a slot they get one event, a retry of 15 s and the end of the stream. Status 503 means that the client should retry. Requires an API token of type backend or client.',
        headers: StreamHeaders,
        response: { 200: STREAM, ...errorResponses(401, 403) },
      },
    },
    async (request, reply) => {
      const { token, scope } = await authorize(request);
      const revision = readEventRevision(request.headers['last-event-id'], scope);
      const client = {
        token,
        connectionId: readConnectionId(request),
        revision,
        neverPolls: neverPolls(request.headers),
        knownClient: positions.recordContact(token, request.headers, scope, revision),
      };
      streams.open(reply, scope, client, [...EVENT_STREAM_HEAD, ...commonHeaders()]);
      count(200);
    },
  );
}

/** The id of an event. Some clients send it in quotes, like the ETag. */
const EVENT_ID = /^"?([0-9a-z]{1,50})\.([0-9a-z]{1,50})\.([0-9]{1,10})"?$/;

/** Returns the revision in an event id, if the event belongs to this epoch and scope. */
function readEventRevision(
  lastEventId: string | string[] | undefined,
  { current, id }: Scope,
): number | undefined {
  const [, epoch, scopeId, revision] = EVENT_ID.exec(String(lastEventId ?? '').trim()) ?? [];
  return epoch === current.epoch && scopeId === id ? Number(revision) : undefined;
}

/** Returns the id that an SDK chooses when it starts, and sends with every request. */
export function readConnectionId({ headers }: FastifyRequest): string | undefined {
  const id = headers['unleash-connection-id'] ?? headers['x-unleash-connection-id'];
  return id === undefined ? undefined : String(id);
}
