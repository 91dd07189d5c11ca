import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Export = Schemas['FeatureExport'];
export type ExportInput = Schemas['ExportRequest'];
export type ImportInput = Schemas['ImportRequest'];
export type ImportReport = Schemas['ImportReport'];

export const exportFlags = (body: ExportInput): Promise<Export> =>
  unwrap(api.POST('/api/admin/features-batch/export', { body, fetch: sendRead }));

/** Reads what an import would do. The server writes nothing. */
export const checkImport = (body: ImportInput): Promise<ImportReport> =>
  unwrap(api.POST('/api/admin/features-batch/validate', { body, fetch: sendRead }));

/** Imports flags. Resolves with the event of the import, or undefined if everything already matched. */
export async function importFlags(body: ImportInput): Promise<Schemas['Event'] | undefined> {
  const importBefore = await findNewestImport(body.project);
  await ensureApplied(api.POST('/api/admin/features-batch/import', { body }));
  const importAfter = await findNewestImport(body.project);
  return importAfter?.id === importBefore?.id ? undefined : importAfter;
}

async function findNewestImport(project: string): Promise<Schemas['Event'] | undefined> {
  const query = { type: 'IS:features-imported', project: `IS:${project}`, limit: 1 };
  const { events } = await unwrap(api.GET('/api/admin/search/events', { params: { query } }));
  return events[0];
}

export const projectEnvironmentsQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...keys.project(projectId), 'environments'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/environments/project/{projectId}', { params: { path: { projectId } }, signal }),
      ),
    enabled: projectId !== '',
    staleTime: 30_000,
  });
