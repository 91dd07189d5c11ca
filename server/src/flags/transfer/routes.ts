import { requireInProject } from '../../access/guard.ts';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import type { LongReads } from '../../platform/http/long-reads.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { exportFeatures } from './export.ts';
import { importFeatures, validateImport } from './import.ts';
import { ExportQuery, FeatureExport, ImportReport, ImportRequest } from './schema.ts';

const tags = ['Export and import'];
/** 1,000 features with two strategies each are about 3 MB. */
const BODY_LIMIT_BYTES = 8_388_608;

export function transferRoutes(
  app: App,
  db: Db,
  limits: Pick<Limits, 'features'>,
  longReads: LongReads,
): void {
  for (const schema of [FeatureExport, ImportReport]) app.addSchema(schema);

  app.post(
    '/api/admin/features-batch/export',
    {
      config: { permission: 'NONE', onlyReads: true, cost: COST.transfer },
      schema: {
        operationId: 'exportFeatures',
        tags,
        summary: 'Export features',
        description:
          'Exports features as they are in one environment, with strategies, variants, tags, parents and links, and the segments, context fields and tag types they refer to. Select features by name, by project or by tag. Exports only features of projects the caller may read. Events: features-exported, one for each project.',
        body: ExportQuery,
        response: {
          200: jsonResponse('The export', FeatureExport),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const exported = await longReads.run(request, db =>
        change(db, request.actor, current => exportFeatures(current, request.body)),
      );
      if (request.body.downloadFile)
        reply.header('content-disposition', 'attachment; filename="features.json"');
      return exported;
    },
  );

  app.post(
    '/api/admin/features-batch/validate',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { permission: 'NONE', onlyReads: true, cost: COST.bulk },
      schema: {
        operationId: 'validateImport',
        tags,
        summary: 'Validate an import',
        description:
          'Returns the errors and warnings of an import and the permissions the caller lacks. Every caller who may read the project may call it. It changes nothing.',
        body: ImportRequest,
        response: {
          200: jsonResponse('The findings', ImportReport),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      await requireInProject(db, request.actor, request.body.project, []);
      return await validateImport(db, request.actor, request.body);
    },
  );

  app.post(
    '/api/admin/features-batch/import',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { permission: 'NONE', cost: COST.transfer },
      schema: {
        operationId: 'importFeatures',
        tags,
        summary: 'Import features',
        description:
          'Creates missing features and overwrites existing features in the environment. If there is an error, the server imports nothing. The required permissions depend on the data; validate the import to list them. Events: features-imported, and the events of each change.',
        body: ImportRequest,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      await requireInProject(db, request.actor, request.body.project, []);
      await change(db, request.actor, current => importFeatures(current, request.body, limits.features));
      return reply.code(200).send();
    },
  );
}
