import { COST } from '@halyard/plane/platform/http/protection/rate-limit.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { requireInProject } from '../../access/guard.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { importFeatures, validateImport } from './import.ts';
import { ImportReport, ImportRequest } from './schema.ts';

/** 1,000 features with two strategies each take about 3 MB. */
const BODY_LIMIT_BYTES = 8_388_608;

export const IMPORTS: OperationModule = {
  tag: 'Export and import',
  schemas: [ImportReport],
  operations: [
    query({
      id: 'validateImport',
      route: 'POST /api/admin/features-batch/validate',
      summary: 'Validate an import',
      description:
        'Returns the errors and warnings of an import and the permissions the caller lacks. Every caller who may read the project may call it. Changes nothing.',
      permission: 'NONE',
      bodyLimit: BODY_LIMIT_BYTES,
      onlyReads: true,
      cost: COST.bulk,
      body: ImportRequest,
      output: jsonResponse('The findings', ImportReport),
      rejects: [404],
      read: async ({ db, actor }, { body }) => {
        await requireInProject(db, actor, body.project, []);
        return await validateImport(db, actor, body);
      },
    }),
    command({
      id: 'importFeatures',
      route: 'POST /api/admin/features-batch/import',
      summary: 'Import features',
      description:
        'Creates missing features and overwrites existing features in the environment. If there is an error, the server imports nothing. The required permissions depend on the data; validate the import to list them.',
      permission: 'NONE',
      checksPermissions: true,
      bodyLimit: BODY_LIMIT_BYTES,
      cost: COST.transfer,
      body: ImportRequest,
      rejects: [404, 409],
      events: [
        'context-field-created',
        'tag-type-created',
        'tag-created',
        'feature-created',
        'feature-metadata-updated',
        'feature-stale-on',
        'feature-stale-off',
        'feature-tagged',
        'feature-link-added',
        'feature-dependency-added',
        'feature-strategy-remove',
        'feature-strategy-add',
        'feature-environment-variants-updated',
        'feature-environment-enabled',
        'feature-environment-disabled',
        'features-imported',
      ],
      run: async (current, { body }, { limits }) => {
        await requireInProject(current.tx, current.actor, body.project, []);
        await importFeatures(current, body, limits.features);
      },
    }),
  ],
};
