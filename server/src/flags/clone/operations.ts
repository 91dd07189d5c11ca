import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { featureEnvironmentParams, featureParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { copyEnvironment } from '../feature-environments/copy.ts';
import { environmentUnchanged } from '../feature-environments/etag.ts';
import { BASE_PATH, FEATURE, toFeatureEnvironmentKey } from '../feature-environments/paths.ts';
import { readEnvironment } from '../feature-environments/read.ts';
import { EnvironmentCopy, FeatureEnvironment } from '../feature-environments/schema.ts';
import { lockFeatureEtag } from '../features/etag.ts';
import { readCopies } from './copies.ts';
import { readDrift } from './drift.ts';
import { CopyList, Drift } from './schema.ts';

/** Copying between environments, drift, and the list of copies. Cloning itself is in `routes.ts`. */
export const COPIES: OperationModule = {
  tag: 'Features',
  schemas: [Drift, CopyList],
  operations: [
    command({
      id: 'copyFeatureEnvironment',
      route: `POST ${BASE_PATH}/copy`,
      summary: 'Copy a feature from one environment to another',
      description:
        'Replaces the strategies and variants of a feature in this environment with those it has in a different environment. If no enabled strategy remains, the feature is disabled. To add strategies, the caller needs CREATE_FEATURE_STRATEGY; to remove them, DELETE_FEATURE_STRATEGY; and to change variants, UPDATE_FEATURE_ENVIRONMENT_VARIANTS.',
      permission: ['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS'],
      params: featureEnvironmentParams,
      body: EnvironmentCopy,
      output: jsonResponse('The feature in this environment', FeatureEnvironment),
      events: [
        'feature-strategy-remove',
        'feature-strategy-add',
        'feature-environment-disabled',
        'feature-environment-variants-updated',
      ],
      precondition: ({ params }) => environmentUnchanged(toFeatureEnvironmentKey(params), lockFeatureEtag),
      run: (current, { params, body }) => copyEnvironment(current, toFeatureEnvironmentKey(params), body),
      respond: (tx, _actor, _result, { params }) => readEnvironment(tx, toFeatureEnvironmentKey(params)),
    }),
    query({
      id: 'getFeatureDrift',
      route: `GET ${FEATURE}/drift`,
      summary: 'Compare a copy with its source',
      description:
        'Returns the differences between a copy and its source, in the parts that cloning copies. The comparison ignores ids and enabled states. Returns 404 if the feature is not a copy, its source was deleted, or the caller cannot read the source.',
      permission: 'NONE',
      params: featureParams,
      output: jsonResponse('The differences', Drift),
      read: ({ db, actor }, { params: { projectId, featureName } }) =>
        readDrift(db, actor, projectId, featureName),
    }),
    query({
      id: 'getFeatureCopies',
      route: `GET ${FEATURE}/copies`,
      summary: 'List the copies of a feature',
      description:
        'Returns the features that were cloned from this feature, newest first, each with the number of differences. Copies in projects that the caller cannot read are omitted.',
      permission: 'NONE',
      params: featureParams,
      output: jsonResponse('The copies', CopyList),
      read: ({ db, actor }, { params: { projectId, featureName } }) =>
        readCopies(db, actor, projectId, featureName),
    }),
  ],
};
