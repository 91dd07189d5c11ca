import type { FastifyInstance, FastifyRequest, FastifySchema, RouteShorthandOptions } from 'fastify';
import { errorResponses } from '../../platform/http/schema.ts';
import type { Operation } from './metrics.ts';
import type { Responder } from './responses.ts';

type Report = {
  path: string;
  /** The name in the server's metrics. */
  operation: Operation;
  id: string;
  summary: string;
  description: string;
  body: FastifySchema['body'];
  /** Accepts the report. It is written to the database later. */
  accept: (request: FastifyRequest) => unknown;
};

type Response = { status: 200 | 202; description: object; body: Buffer; headers?: string[] };

/** The operations through which SDKs report usage. All of them have the same response. */
export function reportRoutes(
  app: FastifyInstance,
  responder: Responder,
  {
    security,
    ...options
  }: Pick<RouteShorthandOptions, 'onRequest' | 'bodyLimit'> & { security: Record<string, string[]>[] },
  { status, description: responseDescription, body: content, headers }: Response,
  reports: Report[],
): void {
  for (const { path, operation, id, summary, description, body, accept } of reports) {
    app.post(
      path,
      {
        ...options,
        config: { sdkOperation: operation },
        schema: {
          operationId: id,
          tags: ['SDK'],
          security,
          summary,
          description,
          body,
          response: { [status]: responseDescription, ...errorResponses(400, 401, 403, 413, 415) },
        },
      },
      async (request, reply) => {
        await accept(request);
        responder.send(reply, operation, status, content, headers);
      },
    );
  }
}
