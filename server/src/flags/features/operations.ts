import { rejectForAll } from '@halyard/plane/platform/errors.ts';
import { COST } from '@halyard/plane/platform/http/protection/rate-limit.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { JsonPatch } from '../../platform/http/input/patch.ts';
import { featureParams, projectParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import type { Precondition } from '../../record/versioned.ts';
import { Dependency } from '../dependencies/schema.ts';
import { requireUniqueNames } from '../feature-rows/names.ts';
import { FeatureNames } from '../feature-rows/schema.ts';
import { Lifecycle } from '../lifecycle/schema.ts';
import { FeatureLink } from '../links/schema.ts';
import { archiveFeatures, removeFeatures, reviveFeatures } from './archive.ts';
import { createFeature, findNewFeatureViolations } from './create.ts';
import { featureEtag, lockFeatureEtag } from './etag.ts';
import { moveFeature } from './move.ts';
import { readFeature } from './read.ts';
import {
  Feature,
  FeatureList,
  FeatureMove,
  FeatureNameCheck,
  FeatureUpdate,
  NewFeature,
  StaleFeatures,
} from './schema.ts';
import { markStale } from './stale.ts';
import { findTakenNameErrors } from './taken-names.ts';
import { changeFeature, patchFeature } from './update.ts';

const PROJECT = '/api/admin/projects/:projectId';
const FEATURE = `${PROJECT}/features/:featureName` as const;

const featureUnchanged = (project: string, name: string): Precondition => ({
  resourceName: `Feature "${name}"`,
  readEtags: current => lockFeatureEtag(current, project, name),
});

export const FEATURES: OperationModule = {
  tag: 'Features',
  schemas: [Dependency, FeatureLink, Lifecycle, Feature, FeatureList],
  operations: [
    command({
      id: 'createFeature',
      route: `POST ${PROJECT}/features`,
      summary: 'Create a feature',
      description:
        'Creates a feature, disabled in every environment of the project. Its name must be unique in the instance, even among archived features, and match the naming pattern of the project.',
      permission: ['CREATE_FEATURE'],
      params: projectParams,
      body: NewFeature,
      output: jsonResponse('The new feature', Feature),
      status: 201,
      rejects: [409],
      checks: [
        ({ params: { projectId = '' }, body, items }, db) =>
          findNewFeatureViolations(db, projectId, body, items('tags')),
      ],
      events: ['feature-created', 'feature-tagged', 'tag-created'],
      run: (current, { params: { projectId }, body }, { limits }) =>
        createFeature(current, projectId, body, limits.features),
      respond: (tx, actor, _, { params: { projectId }, body }) =>
        readFeature(tx, actor, projectId, body.name),
    }),
    query({
      id: 'getFeature',
      route: `GET ${FEATURE}`,
      summary: 'Get a feature',
      description: 'Returns one active or archived feature with its environments, strategies and variants.',
      permission: 'NONE',
      params: featureParams,
      output: jsonResponse('The feature', Feature),
      etag: featureEtag,
      read: ({ db, actor }, { params: { projectId, featureName } }) =>
        readFeature(db, actor, projectId, featureName),
    }),
    command({
      id: 'updateFeature',
      route: `PUT ${FEATURE}`,
      summary: 'Update a feature',
      description: 'Changes the given fields: type, description, impressionData, stale.',
      permission: ['UPDATE_FEATURE'],
      params: featureParams,
      body: FeatureUpdate,
      output: jsonResponse('The feature', Feature),
      events: ['feature-metadata-updated', 'feature-stale-on', 'feature-stale-off'],
      precondition: ({ params: { projectId, featureName } }) => featureUnchanged(projectId, featureName),
      run: (current, { params: { projectId, featureName }, body }) =>
        changeFeature(current, projectId, featureName, body),
      respond: (tx, actor, _, { params: { projectId, featureName } }) =>
        readFeature(tx, actor, projectId, featureName),
    }),
    command({
      id: 'patchFeature',
      route: `PATCH ${FEATURE}`,
      summary: 'Patch a feature',
      description: 'Applies a JSON Patch to type, description, impressionData and stale.',
      permission: ['UPDATE_FEATURE'],
      params: featureParams,
      body: JsonPatch,
      output: jsonResponse('The feature', Feature),
      events: ['feature-metadata-updated', 'feature-stale-on', 'feature-stale-off'],
      precondition: ({ params: { projectId, featureName } }) => featureUnchanged(projectId, featureName),
      run: (current, { params: { projectId, featureName }, body }) =>
        patchFeature(current, projectId, featureName, body),
      respond: (tx, actor, _, { params: { projectId, featureName } }) =>
        readFeature(tx, actor, projectId, featureName),
    }),
    command({
      id: 'archiveFeature',
      route: `DELETE ${FEATURE}`,
      summary: 'Archive a feature',
      description:
        'Archives a feature. It can be revived. Its name stays reserved, and its dependencies are removed. A feature that is the parent of another active feature cannot be archived.',
      permission: ['DELETE_FEATURE'],
      params: featureParams,
      status: 202,
      events: ['feature-dependencies-removed', 'feature-archived'],
      precondition: ({ params: { projectId, featureName } }) => featureUnchanged(projectId, featureName),
      run: (current, { params: { projectId, featureName } }) =>
        archiveFeatures(current, projectId, [featureName]),
    }),
    command({
      id: 'archiveFeatures',
      route: `POST ${PROJECT}/archive`,
      summary: 'Archive features',
      description:
        'Archives all given features, or none of them. A parent can be archived only together with all its children.',
      permission: ['DELETE_FEATURE'],
      cost: COST.bulk,
      params: projectParams,
      body: FeatureNames,
      status: 202,
      events: ['feature-dependencies-removed', 'feature-archived'],
      run: (current, { params: { projectId }, body }) =>
        archiveFeatures(current, projectId, requireUniqueNames(body.features)),
    }),
    command({
      id: 'reviveFeatures',
      route: `POST ${PROJECT}/revive`,
      summary: 'Revive archived features',
      description:
        'Revives all given features, or none of them. They are disabled in every environment and have no parents. The limits of the project and the instance apply.',
      permission: ['UPDATE_FEATURE'],
      cost: COST.bulk,
      params: projectParams,
      body: FeatureNames,
      events: ['feature-revived', 'feature-environment-disabled'],
      run: (current, { params: { projectId }, body }, { limits }) =>
        reviveFeatures(current, projectId, requireUniqueNames(body.features), limits.features),
    }),
    command({
      id: 'deleteFeatures',
      route: `POST ${PROJECT}/delete`,
      summary: 'Delete archived features',
      description: 'Deletes all given features permanently, or none of them. They must be archived.',
      permission: ['DELETE_FEATURE'],
      cost: COST.bulk,
      params: projectParams,
      body: FeatureNames,
      events: ['feature-deleted'],
      run: (current, { params: { projectId }, body }) =>
        removeFeatures(current, projectId, requireUniqueNames(body.features)),
    }),
    command({
      id: 'markFeaturesStale',
      route: `POST ${PROJECT}/stale`,
      summary: 'Mark or unmark features as stale',
      description: 'Marks or unmarks all given features as stale, or none of them.',
      permission: ['UPDATE_FEATURE'],
      cost: COST.bulk,
      params: projectParams,
      body: StaleFeatures,
      status: 202,
      events: ['feature-stale-on', 'feature-stale-off'],
      run: (current, { params: { projectId }, body: { features, stale } }) =>
        markStale(current, projectId, requireUniqueNames(features), stale),
    }),
    command({
      id: 'changeProject',
      route: `POST ${FEATURE}/changeProject`,
      summary: 'Move a feature to a different project',
      description:
        'Moves the feature to a different project. The server rejects the move, with every reason, if users would get a different result there. The permission is required in both projects.',
      permission: ['MOVE_FEATURE_TOGGLE'],
      params: featureParams,
      body: FeatureMove,
      events: ['feature-project-change'],
      run: (current, { params: { projectId, featureName }, body }) =>
        moveFeature(current, projectId, featureName, body.newProjectId),
    }),
    query({
      id: 'validateFeatureName',
      route: 'POST /api/admin/features/validate',
      summary: 'Validate a feature name',
      description: 'Returns 200 if the name is valid and no active or archived feature has it.',
      permission: 'NONE',
      body: FeatureNameCheck,
      rejects: [409],
      read: async ({ db, actor }, { body: { name } }) =>
        rejectForAll('The name', await findTakenNameErrors(db, actor, [name])),
    }),
  ],
};
