import {
  page,
  parseCount,
  parseLimit,
  parseOffset,
  parseSearch,
  SearchQuery,
} from '@halyard/plane/platform/http/input/filter.ts';
import { jsonResponse, Optional } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { featureName, projectParams } from '../../platform/http/params.ts';
import { type OperationModule, query } from '../../record/operations/definition.ts';
import {
  EnvironmentUsage,
  FeatureCounts,
  FeatureUsage,
  ProjectFeatureUsage,
  ProjectUsage,
  RawFeatureUsage,
} from './schema.ts';
import { listCounts, listLastHour, listProjectUsage, listSeenApplications } from './store.ts';

const BASE_PATH = '/api/admin/client-metrics/features/:featureName';
const params = Type.Object({ featureName });
const FORMAT = { version: 1, maturity: 'stable' };
/** Counts from further back are read by day. */
const MAX_HOURS_BY_HOUR = 48;
const MAX_HOURS_BACK = 2_160;

export const FEATURE_USAGE: OperationModule = {
  tag: 'Metrics',
  schemas: [
    EnvironmentUsage,
    FeatureUsage,
    FeatureCounts,
    RawFeatureUsage,
    ProjectFeatureUsage,
    ProjectUsage,
  ],
  operations: [
    query({
      id: 'getFeatureUsage',
      route: `GET ${BASE_PATH}`,
      summary: 'Get the usage of a feature',
      description:
        'Returns how often SDKs evaluated the feature in the current and the previous hour, by environment, and the applications that requested it.',
      permission: 'NONE',
      params,
      output: jsonResponse('The usage', FeatureUsage),
      read: async ({ db }, { params: { featureName } }) => ({
        ...FORMAT,
        featureName,
        lastHourUsage: await listLastHour(db, featureName),
        seenApplications: await listSeenApplications(db, featureName),
      }),
    }),
    query({
      id: 'getRawFeatureUsage',
      route: `GET ${BASE_PATH}/raw`,
      summary: 'List the evaluation counts of a feature',
      description:
        'Returns how often SDKs evaluated the feature, by application, environment and hour. For more than 48 hours, the counts are by day.',
      permission: 'NONE',
      params,
      query: SearchQuery({
        hoursBack: Optional.Integer({
          description: `Hours to go back, 1 to ${MAX_HOURS_BACK}`,
          minimum: 1,
          maximum: MAX_HOURS_BACK,
          default: MAX_HOURS_BY_HOUR,
          examples: [24],
        }),
      }),
      output: jsonResponse('The counts', RawFeatureUsage),
      read: async ({ db }, { params: { featureName }, query }) => {
        const { hoursBack } = parseSearch<{ hoursBack: number }>(
          query,
          { hoursBack: value => parseCount(value, 1, MAX_HOURS_BACK) },
          { hoursBack: MAX_HOURS_BY_HOUR },
        );
        const period = hoursBack > MAX_HOURS_BY_HOUR ? 'day' : 'hour';
        return { ...FORMAT, featureName, data: await listCounts(db, featureName, hoursBack, period) };
      },
    }),
    query({
      id: 'getProjectUsage',
      route: 'GET /api/admin/projects/:projectId/usage',
      summary: 'List the feature usage of a project',
      description:
        'Returns how often SDKs evaluated the active features of a project in the given number of days, by name and environment. Features that no SDK evaluated are omitted.',
      permission: 'NONE',
      params: projectParams,
      query: SearchQuery({
        days: Optional.Integer({
          description: 'Days to go back, 1 to 366',
          minimum: 1,
          maximum: 366,
          default: 30,
          examples: [7],
        }),
        ...page,
      }),
      output: jsonResponse('The usage', ProjectUsage),
      read: async ({ db }, { params: { projectId }, query }) => {
        const { days, limit, offset } = parseSearch<{ days: number; limit: number; offset: number }>(
          query,
          { days: value => parseCount(value, 1, 366), limit: parseLimit, offset: parseOffset },
          { days: 30, limit: 50, offset: 0 },
        );
        return await listProjectUsage(db, projectId, days, limit, offset);
      },
    }),
  ],
};
