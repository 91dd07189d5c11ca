import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, Nothing, refusals } from '../../platform/http/schema.ts';
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
        summary: 'Make a feature depend on another',
        description:
          'The feature is then on only where its parent is as asked. Both are active features of one project; a parent has no parents and a child no children. Naming a parent again replaces what is asked of it. Events: feature-dependency-added.',
        params: ofFeature,
        body: NewDependency,
        response: { 200: Nothing, ...refusals(400, 401, 403, 404, 413, 415) },
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
        summary: 'Take a parent from a feature',
        description: 'The feature no longer depends on the parent. Events: feature-dependency-removed.',
        params: Type.Object({ projectId, featureName, parent }),
        response: { 200: Nothing, ...refusals(401, 403, 404) },
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
        summary: 'Take all parents from a feature',
        description: 'The feature depends on nothing any more. Events: feature-dependencies-removed.',
        params: ofFeature,
        response: { 200: Nothing, ...refusals(401, 403, 404) },
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
        summary: 'List what a feature could depend on',
        description:
          'Names of the active features of the project that depend on nothing themselves, without this one. None, if this one is a parent already or archived.',
        params: ofFeature,
        response: { 200: answer('The possible parents', PossibleParents), ...refusals(401, 403, 404) },
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
        summary: 'List the variants a child could ask of this feature',
        description:
          'Names of all variants of the feature, in any environment: its own and those of its strategies.',
        params: ofFeature,
        response: { 200: answer('The variants', ParentVariants), ...refusals(401, 403, 404) },
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
        summary: 'Ask whether a project has dependencies',
        description: 'true if any feature of the project depends on another.',
        params: Type.Object({ projectId }),
        response: { 200: answer('Whether there are any', DependenciesExist), ...refusals(401, 403, 404) },
      },
    },
    async request => await hasDependencies(db, request.params.projectId),
  );
}
