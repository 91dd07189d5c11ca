import { queryOptions } from '@tanstack/react-query';
import { api, done, type Schemas, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Export = Schemas['FeatureExport'];
export type ExportInput = Schemas['ExportRequest'];
export type ImportInput = Schemas['ImportRequest'];
export type ImportReport = Schemas['ImportReport'];

export const exportFlags = (body: ExportInput): Promise<Export> =>
  unwrap(api.POST('/api/admin/features-batch/export', { body, fetch: sendRead }));

/** What an import would do. The server writes nothing. */
export const examineImport = (body: ImportInput): Promise<ImportReport> =>
  unwrap(api.POST('/api/admin/features-batch/validate', { body, fetch: sendRead }));

/** Imports flags. Resolves with the event of the import, or undefined if everything already matched. */
export async function importFlags(body: ImportInput): Promise<Schemas['Event'] | undefined> {
  const before = await newestImport(body.project);
  await done(api.POST('/api/admin/features-batch/import', { body }));
  const after = await newestImport(body.project);
  return after?.id === before?.id ? undefined : after;
}

async function newestImport(project: string): Promise<Schemas['Event'] | undefined> {
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
