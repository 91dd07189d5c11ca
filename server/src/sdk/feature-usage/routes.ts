import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import {
  page,
  parseCount,
  parseLimit,
  parseOffset,
  parseSearch,
  SearchQuery,
} from '../../platform/http/filter.ts';
import { errorResponses, jsonResponse } from '../../platform/http/schema.ts';
import type { ImpactMetrics } from '../metrics/impact.ts';
import {
  EnvironmentUsage,
  FeatureCounts,
  FeatureUsage,
  ProjectFeatureUsage,
  ProjectUsage,
  RawFeatureUsage,
} from './schema.ts';
import { listCounts, listLastHour, listProjectUsage, listSeenApplications } from './store.ts';

const tags = ['Metrics'];
const HERE = '/api/admin/client-metrics/features/:featureName';
const params = Type.Object({
  featureName: Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] }),
});
const FORMAT = { version: 1, maturity: 'stable' };
/** Counts of longer ago are read by day. */
const MOST_HOURLY = 48;
const MOST_HOURS_BACK = 2_160;

export function featureUsageRoutes(app: App, db: Db, impact: ImpactMetrics): void {
  for (const schema of [
    EnvironmentUsage,
    FeatureUsage,
    FeatureCounts,
    RawFeatureUsage,
    ProjectFeatureUsage,
    ProjectUsage,
  ])
    app.addSchema(schema);

  app.get(
    HERE,
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getFeatureUsage',
        tags,
        summary: 'Get the usage of a feature',
        description:
          'Returns how often SDKs evaluated the feature in the current and the previous hour, by environment, and the applications that asked for it.',
        params,
        response: { 200: jsonResponse('The usage', FeatureUsage), ...errorResponses(401, 403, 404) },
      },
    },
    async ({ params: { featureName } }) => ({
      ...FORMAT,
      featureName,
      lastHourUsage: await listLastHour(db, featureName),
      seenApplications: await listSeenApplications(db, featureName),
    }),
  );

  app.get(
    `${HERE}/raw`,
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getRawFeatureUsage',
        tags,
        summary: 'List the counts of a feature',
        description:
          'Returns how often SDKs evaluated the feature, by application, environment and hour. Above 48 hours the counts are by day.',
        params,
        querystring: SearchQuery({
          hoursBack: Type.Optional(
            Type.String({ description: 'Hours to go back, 1 to 2160', default: '48', examples: ['24'] }),
          ),
        }),
        response: { 200: jsonResponse('The counts', RawFeatureUsage), ...errorResponses(400, 401, 403, 404) },
      },
    },
    async ({ params: { featureName }, query }) => {
      const { hoursBack } = parseSearch<{ hoursBack: number }>(
        query,
        { hoursBack: value => parseCount(value, 1, MOST_HOURS_BACK) },
        { hoursBack: MOST_HOURLY },
      );
      const by = hoursBack > MOST_HOURLY ? 'day' : 'hour';
      return { ...FORMAT, featureName, data: await listCounts(db, featureName, hoursBack, by) };
    },
  );

  app.get(
    '/api/admin/projects/:projectId/usage',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjectUsage',
        tags,
        summary: 'List the usage of the features of a project',
        description:
          'Returns how often SDKs evaluated the active features of a project in the last days, by name and environment. Features that no SDK evaluated are omitted.',
        params: Type.Object({
          projectId: Type.String({ description: 'Id of the project', examples: ['default'] }),
        }),
        querystring: SearchQuery({
          days: Type.Optional(
            Type.String({ description: 'Days to go back, 1 to 366', default: '30', examples: ['7'] }),
          ),
          ...page,
        }),
        response: { 200: jsonResponse('The usage', ProjectUsage), ...errorResponses(400, 401, 403, 404) },
      },
    },
    async ({ params: { projectId }, query }) => {
      const { days, limit, offset } = parseSearch<{ days: number; limit: number; offset: number }>(
        query,
        { days: value => parseCount(value, 1, 366), limit: parseLimit, offset: parseOffset },
        { days: 30, limit: 50, offset: 0 },
      );
      return await listProjectUsage(db, projectId, days, limit, offset);
    },
  );

  app.get(
    '/internal-backstage/impact/metrics',
    {
      schema: {
        operationId: 'getImpactMetrics',
        tags: ['Operations'],
        summary: 'Impact metrics for Prometheus',
        description:
          'Returns the counters, gauges and histograms that applications define in their SDKs, as far as this server received them, in the text format of Prometheus.',
        security: [],
        response: {
          200: { description: 'The metrics', content: { 'text/plain': { schema: Type.String() } } },
        },
      },
    },
    async (_request, reply) => reply.type('text/plain; version=0.0.4; charset=utf-8').send(impact.text()),
  );
}
