import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { addDependency } from './add.ts';
import { possibleParents, variantsOf } from './parents.ts';
import { removeDependencies, removeDependency } from './remove.ts';
import { DependenciesExist, NewDependency, ParentVariants, PossibleParents } from './schema.ts';
import { hasDependencies } from './store.ts';

const tags = ['Dependencies'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const featureName = Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] });
const parent = Type.String({ description: 'Name of the parent', examples: ['payments'] });
const ofFeature = Type.Object({ projectId, featureName });

export function dependencyRoutes(app: App, db: Db): void {
  for (const schema of [PossibleParents, ParentVariants, DependenciesExist]) app.addSchema(schema);

  app.post(
    '/api/admin/projects/:projectId/features/:featureName/dependencies',
    {
      config: { permission: ['UPDATE_FEATURE_DEPENDENCY'] },
      schema: {
        operationId: 'addFeatureDependency',
        tags,
        summary: 'Add a parent',
        description:
          'Makes a feature depend on a parent: SDKs enable it only if the parent is enabled, disabled or has a variant as required. Both are active features of one project. A parent has no parents. Naming a parent again replaces its requirements. Requires UPDATE_FEATURE_DEPENDENCY. Events: feature-dependency-added.',
        params: ofFeature,
        body: NewDependency,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project, featureName: name } = request.params;
      await change(db, request.actor, current => addDependency(current, project, name, request.body));
      return reply.code(200).send();
    },
  );

  app.delete(
    '/api/admin/projects/:projectId/features/:featureName/dependencies/:parent',
    {
      config: { permission: ['UPDATE_FEATURE_DEPENDENCY'] },
      schema: {
        operationId: 'deleteFeatureDependency',
        tags,
        summary: 'Remove a parent',
        description:
          'Removes one parent of a feature. Requires UPDATE_FEATURE_DEPENDENCY. Events: feature-dependency-removed.',
        params: Type.Object({ projectId, featureName, parent }),
        response: { 200: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId: project, featureName: name } = request.params;
      await change(db, request.actor, current =>
        removeDependency(current, project, name, request.params.parent),
      );
      return reply.code(200).send();
    },
  );

  app.delete(
    '/api/admin/projects/:projectId/features/:featureName/dependencies',
    {
      config: { permission: ['UPDATE_FEATURE_DEPENDENCY'] },
      schema: {
        operationId: 'deleteFeatureDependencies',
        tags,
        summary: 'Remove all parents',
        description:
          'Removes all parents of a feature. Requires UPDATE_FEATURE_DEPENDENCY. Events: feature-dependencies-removed.',
        params: ofFeature,
        response: { 200: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId: project, featureName: name } = request.params;
      await change(db, request.actor, current => removeDependencies(current, project, name));
      return reply.code(200).send();
    },
  );

  app.get(
    '/api/admin/projects/:projectId/features/:featureName/parents',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getPossibleParents',
        tags,
        summary: 'List possible parents of a feature',
        description:
          'Returns the names of the other active features of the project that have no parents. The list is empty if the feature is a parent or archived.',
        params: ofFeature,
        response: {
          200: jsonResponse('The possible parents', PossibleParents),
          ...errorResponses(401, 403, 404),
        },
      },
    },
    async request => await possibleParents(db, request.params.projectId, request.params.featureName),
  );

  app.get(
    '/api/admin/projects/:projectId/features/:featureName/parent-variants',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getParentVariants',
        tags,
        summary: 'List the variants that a child can require',
        description:
          'Returns the names of all variants of the feature and of its strategies, in any environment.',
        params: ofFeature,
        response: { 200: jsonResponse('The variants', ParentVariants), ...errorResponses(401, 403, 404) },
      },
    },
    async request => await variantsOf(db, request.params.projectId, request.params.featureName),
  );

  app.get(
    '/api/admin/projects/:projectId/dependencies',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'checkDependenciesExist',
        tags,
        summary: 'Check whether a project has dependencies',
        description: 'Returns true if a feature of the project depends on another feature.',
        params: Type.Object({ projectId }),
        response: {
          200: jsonResponse('Whether dependencies exist', DependenciesExist),
          ...errorResponses(401, 403, 404),
        },
      },
    },
    async request => await hasDependencies(db, request.params.projectId),
  );
}
