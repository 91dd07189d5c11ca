import { notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { FeatureType, FeatureTypeList, Lifetime } from './schema.ts';
import { findFeatureType, listFeatureTypes } from './store.ts';
import { changeLifetime } from './update.ts';
import { VERSIONED_FEATURE_TYPE } from './version.ts';

const params = Type.Object({
  id: Type.String({ title: 'FeatureTypeId', description: 'Id of the type', examples: ['release'] }),
});

export const FEATURE_TYPES: OperationModule = {
  tag: 'Feature types',
  schemas: [FeatureType, FeatureTypeList],
  operations: [
    query({
      id: 'getFeatureTypes',
      route: 'GET /api/admin/feature-types',
      summary: 'List feature types',
      description: 'Returns all feature types, sorted by name, each with its expected lifetime.',
      permission: 'NONE',
      output: jsonResponse('The feature types', FeatureTypeList),
      read: async ({ db }) => ({ version: 1, types: await listFeatureTypes(db) }),
    }),
    query({
      id: 'getFeatureType',
      route: 'GET /api/admin/feature-types/:id',
      summary: 'Get a feature type',
      description: 'Returns one feature type with its expected lifetime.',
      permission: 'NONE',
      params,
      output: jsonResponse('The feature type', FeatureType),
      versioned: VERSIONED_FEATURE_TYPE,
      read: async ({ db }, { params: { id } }) => {
        const featureType = await findFeatureType(db, id);
        if (!featureType) throw notFound(`Feature type "${id}"`);
        return featureType;
      },
    }),
    command({
      id: 'updateFeatureTypeLifetime',
      route: 'PUT /api/admin/feature-types/:id/lifetime',
      summary: 'Set the lifetime of a feature type',
      description:
        'Sets the number of days after which features of the type are potentially stale; 0 or null means never. The lifetime applies immediately to all features of the type.',
      permission: ['ADMIN'],
      params,
      body: Lifetime,
      output: jsonResponse('The feature type', FeatureType),
      events: ['feature-type-updated'],
      precondition: ({ params: { id } }) => requireUnchanged(VERSIONED_FEATURE_TYPE, id),
      run: (current, { params: { id }, body }) => changeLifetime(current, id, body.lifetimeDays),
    }),
  ],
};
