import { Named, NamedObject, Nullable, Ref } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const FeatureType = Named(
  'FeatureType',
  Type.Object(
    {
      id: Type.String({ description: 'Id of the feature type', examples: ['release'] }),
      name: Type.String({ description: 'Name of the feature type', examples: ['Release'] }),
      description: Type.String({
        description: 'Description of the feature type',
        examples: ['Brings a change to users step by step, then goes away'],
      }),
      lifetimeDays: Nullable(
        Type.Integer({
          description: 'Days after which a feature is potentially stale; null: never',
          examples: [40],
        }),
      ),
    },
    { description: 'A feature type' },
  ),
);
export type FeatureType = Static<typeof FeatureType>;

export const FeatureTypeList = Named(
  'FeatureTypeList',
  Type.Object({
    version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
    types: Type.Array(Ref(FeatureType)),
  }),
);

export const Lifetime = NamedObject(
  'FeatureTypeLifetime',
  {
    lifetimeDays: Nullable(
      Type.Integer({
        minimum: 0,
        maximum: 36_500,
        description: 'Days after which a feature is potentially stale; 0 or null: never',
        examples: [40],
      }),
    ),
  },
  { examples: [{ lifetimeDays: 40 }] },
);
