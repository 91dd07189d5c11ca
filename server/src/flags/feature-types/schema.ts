import { NamedObject, Nullable, Ref, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const FeatureType = SharedObject('FeatureType', 'A feature type', {
  id: Type.String({ description: 'Id of the feature type', examples: ['release'] }),
  name: Type.String({ description: 'Name of the feature type', examples: ['Release'] }),
  description: Type.String({
    description: 'Description of the feature type',
    examples: ['Brings a change to users step by step, then goes away'],
  }),
  lifetimeDays: Nullable.Integer({
    description: 'Days after which a feature is potentially stale; null: never',
    examples: [40],
  }),
});
export type FeatureType = Static<typeof FeatureType>;

export const FeatureTypeList = SharedObject('FeatureTypeList', {
  version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
  types: Type.Array(Ref(FeatureType)),
});

export const Lifetime = NamedObject(
  'FeatureTypeLifetime',
  {
    lifetimeDays: Nullable.Integer({
      minimum: 0,
      maximum: 36_500,
      description: 'Days after which a feature is potentially stale; 0 or null: never',
      examples: [40],
    }),
  },
  { examples: [{ lifetimeDays: 40 }] },
);
