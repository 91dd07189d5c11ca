import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import type { LongReads } from '../../platform/http/long-reads.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { explainHealth } from './findings/explain.ts';
import { parseFindingSearch } from './findings/query.ts';
import { Finding, HealthQuery, ProjectHealth, ruleName } from './findings/schema.ts';
import { parseRange, readHistory } from './history/read.ts';
import { HealthHistory, HistoryQuery } from './history/schema.ts';
import { healthReport } from './report.ts';
import { HealthReport, ProjectEnvironment, ProjectInsights, ProjectStats, ProjectStatus } from './schema.ts';
import { NewSnooze, Snooze } from './snoozes/schema.ts';
import { readSnooze, snoozeFinding, unsnoozeFinding } from './snoozes/snooze.ts';
import { readInsights, readStatus } from './status.ts';

const tags = ['Health'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const projectParams = Type.Object({ projectId });
const findingParams = Type.Object({
  projectId,
  rule: { ...ruleName, title: 'HealthFindingRule' },
  subject: Type.String({
    title: 'HealthFindingSubject',
    description: 'Name of the feature or id of the segment that the finding is about',
    examples: ['checkout-v2'],
  }),
});

/** When the report was deprecated, in the format of RFC 9745. */
const DEPRECATED_SINCE = `@${Date.UTC(2026, 10, 15) / 1_000}`;

export function projectHealthRoutes(app: App, db: Db, longReads: LongReads): void {
  for (const schema of [ProjectStats, ProjectEnvironment, HealthReport, ProjectStatus, ProjectInsights])
    app.addSchema(schema);
  for (const schema of [Snooze, Finding, ProjectHealth, HealthHistory]) app.addSchema(schema);

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
          'Returns the project with its health, its statistics and all its active features, from one snapshot. The operation is deprecated but fully supported. Its successor is GET …/health, which the Link header names. Every caller who may read the project may call it.',
        params: projectParams,
        response: { 200: jsonResponse('The report', HealthReport), ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId } = request.params;
      const successor = `/api/admin/projects/${encodeURIComponent(projectId)}/health`;
      reply.header('deprecation', DEPRECATED_SINCE);
      reply.header('link', `<${successor}>; rel="successor-version"`);
      return await longReads.send(reply, db => healthReport(db, request.actor, projectId, new Date()));
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
        description:
          'Returns the current health, activity, resources and lifecycle stages of the project. Every caller who may read the project may call it.',
        params: projectParams,
        response: { 200: jsonResponse('The status', ProjectStatus), ...errorResponses(401, 403, 404) },
      },
    },
    async request => await longReads.run(request, db => readStatus(db, request.params.projectId, new Date())),
  );

  app.get(
    '/api/admin/projects/:projectId/insights',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjectInsights',
        tags,
        summary: 'Get the insights of a project',
        description:
          'Returns statistics of the last 30 days and of the 30 days before, the health and the time to production. Every caller who may read the project may call it.',
        params: projectParams,
        response: { 200: jsonResponse('The insights', ProjectInsights), ...errorResponses(401, 403, 404) },
      },
    },
    async request =>
      await longReads.run(request, db => readInsights(db, request.params.projectId, new Date())),
  );

  app.get(
    '/api/admin/projects/:projectId/health',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjectHealth',
        tags,
        summary: 'Explain the health of a project',
        description:
          'Returns the health of a project, its formula and a page of findings, each with its rule, evidence, remedy and the points it would gain. Snoozed findings are omitted by default. Every caller who may read the project may call it.',
        params: projectParams,
        querystring: HealthQuery,
        response: {
          200: jsonResponse('The health and a page of findings', ProjectHealth),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async request => {
      const search = parseFindingSearch(request.query);
      return await longReads.run(request, db =>
        explainHealth(db, request.params.projectId, new Date(), search),
      );
    },
  );

  app.get(
    '/api/admin/projects/:projectId/health/history',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjectHealthHistory',
        tags,
        summary: 'Get the health history of a project',
        description:
          'Returns the health of a project for each of at most 366 days. The server rebuilds it from the events. Every caller who may read the project may call it.',
        params: projectParams,
        querystring: HistoryQuery,
        response: { 200: jsonResponse('The days', HealthHistory), ...errorResponses(400, 401, 403, 404) },
      },
    },
    async request => {
      const at = new Date();
      const range = parseRange(request.query, at);
      return await longReads.run(request, db => readHistory(db, request.params.projectId, range, at));
    },
  );

  app.put(
    '/api/admin/projects/:projectId/health/findings/:rule/:subject/snooze',
    {
      config: { permission: ['UPDATE_FEATURE', 'UPDATE_PROJECT'] },
      schema: {
        operationId: 'snoozeFinding',
        tags,
        summary: 'Snooze a finding',
        description:
          'Hides a finding from the list until the given time. It still affects the health. Requires UPDATE_FEATURE or UPDATE_PROJECT. Events: health-finding-snoozed.',
        params: findingParams,
        body: NewSnooze,
        response: {
          200: jsonResponse('The snooze', Snooze),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { params, body } = request;
      return await change(
        db,
        request.actor,
        current => snoozeFinding(current, params, body, new Date()),
        (tx, subject) => readSnooze(tx, params.rule, subject),
      );
    },
  );

  app.delete(
    '/api/admin/projects/:projectId/health/findings/:rule/:subject/snooze',
    {
      config: { permission: ['UPDATE_FEATURE', 'UPDATE_PROJECT'] },
      schema: {
        operationId: 'unsnoozeFinding',
        tags,
        summary: 'Unsnooze a finding',
        description:
          'Lists a snoozed finding again. Requires UPDATE_FEATURE or UPDATE_PROJECT. Events: health-finding-unsnoozed.',
        params: findingParams,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      await change(db, request.actor, current => unsnoozeFinding(current, request.params));
      return reply.code(200).send();
    },
  );
}
