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

export const projectParams = Type.Object({ projectId });
export const featureParams = Type.Object({ projectId, featureName });
export const projectEnvironmentParams = Type.Object({ projectId, environment });
export const featureEnvironmentParams = Type.Object({ projectId, featureName, environment });
