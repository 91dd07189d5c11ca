import { Type } from 'typebox';
import type { Db } from '../db/database.ts';
import type { App } from '../http/app.ts';
import { answer, refusals } from '../http/schema.ts';
import { sendPieces } from '../http/stream.ts';
import { healthReport } from './report.ts';
import { HealthReport, ProjectEnvironment, ProjectInsights, ProjectStats, ProjectStatus } from './schema.ts';
import { readInsights, readStatus } from './status.ts';

const tags = ['Health'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const inProject = Type.Object({ projectId });

/** RFC 9745: when the report became deprecated. */
const DEPRECATED_SINCE = `@${Date.UTC(2026, 10, 15) / 1_000}`;

export function projectHealthRoutes(app: App, db: Db): void {
  for (const schema of [ProjectStats, ProjectEnvironment, HealthReport, ProjectStatus, ProjectInsights])
    app.addSchema(schema);

  app.get(
    '/api/admin/projects/:projectId/health-report',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjectHealthReport',
        deprecated: true,
        tags,
        summary: 'Get the health report of a project',
        description:
          'The project with its health, its figures and all of its active features, from one moment. Deprecated, and works fully all the same: GET …/health tells what to do about it, in pages. The header Link names it.',
        params: inProject,
        response: { 200: answer('The report', HealthReport), ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId } = request.params;
      const successor = `/api/admin/projects/${encodeURIComponent(projectId)}/health`;
      reply.header('deprecation', DEPRECATED_SINCE);
      reply.header('link', `<${successor}>; rel="successor-version"`);
      return await sendPieces(reply, healthReport(db, request.actor, projectId, new Date()));
    },
  );

  app.get(
    '/api/admin/projects/:projectId/status',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjectStatus',
        tags,
        summary: 'Get the status of a project',
        description: 'Health, activity, resources and stages of the project, all of this moment.',
        params: inProject,
        response: { 200: answer('The status', ProjectStatus), ...refusals(401, 403, 404) },
      },
    },
    async request => await readStatus(db, request.params.projectId, new Date()),
  );

  app.get(
    '/api/admin/projects/:projectId/insights',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjectInsights',
        tags,
        summary: 'Get the insights of a project',
        description: 'Figures of the last 30 days and the 30 before, health, and time to production.',
        params: inProject,
        response: { 200: answer('The insights', ProjectInsights), ...refusals(401, 403, 404) },
      },
    },
    async request => await readInsights(db, request.params.projectId, new Date()),
  );
}
