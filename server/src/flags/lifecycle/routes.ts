import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { completeFeature, uncompleteFeature } from './complete.ts';
import { Completion, LifecycleCount, LifecycleHistory } from './schema.ts';
import { countByStage, findStages } from './store.ts';

const tags = ['Features'];
const ofFeature = Type.Object({
  projectId: Type.String({ description: 'Id of the project', examples: ['default'] }),
  featureName: Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] }),
});

const HERE = '/api/admin/projects/:projectId/features/:featureName/lifecycle';

/** `featureRoutes` registers the schema Lifecycle. */
export function lifecycleRoutes(app: App, db: Db): void {
  for (const schema of [LifecycleHistory, LifecycleCount]) app.addSchema(schema);

  app.get(
    HERE,
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getFeatureLifecycle',
        tags,
        summary: 'List the stages of a feature',
        description:
          'Returns every stage the feature has reached since it was created or revived, oldest first.',
        params: ofFeature,
        response: { 200: jsonResponse('The stages', LifecycleHistory), ...errorResponses(401, 403, 404) },
      },
    },
    async request => {
      const { projectId, featureName } = request.params;
      const stages = await findStages(db, projectId, featureName);
      if (!stages) throw notFound(`Feature "${featureName}" in project "${projectId}"`);
      return stages;
    },
  );

  app.post(
    `${HERE}/complete`,
    {
      config: { permission: ['UPDATE_FEATURE'] },
      schema: {
        operationId: 'completeFeature',
        tags,
        summary: 'Mark a feature as completed',
        description:
          'Marks a feature as kept or discarded. statusValue can name the kept variant. Requires UPDATE_FEATURE. Events: feature-completed.',
        params: ofFeature,
        body: Completion,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId, featureName } = request.params;
      await change(db, request.actor, current =>
        completeFeature(current, projectId, featureName, request.body),
      );
      return reply.code(200).send();
    },
  );

  app.post(
    `${HERE}/uncomplete`,
    {
      config: { permission: ['UPDATE_FEATURE'] },
      schema: {
        operationId: 'uncompleteFeature',
        tags,
        summary: 'Unmark a feature as completed',
        description:
          'Returns a completed feature to its previous stage. Requires UPDATE_FEATURE. Events: feature-uncompleted.',
        params: ofFeature,
        response: { 200: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId, featureName } = request.params;
      await change(db, request.actor, current => uncompleteFeature(current, projectId, featureName));
      return reply.code(200).send();
    },
  );

  app.get(
    '/api/admin/lifecycle/count',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getLifecycleCount',
        tags,
        summary: 'Count features by stage',
        description:
          'Returns the number of features at each stage, in all projects that the caller may read. Each feature counts once.',
        response: {
          200: jsonResponse('The number of features at each stage', LifecycleCount),
          ...errorResponses(401, 403),
        },
      },
    },
    async request => {
      const counts = new Map(
        (await countByStage(db, request.actor)).map(({ stage, count }) => [stage, count]),
      );
      return {
        initial: counts.get('initial') ?? 0,
        preLive: counts.get('pre-live') ?? 0,
        live: counts.get('live') ?? 0,
        completed: counts.get('completed') ?? 0,
        archived: counts.get('archived') ?? 0,
      };
    },
  );
}
