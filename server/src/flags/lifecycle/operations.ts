import { notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { featureParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { completeFeature, uncompleteFeature } from './complete.ts';
import { Completion, LifecycleCount, LifecycleHistory } from './schema.ts';
import { countByStage, findStages } from './store.ts';

const BASE_PATH = '/api/admin/projects/:projectId/features/:featureName/lifecycle';

/** The `Lifecycle` schema is registered with the feature operations. */
export const LIFECYCLE: OperationModule = {
  tag: 'Features',
  schemas: [LifecycleHistory, LifecycleCount],
  operations: [
    query({
      id: 'getFeatureLifecycle',
      route: `GET ${BASE_PATH}`,
      summary: 'List the stages of a feature',
      description:
        'Returns every stage the feature has reached since it was created or revived, oldest first.',
      permission: 'NONE',
      params: featureParams,
      output: jsonResponse('The stages', LifecycleHistory),
      read: async ({ db }, { params: { projectId, featureName } }) => {
        const stages = await findStages(db, projectId, featureName);
        if (!stages) throw notFound(`Feature "${featureName}" in project "${projectId}"`);
        return stages;
      },
    }),
    command({
      id: 'completeFeature',
      route: `POST ${BASE_PATH}/complete`,
      summary: 'Mark a feature as completed',
      description:
        'Marks a feature as completed, either kept or discarded. statusValue can name the kept variant.',
      permission: ['UPDATE_FEATURE'],
      params: featureParams,
      body: Completion,
      events: ['feature-completed'],
      run: (current, { params: { projectId, featureName }, body }) =>
        completeFeature(current, projectId, featureName, body),
    }),
    command({
      id: 'uncompleteFeature',
      route: `POST ${BASE_PATH}/uncomplete`,
      summary: 'Unmark a feature as completed',
      description: 'Returns a completed feature to its previous stage.',
      permission: ['UPDATE_FEATURE'],
      params: featureParams,
      events: ['feature-uncompleted'],
      run: (current, { params: { projectId, featureName } }) =>
        uncompleteFeature(current, projectId, featureName),
    }),
    query({
      id: 'getLifecycleCount',
      route: 'GET /api/admin/lifecycle/count',
      summary: 'Count features by stage',
      description:
        'Returns the number of features at each stage, in all projects that the caller may read. Each feature counts once.',
      permission: 'NONE',
      output: jsonResponse('The number of features at each stage', LifecycleCount),
      read: async ({ db, actor }) => {
        const stages = await countByStage(db, actor);
        const counts = new Map(stages.map(({ stage, count }) => [stage, count]));
        return {
          initial: counts.get('initial') ?? 0,
          preLive: counts.get('pre-live') ?? 0,
          live: counts.get('live') ?? 0,
          completed: counts.get('completed') ?? 0,
          archived: counts.get('archived') ?? 0,
        };
      },
    }),
  ],
};
