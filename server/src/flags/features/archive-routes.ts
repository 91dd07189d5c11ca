import { Type } from 'typebox';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { uniqueNames } from '../feature-rows/names.ts';
import { FeatureNames } from '../feature-rows/schema.ts';
import { removeFeatures, reviveFeatures } from './archive.ts';
import { checkArchive } from './archive-check.ts';
import { ArchiveCheck } from './schema.ts';

const tags = ['Features'];
const ofFeature = Type.Object({
  featureName: Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] }),
});

/** Routes that name an archived feature without its project, and the preview of archiving. */
export function archiveRoutes(app: App, db: Db, limits: Pick<Limits, 'features'>): void {
  app.addSchema(ArchiveCheck);

  app.delete(
    '/api/admin/archive/:featureName',
    {
      config: { permission: ['DELETE_FEATURE'] },
      schema: {
        operationId: 'deleteArchivedFeature',
        tags,
        summary: 'Delete an archived feature',
        description:
          'Deletes an archived feature permanently. Its name can be used again. Requires DELETE_FEATURE. Events: feature-deleted.',
        params: ofFeature,
        response: { 200: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { actor, projectOfFeature: project, params } = request;
      await change(db, actor, current => removeFeatures(current, project, [params.featureName]));
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/archive/revive/:featureName',
    {
      config: { permission: ['UPDATE_FEATURE'] },
      schema: {
        operationId: 'reviveFeature',
        tags,
        summary: 'Revive an archived feature',
        description:
          'Revives a feature, disabled in every environment and without parents. The limits of the project and the instance apply. Requires UPDATE_FEATURE. Events: feature-revived, feature-environment-disabled.',
        params: ofFeature,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { actor, projectOfFeature: project, params } = request;
      await change(db, actor, current =>
        reviveFeatures(current, project, [params.featureName], limits.features),
      );
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/projects/:projectId/archive/validate',
    {
      config: { permission: ['DELETE_FEATURE'] },
      schema: {
        operationId: 'validateArchive',
        tags,
        summary: 'Preview archiving',
        description:
          'Returns which of the features are parents of other features, and whether archiving removes dependencies. Changes nothing. Requires DELETE_FEATURE.',
        params: Type.Object({
          projectId: Type.String({ description: 'Id of the project', examples: ['default'] }),
        }),
        body: FeatureNames,
        response: {
          200: jsonResponse('The effects of archiving', ArchiveCheck),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => await checkArchive(db, request.params.projectId, uniqueNames(request.body.features)),
  );
}
