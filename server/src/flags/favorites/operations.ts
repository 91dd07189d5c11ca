import { COST } from '@halyard/plane/platform/http/protection/rate-limit.ts';
import { featureParams, projectParams } from '../../platform/http/params.ts';
import { command, type OperationModule } from '../../record/operations/definition.ts';
import { setFeatureFavorite, setProjectFavorite } from './favorite.ts';

const PROJECT = '/api/admin/projects/:projectId/favorites';
const FEATURE = '/api/admin/projects/:projectId/features/:featureName/favorites';

export const FAVORITES: OperationModule = {
  tag: 'Favorites',
  schemas: [],
  operations: [
    command({
      id: 'addFavoriteFeature',
      route: `POST ${FEATURE}`,
      summary: 'Add a feature to favorites',
      description:
        "Adds the feature to the caller's favorites. Requires a user: a session or a personal access token.",
      permission: 'NONE',
      cost: COST.personal,
      params: featureParams,
      rejects: [409],
      events: ['feature-favorited'],
      run: (current, { params: { projectId, featureName } }) =>
        setFeatureFavorite(current, projectId, featureName, true),
    }),
    command({
      id: 'removeFavoriteFeature',
      route: `DELETE ${FEATURE}`,
      summary: 'Remove a feature from favorites',
      description:
        "Removes the feature from the caller's favorites. Requires a user: a session or a personal access token.",
      permission: 'NONE',
      cost: COST.personal,
      params: featureParams,
      rejects: [409],
      events: ['feature-unfavorited'],
      run: (current, { params: { projectId, featureName } }) =>
        setFeatureFavorite(current, projectId, featureName, false),
    }),
    command({
      id: 'addFavoriteProject',
      route: `POST ${PROJECT}`,
      summary: 'Add a project to favorites',
      description:
        "Adds the project to the caller's favorites. Requires a user: a session or a personal access token.",
      permission: 'NONE',
      cost: COST.personal,
      params: projectParams,
      rejects: [409],
      events: ['project-favorited'],
      run: (current, { params: { projectId } }) => setProjectFavorite(current, projectId, true),
    }),
    command({
      id: 'removeFavoriteProject',
      route: `DELETE ${PROJECT}`,
      summary: 'Remove a project from favorites',
      description:
        "Removes the project from the caller's favorites. Requires a user: a session or a personal access token.",
      permission: 'NONE',
      cost: COST.personal,
      params: projectParams,
      rejects: [409],
      events: ['project-unfavorited'],
      run: (current, { params: { projectId } }) => setProjectFavorite(current, projectId, false),
    }),
  ],
};
