import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, refusals } from '../../platform/http/schema.ts';
import { FeatureType, FeatureTypeList, Lifetime } from './schema.ts';
import { listFeatureTypes } from './store.ts';
import { changeLifetime } from './update.ts';

const tags = ['Feature types'];

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
        description: 'The kinds of feature, by name, each with its expected lifetime.',
        response: { 200: answer('The feature types', FeatureTypeList), ...refusals(401, 403) },
      },
    },
    async () => ({ version: 1, types: await listFeatureTypes(db) }),
  );

  app.put(
    '/api/admin/feature-types/:id/lifetime',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'updateFeatureTypeLifetime',
        tags,
        summary: 'Set the lifetime of a feature type',
        description:
          'A feature older than the lifetime of its type is potentially stale; 0 or null: never. Counts at once for all features of the type. Events: feature-type-updated.',
        params: Type.Object({ id: Type.String({ description: 'Id of the type', examples: ['release'] }) }),
        body: Lifetime,
        response: { 200: answer('The feature type', FeatureType), ...refusals(400, 401, 403, 404, 413, 415) },
      },
    },
    async request => await changeLifetime(db, request.actor, request.params.id, request.body.lifetimeDays),
  );
}
