import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, refusals } from '../../platform/http/schema.ts';
import {
  FeatureSearchQuery,
  FeatureSearchResult,
  FlagCreator,
  FlagCreators,
  FoundEnvironment,
  FoundFeature,
} from './schema.ts';
import { parseFeatureSearch } from './search-query.ts';
import { listFlagCreators, searchFeatures } from './store.ts';

const tags = ['Features'];

export function featureSearchRoutes(app: App, db: Db): void {
  for (const schema of [FoundEnvironment, FoundFeature, FeatureSearchResult, FlagCreator])
    app.addSchema(schema);

  app.get(
    '/api/admin/search/features',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'searchFeatures',
        tags,
        summary: 'Search features',
        description:
          'Features of all projects the caller may read, a page at a time. Filters are combined with and. The total counts only what the caller may see.',
        querystring: FeatureSearchQuery,
        response: { 200: answer('The page and the total', FeatureSearchResult), ...refusals(400, 401, 403) },
      },
    },
    async request => await searchFeatures(db, request.actor, parseFeatureSearch(request.query)),
  );

  app.get(
    '/api/admin/flag-creators',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getFlagCreators',
        tags,
        summary: 'List the creators of features',
        description:
          'Those who created at least one feature, archived or not, in a project the caller may read: the values for the createdBy filter.',
        response: { 200: FlagCreators, ...refusals(401, 403) },
      },
    },
    async request => await listFlagCreators(db, request.actor),
  );

  app.get(
    '/api/admin/projects/:projectId/flag-creators',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getFlagCreatorsOfProject',
        tags,
        summary: 'List the creators of the features of a project',
        description: 'Those who created at least one feature that is now in the project, archived or not.',
        params: Type.Object({
          projectId: Type.String({ description: 'Id of the project', examples: ['default'] }),
        }),
        response: { 200: FlagCreators, ...refusals(401, 403, 404) },
      },
    },
    async request => await listFlagCreators(db, request.actor, request.params.projectId),
  );
}
