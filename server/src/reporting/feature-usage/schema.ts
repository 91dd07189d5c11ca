import { Named, NamedObject, Ref, SharedObject, Timestamp } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

const format = {
  version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
  maturity: Type.String({ description: 'Always stable', examples: ['stable'] }),
  featureName: Type.String({
    description: 'Feature name, unique in the instance',
    examples: ['pay.new-basket'],
  }),
};
const yes = Type.Integer({ description: 'Number of times that the feature was enabled', examples: [974] });
const no = Type.Integer({ description: 'Number of times that the feature was disabled', examples: [50] });
const variants = Type.Record(Type.String(), Type.Integer(), {
  description: 'Number of times that each variant was served',
  examples: [{ blue: 500, green: 474 }],
});

export const EnvironmentUsage = SharedObject('FeatureEnvironmentUsage', {
  environment: Type.String({ description: 'Name of the environment', examples: ['production'] }),
  timestamp: Timestamp('Start of the newest hour in the counts'),
  yes,
  no,
  variants,
});
export type EnvironmentUsage = Static<typeof EnvironmentUsage>;

export const FeatureUsage = SharedObject('FeatureUsage', {
  ...format,
  lastHourUsage: Type.Array(Ref(EnvironmentUsage), {
    description: 'Counts of the current hour and the hour before, by environment',
  }),
  seenApplications: Type.Array(Type.String(), {
    description: 'Applications that requested the feature in the last 90 days, at most 1,000',
    examples: [['checkout']],
  }),
});

export const FeatureCounts = Named(
  'FeatureCounts',
  NamedObject('FeatureCounts', {
    featureName: format.featureName,
    appName: Type.String({
      description: 'Name of the application, as its SDK sends it',
      examples: ['checkout'],
    }),
    environment: Type.String({ description: 'Name of the environment', examples: ['production'] }),
    timestamp: Timestamp('Start of the hour or of the day'),
    yes,
    no,
    variants,
  }),
);
export type FeatureCounts = Static<typeof FeatureCounts>;

export const RawFeatureUsage = SharedObject('RawFeatureUsage', {
  ...format,
  data: Type.Array(Ref(FeatureCounts), { description: 'The newest 10,000 counts, oldest first' }),
});

export const ProjectFeatureUsage = SharedObject('ProjectFeatureUsage', {
  name: Type.String({ description: 'Feature name, unique in the instance', examples: ['pay.new-basket'] }),
  environments: Type.Array(
    NamedObject('ProjectEnvironmentUsage', 'Evaluations in an environment', {
      environment: Type.String({ description: 'Name of the environment', examples: ['production'] }),
      yes,
      no,
      lastDay: Type.String({
        format: 'date',
        description: 'The last day with an evaluation',
        examples: ['2026-11-15'],
      }),
    }),
  ),
});
export type ProjectFeatureUsage = Static<typeof ProjectFeatureUsage>;

export const ProjectUsage = SharedObject('ProjectUsage', {
  total: Type.Integer({ description: 'Number of evaluated features on all pages', examples: [1] }),
  features: Type.Array(Ref(ProjectFeatureUsage), { description: 'Evaluated features, by name' }),
});
