import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorResponses, jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { projectParams } from '../../platform/http/params.ts';
import type { LongReads } from '../../platform/http/protection/long-reads.ts';
import { streamFeatures } from './list.ts';
import { FeatureList } from './schema.ts';

/** Adds the route that streams the list of features. The feature operations register its schema. */
export function featureRoutes(app: App, longReads: LongReads): void {
  app.get(
    '/api/admin/projects/:projectId/features',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getFeatures',
        tags: ['Features'],
        summary: 'List the features of a project',
        description: 'Returns the active features, sorted by name, with their environments and strategies.',
        params: projectParams,
        response: { 200: jsonResponse('The features', FeatureList), ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) =>
      await longReads.send(reply, db => streamFeatures(db, request.actor, request.params.projectId)),
  );
}
