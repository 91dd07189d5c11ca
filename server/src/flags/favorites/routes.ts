import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { Nothing, refusals } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { starFeature, starProject } from './star.ts';

const tags = ['Favorites'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const featureName = Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] });

const response = { 200: Nothing, ...refusals(401, 403, 404, 409) };

export function favoriteRoutes(app: App, db: Db): void {
  app.post(
    '/api/admin/projects/:projectId/features/:featureName/favorites',
    {
      config: { permission: 'NONE', cost: COST.personal },
      schema: {
        operationId: 'addFavoriteFeature',
        tags,
        summary: 'Star a feature',
        description:
          'Makes the feature a favorite of the caller, who must be a user; repeating it changes nothing. Events: feature-favorited.',
        params: Type.Object({ projectId, featureName }),
        response,
      },
    },
    async (request, reply) => {
      const { projectId: project, featureName: name } = request.params;
      await change(db, request.actor, current => starFeature(current, project, name, true));
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
        summary: 'Unstar a feature',
        description:
          'The feature is no favorite of the caller any more; repeating it changes nothing. Events: feature-unfavorited.',
        params: Type.Object({ projectId, featureName }),
        response,
      },
    },
    async (request, reply) => {
      const { projectId: project, featureName: name } = request.params;
      await change(db, request.actor, current => starFeature(current, project, name, false));
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
        summary: 'Star a project',
        description:
          'Makes the project a favorite of the caller, who must be a user; repeating it changes nothing. Events: project-favorited.',
        params: Type.Object({ projectId }),
        response,
      },
    },
    async (request, reply) => {
      const { projectId: project } = request.params;
      await change(db, request.actor, current => starProject(current, project, true));
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
        summary: 'Unstar a project',
        description:
          'The project is no favorite of the caller any more; repeating it changes nothing. Events: project-unfavorited.',
        params: Type.Object({ projectId }),
        response,
      },
    },
    async (request, reply) => {
      const { projectId: project } = request.params;
      await change(db, request.actor, current => starProject(current, project, false));
      return reply.code(200).send();
    },
  );
}
