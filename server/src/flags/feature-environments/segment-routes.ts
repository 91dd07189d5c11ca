import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { attachSegments } from './attach-segments.ts';
import { StrategySegments, StrategySegmentsInput } from './schema.ts';

const tags = ['Segments'];

/** The segments of a strategy, at an address of the segments for compatibility with Unleash. */
export function strategySegmentRoutes(app: App, db: Db): void {
  app.addSchema(StrategySegments);

  app.post(
    '/api/admin/segments/strategies',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'setSegmentsOfStrategy',
        tags,
        summary: 'Set the segments of a strategy',
        description:
          'Replaces the segments of a strategy. Requires UPDATE_FEATURE_STRATEGY in the project and environment. Events: feature-strategy-update.',
        body: StrategySegmentsInput,
        response: {
          201: jsonResponse('The segments of the strategy', StrategySegments),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await change(db, request.actor, current => attachSegments(current, request.body))),
  );
}
