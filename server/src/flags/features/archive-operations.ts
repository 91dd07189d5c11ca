import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { featureName, projectParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUniqueNames } from '../feature-rows/names.ts';
import { FeatureNames } from '../feature-rows/schema.ts';
import { removeFeatures, reviveFeatures } from './archive.ts';
import { checkArchive } from './archive-check.ts';
import { ArchiveCheck } from './schema.ts';

const params = Type.Object({ featureName });

/** Operations on an archived feature whose paths do not name its project, and the preview of archiving. */
export const ARCHIVE: OperationModule = {
  tag: 'Features',
  schemas: [ArchiveCheck],
  operations: [
    command({
      id: 'deleteArchivedFeature',
      route: 'DELETE /api/admin/archive/:featureName',
      summary: 'Delete an archived feature',
      description: 'Deletes an archived feature permanently. Its name can be used again.',
      permission: ['DELETE_FEATURE'],
      params,
      events: ['feature-deleted'],
      run: (current, { params: { featureName } }, { projectOfFeature }) =>
        removeFeatures(current, projectOfFeature, [featureName]),
    }),
    command({
      id: 'reviveFeature',
      route: 'POST /api/admin/archive/revive/:featureName',
      summary: 'Revive an archived feature',
      description:
        'Revives a feature. It is disabled in every environment and has no parents. The limits of the project and the instance apply.',
      permission: ['UPDATE_FEATURE'],
      params,
      events: ['feature-revived', 'feature-environment-disabled'],
      run: (current, { params: { featureName } }, { projectOfFeature, limits }) =>
        reviveFeatures(current, projectOfFeature, [featureName], limits.features),
    }),
    query({
      id: 'validateArchive',
      route: 'POST /api/admin/projects/:projectId/archive/validate',
      summary: 'Preview archiving',
      description:
        'Returns which of the features are parents of other features, and whether archiving removes dependencies. Changes nothing.',
      permission: ['DELETE_FEATURE'],
      params: projectParams,
      body: FeatureNames,
      output: jsonResponse('The effects of archiving', ArchiveCheck),
      read: ({ db }, { params: { projectId }, body }) =>
        checkArchive(db, projectId, requireUniqueNames(body.features)),
    }),
  ],
};
