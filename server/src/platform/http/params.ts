import { Type } from 'typebox';

export const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
export const featureName = Type.String({
  description: 'Feature name, unique in the instance',
  examples: ['checkout-v2'],
});
export const environment = Type.String({
  title: 'EnvironmentName',
  description: 'Name of the environment',
  examples: ['production'],
});

export const inProject = Type.Object({ projectId });
export const ofFeature = Type.Object({ projectId, featureName });
export const inEnvironment = Type.Object({ projectId, environment });
export const ofFeatureInEnvironment = Type.Object({ projectId, featureName, environment });
