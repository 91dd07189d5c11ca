import { requireInProject } from '../../access/guard.ts';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import type { LongReads } from '../../platform/http/long-reads.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { answer, Nothing, refusals } from '../../platform/http/schema.ts';
import { exportFeatures } from './export.ts';
import { importFeatures, validateImport } from './import.ts';
import { ExportQuery, FeatureExport, ImportReport, ImportRequest } from './schema.ts';

const tags = ['Export and import'];
/** A thousand features with two strategies each are some 3 MB. */
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
          'Features as they are in one environment, with strategies, variants, tags, parents and links, and what they refer to: the named ones, those of a project, or those with a tag. Only what the caller may read. Events: features-exported, one for each project.',
        body: ExportQuery,
        response: { 200: answer('The export', FeatureExport), ...refusals(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const exported = await longReads.run(request.caller, db =>
        exportFeatures(db, request.actor, request.body),
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
        summary: 'Check an import',
        description:
          'What stands against an import, what would be otherwise than expected, and which permissions the caller lacks. Writes nothing.',
        body: ImportRequest,
        response: { 200: answer('The findings', ImportReport), ...refusals(400, 401, 403, 404, 413, 415) },
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
          'Creates the features that are missing and makes those that exist what the data says in the environment: all of it or nothing. Permissions by what it does, see the check. Events: features-imported, and those of every single change.',
        body: ImportRequest,
        response: { 200: Nothing, ...refusals(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      await requireInProject(db, request.actor, request.body.project, []);
      await importFeatures(db, request.actor, request.body, limits.features);
      return reply.code(200).send();
    },
  );
}
