import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { makeEtag, unlessKnown } from '../../platform/http/etag.ts';
import type { LongReads } from '../../platform/http/long-reads.ts';
import { errorResponses, jsonResponse } from '../../platform/http/schema.ts';
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

const tags = ['Features'];

export function featureSearchRoutes(app: App, db: Db, longReads: LongReads): void {
  for (const schema of [FoundEnvironment, FoundFeature, FeatureSearchResult, FlagCreator, AllFlagCreators])
    app.addSchema(schema);

  app.get(
    '/api/admin/search/features',
    {
      config: { permission: 'NONE', etag: true },
      schema: {
        operationId: 'searchFeatures',
        tags,
        summary: 'Search features',
        description:
          'Returns a page of the features that match all filters, in projects the caller may read, and their total number. Poll it with If-None-Match: an unchanged page gets 304. Every authenticated caller may call it.',
        querystring: FeatureSearchQuery,
        response: {
          200: jsonResponse('The page and the total', FeatureSearchResult),
          ...errorResponses(400, 401, 403),
        },
      },
    },
    async (request, reply) => {
      const search = parseFeatureSearch(request.query);
      // The total and the order need every feature that the caller may read, however small the page is.
      const found = await longReads.run(request, db => searchFeatures(db, request.actor, search));
      return unlessKnown(request, reply, makeEtag(found), found);
    },
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
          'Returns the users and service accounts that created a feature, active or archived, in a project the caller may read. Use their ids in the createdBy filter of the feature search.',
        response: {
          200: jsonResponse('The creators', AllFlagCreators),
          ...errorResponses(401, 403),
        },
      },
    },
    async request => {
      const flagCreators = await listFlagCreators(db, request.actor);
      return { flagCreators, total: flagCreators.length };
    },
  );

  app.get(
    '/api/admin/projects/:projectId/flag-creators',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getFlagCreatorsOfProject',
        tags,
        summary: 'List the creators of the features of a project',
        description:
          'Returns the users and service accounts that created a feature, active or archived, that is now in the project.',
        params: Type.Object({
          projectId: Type.String({ description: 'Id of the project', examples: ['default'] }),
        }),
        response: { 200: FlagCreators, ...errorResponses(401, 403, 404) },
      },
    },
    async request => await listFlagCreators(db, request.actor, request.params.projectId),
  );
}
