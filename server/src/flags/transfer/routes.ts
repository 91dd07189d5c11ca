import type { App } from '@halyard/plane/platform/http/app.ts';
import { COST } from '@halyard/plane/platform/http/protection/rate-limit.ts';
import { errorResponses, jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import type { LongReads } from '../../platform/http/protection/long-reads.ts';
import { change } from '../../record/change.ts';
import { exportFeatures } from './export.ts';
import { ExportQuery, FeatureExport } from './schema.ts';

/** Adds the export route, which records events from a long read and can send a download. */
export function exportRoutes(app: App, longReads: LongReads): void {
  app.addSchema(FeatureExport);

  app.post(
    '/api/admin/features-batch/export',
    {
      config: { permission: 'NONE', onlyReads: true, cost: COST.transfer },
      schema: {
        operationId: 'exportFeatures',
        tags: ['Export and import'],
        summary: 'Export features',
        description:
          'Exports features as they are in one environment, with strategies, variants, tags, parents and links, and the segments, context fields and tag types they refer to. Select features by name, by project or by tag. Exports only features of projects the caller may read. Events: features-exported, one for each project.',
        body: ExportQuery,
        response: {
          200: jsonResponse('The export', FeatureExport),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const featureExport = await longReads.run(request, db =>
        change(db, request.actor, current => exportFeatures(current, request.body)),
      );
      if (request.body.downloadFile)
        reply.header('content-disposition', 'attachment; filename="features.json"');
      return featureExport;
    },
  );
}
