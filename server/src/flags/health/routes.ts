import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import type { LongReads } from '../../platform/http/long-reads.ts';
import { answer, Nothing, refusals } from '../../platform/http/schema.ts';
import { explainHealth } from './findings/explain.ts';
import { parseFindingSearch } from './findings/query.ts';
import { Finding, HealthQuery, NewSnooze, ProjectHealth, ruleName, Snooze } from './findings/schema.ts';
import { snoozeFinding, wakeFinding } from './findings/snooze.ts';
import { parseRange, readHistory } from './history/read.ts';
import { HealthHistory, HistoryQuery } from './history/schema.ts';
import { healthReport } from './report.ts';
import { HealthReport, ProjectEnvironment, ProjectInsights, ProjectStats, ProjectStatus } from './schema.ts';
import { readInsights, readStatus } from './status.ts';

const tags = ['Health'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const inProject = Type.Object({ projectId });
const ofFinding = Type.Object({
  projectId,
  rule: { ...ruleName, title: 'HealthFindingRule' },
  subject: Type.String({
    title: 'HealthFindingSubject',
    description: 'Name of the feature, or id of the segment, that it is about',
    examples: ['checkout-v2'],
  }),
});

/** RFC 9745: when the report became deprecated. */
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
          'The project with its health, its figures and all of its active features, from one moment. Deprecated, and works fully all the same: GET …/health tells what to do about it, in pages. The header Link names it.',
        params: inProject,
        response: { 200: answer('The report', HealthReport), ...refusals(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId } = request.params;
      const successor = `/api/admin/projects/${encodeURIComponent(projectId)}/health`;
      reply.header('deprecation', DEPRECATED_SINCE);
      reply.header('link', `<${successor}>; rel="successor-version"`);
      return await longReads.send(reply, request.caller, db =>
        healthReport(db, request.actor, projectId, new Date()),
      );
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

  app.get(
    '/api/admin/projects/:projectId/health',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjectHealth',
        tags,
        summary: 'Explain the health of a project',
        description:
          'The health, its formula, and a page of findings: each with its rule, the evidence, the remedy and what its repair would give. Findings that are put off are left out unless asked for.',
        params: inProject,
        querystring: HealthQuery,
        response: {
          200: answer('The health and a page of findings', ProjectHealth),
          ...refusals(400, 401, 403, 404),
        },
      },
    },
    async request => {
      const search = parseFindingSearch(request.query);
      return await longReads.run(request.caller, db =>
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
        summary: 'Get the health of a project on past days',
        description:
          'Health and its counts for each day, rebuilt from the events: also of days before anyone asked. At most 366 days.',
        params: inProject,
        querystring: HistoryQuery,
        response: { 200: answer('The days', HealthHistory), ...refusals(400, 401, 403, 404) },
      },
    },
    async request => {
      const at = new Date();
      const range = parseRange(request.query, at);
      return await longReads.run(request.caller, db => readHistory(db, request.params.projectId, range, at));
    },
  );

  app.put(
    '/api/admin/projects/:projectId/health/findings/:rule/:subject/snooze',
    {
      config: { permission: ['UPDATE_FEATURE', 'UPDATE_PROJECT'] },
      schema: {
        operationId: 'snoozeFinding',
        tags,
        summary: 'Put a finding off',
        description:
          'Until the moment given, the finding is left out of the list. It counts into the health all the same. Events: health-finding-snoozed.',
        params: ofFinding,
        body: NewSnooze,
        response: { 200: answer('How it is put off', Snooze), ...refusals(400, 401, 403, 404, 413, 415) },
      },
    },
    async request => await snoozeFinding(db, request.actor, request.params, request.body, new Date()),
  );

  app.delete(
    '/api/admin/projects/:projectId/health/findings/:rule/:subject/snooze',
    {
      config: { permission: ['UPDATE_FEATURE', 'UPDATE_PROJECT'] },
      schema: {
        operationId: 'wakeFinding',
        tags,
        summary: 'Take a finding up again',
        description: 'The finding is listed again before its time. Events: health-finding-woken.',
        params: ofFinding,
        response: { 200: Nothing, ...refusals(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      await wakeFinding(db, request.actor, request.params);
      return reply.code(200).send();
    },
  );
}
