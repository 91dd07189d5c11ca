import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { errorResponses, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { favoriteFeature, favoriteProject } from './favorite.ts';

const tags = ['Favorites'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const featureName = Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] });

const response = { 200: Nothing, ...errorResponses(401, 403, 404, 409) };

export function favoriteRoutes(app: App, db: Db): void {
  app.post(
    '/api/admin/projects/:projectId/features/:featureName/favorites',
    {
      config: { permission: 'NONE', cost: COST.personal },
      schema: {
        operationId: 'addFavoriteFeature',
        tags,
        summary: 'Add a feature to favorites',
        description:
          'Adds the feature to the favorites of the caller. Requires a user: a session or a personal access token. Events: feature-favorited.',
        params: Type.Object({ projectId, featureName }),
        response,
      },
    },
    async (request, reply) => {
      const { projectId: project, featureName: name } = request.params;
      await change(db, request.actor, current => favoriteFeature(current, project, name, true));
      return reply.code(200).send();
    },
  );

  app.delete(
    '/api/admin/projects/:projectId/features/:featureName/favorites',
    {
      config: { permission: 'NONE', cost: COST.personal },
      schema: {
        operationId: 'removeFavoriteFeature',
        tags,
        summary: 'Remove a feature from favorites',
        description:
          'Removes the feature from the favorites of the caller. Requires a user: a session or a personal access token. Events: feature-unfavorited.',
        params: Type.Object({ projectId, featureName }),
        response,
      },
    },
    async (request, reply) => {
      const { projectId: project, featureName: name } = request.params;
      await change(db, request.actor, current => favoriteFeature(current, project, name, false));
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/projects/:projectId/favorites',
    {
      config: { permission: 'NONE', cost: COST.personal },
      schema: {
        operationId: 'addFavoriteProject',
        tags,
        summary: 'Add a project to favorites',
        description:
          'Adds the project to the favorites of the caller. Requires a user: a session or a personal access token. Events: project-favorited.',
        params: Type.Object({ projectId }),
        response,
      },
    },
    async (request, reply) => {
      const { projectId: project } = request.params;
      await change(db, request.actor, current => favoriteProject(current, project, true));
      return reply.code(200).send();
    },
  );

  app.delete(
    '/api/admin/projects/:projectId/favorites',
    {
      config: { permission: 'NONE', cost: COST.personal },
      schema: {
        operationId: 'removeFavoriteProject',
        tags,
        summary: 'Remove a project from favorites',
        description:
          'Removes the project from the favorites of the caller. Requires a user: a session or a personal access token. Events: project-unfavorited.',
        params: Type.Object({ projectId }),
        response,
      },
    },
    async (request, reply) => {
      const { projectId: project } = request.params;
      await change(db, request.actor, current => favoriteProject(current, project, false));
      return reply.code(200).send();
    },
  );
}
