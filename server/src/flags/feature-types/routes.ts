import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse } from '../../platform/http/schema.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { FeatureType, FeatureTypeList, Lifetime } from './schema.ts';
import { findFeatureType, listFeatureTypes } from './store.ts';
import { changeLifetime } from './update.ts';
import { VERSIONED_FEATURE_TYPE } from './version.ts';

const tags = ['Feature types'];
const params = Type.Object({
  id: Type.String({ title: 'FeatureTypeId', description: 'Id of the type', examples: ['release'] }),
});

export function featureTypeRoutes(app: App, db: Db): void {
  for (const schema of [FeatureType, FeatureTypeList]) app.addSchema(schema);

  app.get(
    '/api/admin/feature-types',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getFeatureTypes',
        tags,
        summary: 'List feature types',
        description: 'Returns all feature types by name, each with its expected lifetime.',
        response: { 200: jsonResponse('The feature types', FeatureTypeList), ...errorResponses(401, 403) },
      },
    },
    async () => ({ version: 1, types: await listFeatureTypes(db) }),
  );

  app.get(
    '/api/admin/feature-types/:id',
    {
      config: { etag: true, permission: 'NONE' },
      schema: {
        operationId: 'getFeatureType',
        tags,
        summary: 'Get a feature type',
        description: 'Returns one feature type with its expected lifetime.',
        params,
        response: { 200: jsonResponse('The feature type', FeatureType), ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const featureType = await findFeatureType(db, id);
      if (!featureType) throw notFound(`Feature type "${id}"`);
      return sendVersion(request, reply, VERSIONED_FEATURE_TYPE, featureType);
    },
  );

  app.put(
    '/api/admin/feature-types/:id/lifetime',
    {
      config: { ifMatch: true, permission: ['ADMIN'] },
      schema: {
        operationId: 'updateFeatureTypeLifetime',
        tags,
        summary: 'Set the lifetime of a feature type',
        description:
          'Sets after how many days features of the type become potentially stale; 0 or null means never. The lifetime applies immediately to all features of the type. Requires ADMIN. Events: feature-type-updated.',
        params,
        body: Lifetime,
        response: {
          200: jsonResponse('The feature type', FeatureType),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { id } = request.params;
      const { lifetimeDays } = request.body;
      return await changeVersion(db, request, VERSIONED_FEATURE_TYPE, id, current =>
        changeLifetime(current, id, lifetimeDays),
      );
    },
  );
}
