import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { command, type OperationModule } from '../../record/operations/definition.ts';
import { attachSegments } from './attach-segments.ts';
import { StrategySegments, StrategySegmentsInput } from './schema.ts';

/** Sets the segments of a strategy. The path is under `/api/admin/segments` for compatibility with Unleash. */
export const STRATEGY_SEGMENTS: OperationModule = {
  tag: 'Segments',
  schemas: [StrategySegments],
  operations: [
    command({
      id: 'setSegmentsOfStrategy',
      route: 'POST /api/admin/segments/strategies',
      summary: 'Set the segments of a strategy',
      description:
        'Replaces the segments of a strategy. Requires UPDATE_FEATURE_STRATEGY in the project and environment.',
      permission: 'NONE',
      checksPermissions: true,
      body: StrategySegmentsInput,
      output: jsonResponse('The segments of the strategy', StrategySegments),
      status: 201,
      rejects: [404],
      events: ['feature-strategy-update'],
      run: (current, { body }) => attachSegments(current, body),
    }),
  ],
};
