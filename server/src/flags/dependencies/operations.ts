import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { featureName, featureParams, projectId, projectParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { addDependency } from './add.ts';
import { readPossibleParents, readVariantNames } from './parents.ts';
import { removeDependencies, removeDependency } from './remove.ts';
import { DependenciesExist, NewDependency, ParentVariants, PossibleParents } from './schema.ts';
import { hasDependencies } from './store.ts';

const parent = Type.String({ description: 'Name of the parent', examples: ['payments'] });

const FEATURE = '/api/admin/projects/:projectId/features/:featureName';

export const DEPENDENCIES: OperationModule = {
  tag: 'Dependencies',
  schemas: [PossibleParents, ParentVariants, DependenciesExist],
  operations: [
    command({
      id: 'addFeatureDependency',
      route: `POST ${FEATURE}/dependencies`,
      summary: 'Add a parent',
      description:
        'Makes a feature depend on a parent: SDKs enable the feature only if the parent is in the required state, which is enabled, disabled, or serving one of the given variants. Both must be active features of the same project, and the parent must not have a parent itself. Adding the same parent again replaces the requirements.',
      permission: ['UPDATE_FEATURE_DEPENDENCY'],
      params: featureParams,
      body: NewDependency,
      events: ['feature-dependency-added'],
      run: (current, { params: { projectId, featureName }, body }) =>
        addDependency(current, projectId, featureName, body),
    }),
    command({
      id: 'deleteFeatureDependency',
      route: `DELETE ${FEATURE}/dependencies/:parent`,
      summary: 'Remove a parent',
      description: 'Removes one parent of a feature.',
      permission: ['UPDATE_FEATURE_DEPENDENCY'],
      params: Type.Object({ projectId, featureName, parent }),
      events: ['feature-dependency-removed'],
      run: (current, { params: { projectId, featureName, parent } }) =>
        removeDependency(current, projectId, featureName, parent),
    }),
    command({
      id: 'deleteFeatureDependencies',
      route: `DELETE ${FEATURE}/dependencies`,
      summary: 'Remove all parents',
      description: 'Removes all parents of a feature.',
      permission: ['UPDATE_FEATURE_DEPENDENCY'],
      params: featureParams,
      events: ['feature-dependencies-removed'],
      run: (current, { params: { projectId, featureName } }) =>
        removeDependencies(current, projectId, featureName),
    }),
    query({
      id: 'getPossibleParents',
      route: `GET ${FEATURE}/parents`,
      summary: 'List the possible parents of a feature',
      description:
        'Returns the names of the other active features of the project that have no parents. The list is empty if the feature is a parent or archived.',
      permission: 'NONE',
      params: featureParams,
      output: jsonResponse('The possible parents', PossibleParents),
      read: ({ db }, { params: { projectId, featureName } }) =>
        readPossibleParents(db, projectId, featureName),
    }),
    query({
      id: 'getParentVariants',
      route: `GET ${FEATURE}/parent-variants`,
      summary: 'List the variants that a child can require',
      description:
        'Returns the names of all variants of the feature and of its strategies, in any environment.',
      permission: 'NONE',
      params: featureParams,
      output: jsonResponse('The variants', ParentVariants),
      read: ({ db }, { params: { projectId, featureName } }) => readVariantNames(db, projectId, featureName),
    }),
    query({
      id: 'checkDependenciesExist',
      route: 'GET /api/admin/projects/:projectId/dependencies',
      summary: 'Check whether a project has dependencies',
      description: 'Returns true if a feature of the project depends on another feature.',
      permission: 'NONE',
      params: projectParams,
      output: jsonResponse('Whether dependencies exist', DependenciesExist),
      read: ({ db }, { params: { projectId } }) => hasDependencies(db, projectId),
    }),
  ],
};
