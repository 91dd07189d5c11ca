import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorResponses, jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { projectParams } from '../../platform/http/params.ts';
import type { LongReads } from '../../platform/http/protection/long-reads.ts';
import { streamHealthReport } from './report.ts';
import { HealthReport, ProjectEnvironment } from './schema.ts';

/** When the report was deprecated, in the format of RFC 9745. */
const DEPRECATED_SINCE = `@${Date.UTC(2026, 10, 15) / 1_000}`;

/** Adds the route that streams the report. */
export function healthReportRoutes(app: App, longReads: LongReads): void {
  for (const schema of [ProjectEnvironment, HealthReport]) app.addSchema(schema);

  app.get(
    '/api/admin/projects/:projectId/health-report',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjectHealthReport',
        deprecated: true,
        tags: ['Health'],
        summary: 'Get the health report of a project',
        description:
          'Returns the project with its health, its statistics and all its active features, from one snapshot. The operation is deprecated but fully supported. The Link header names its successor, GET …/health. Every caller who may read the project may call it.',
        params: projectParams,
        response: { 200: jsonResponse('The report', HealthReport), ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId } = request.params;
      const successor = `/api/admin/projects/${encodeURIComponent(projectId)}/health`;
      reply.header('deprecation', DEPRECATED_SINCE);
      reply.header('link', `<${successor}>; rel="successor-version"`);
      return await longReads.send(reply, db => streamHealthReport(db, request.actor, projectId, new Date()));
    },
  );
}
