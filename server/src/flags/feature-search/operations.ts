import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { makeEtag } from '../../platform/http/output/etag.ts';
import { projectParams } from '../../platform/http/params.ts';
import { type OperationModule, query } from '../../record/operations/definition.ts';
import {
  AllFlagCreators,
  FeatureSearchQuery,
  FeatureSearchResult,
  FlagCreator,
  FlagCreators,
  FoundEnvironment,
  FoundFeature,
} from './schema.ts';
import { parseFeatureSearch } from './search-query.ts';
import { listFlagCreators, searchFeatures } from './store.ts';

export const FEATURE_SEARCH: OperationModule = {
  tag: 'Features',
  schemas: [FoundEnvironment, FoundFeature, FeatureSearchResult, FlagCreator, AllFlagCreators],
  operations: [
    query({
      id: 'searchFeatures',
      route: 'GET /api/admin/search/features',
      summary: 'Search features',
      description:
        'Returns a page of the features that match all filters, in projects the caller may read, and their total number. Poll it with If-None-Match: the response is 304 while the page is unchanged. Every authenticated caller may call it.',
      permission: 'NONE',
      query: FeatureSearchQuery,
      output: jsonResponse('The page and the total', FeatureSearchResult),
      etag: result => makeEtag(result),
      read: async ({ actor, longReads, longReader }, { query }) => {
        const search = parseFeatureSearch(query);
        // Even for a small page, the total and the order depend on every feature that the caller may read.
        return await longReads.run(longReader, db => searchFeatures(db, actor, search));
      },
    }),
    query({
      id: 'getFlagCreators',
      route: 'GET /api/admin/flag-creators',
      summary: 'List the creators of features',
      description:
        'Returns the users and service accounts who created a feature, active or archived, in a project the caller may read. Use their ids in the createdBy filter of the feature search.',
      permission: 'NONE',
      output: jsonResponse('The creators', AllFlagCreators),
      read: async ({ db, actor }) => {
        const flagCreators = await listFlagCreators(db, actor);
        return { flagCreators, total: flagCreators.length };
      },
    }),
    query({
      id: 'getFlagCreatorsOfProject',
      route: 'GET /api/admin/projects/:projectId/flag-creators',
      summary: 'List the feature creators of a project',
      description:
        'Returns the users and service accounts who created a feature, active or archived, that is now in the project.',
      permission: 'NONE',
      params: projectParams,
      output: FlagCreators,
      read: ({ db, actor }, { params: { projectId } }) => listFlagCreators(db, actor, projectId),
    }),
  ],
};
