import type { FeatureEnvironmentKey } from './schema.ts';

export const FEATURE = '/api/admin/projects/:projectId/features/:featureName';
export const BASE_PATH = `${FEATURE}/environments/:environment` as const;

export const toFeatureEnvironmentKey = (params: {
  projectId: string;
  featureName: string;
  environment: string;
}): FeatureEnvironmentKey => ({
  project: params.projectId,
  featureName: params.featureName,
  environment: params.environment,
});
