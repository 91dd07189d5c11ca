import { NamedObject, Timestamp, UrlName } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const featureName = UrlName({
  description: 'Feature name, unique in the instance',
  examples: ['checkout-v2'],
});
export const featureType = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Id of a feature type',
  examples: ['release'],
});
export const description = Type.String({
  description: 'What the feature does',
  maxLength: 4_000,
  examples: ['The new checkout page'],
});

/** The fields of a feature that events about it contain: everything except tags, links and other lists. */
export const featureRow = {
  name: featureName,
  type: featureType,
  description: Type.Optional(description),
  project: Type.String({ description: 'Id of the project', examples: ['default'] }),
  stale: Type.Boolean({ description: 'Whether the feature is marked as stale' }),
  impressionData: Type.Boolean({
    description: 'Whether SDKs raise an event each time the feature is evaluated',
  }),
  archived: Type.Boolean({ description: 'Whether the feature is archived' }),
  createdAt: Timestamp('When the feature was created'),
};
export type FeatureRow = Static<ReturnType<typeof Type.Object<typeof featureRow>>>;

export const featureNames = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  description: 'Names of the features',
  minItems: 1,
  maxItems: 1_000,
  examples: [['checkout-v2', 'dark-mode']],
});
export const FeatureNames = NamedObject(
  'FeatureNames',
  { features: featureNames },
  { examples: [{ features: ['checkout-v2', 'dark-mode'] }] },
);
