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

/** The names for which an import check lists the projects. The page shows only this many names. */
export const MAX_SHOWN_NAMES = 20;

/** Finds the active flags with these names, in the projects that the user can read. */
export const flagsByNameQuery = (names: readonly string[]) =>
  queryOptions({
    queryKey: [...keys.flags, 'by-name', names],
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(
        names.slice(0, MAX_SHOWN_NAMES).map(name =>
          unwrap(
            api.GET('/api/admin/search/features', {
              params: { query: { query: name, limit: 50 } },
              signal,
            }),
          ),
        ),
      );
      return pages.flatMap(({ features }) => features.filter(({ name }) => names.includes(name)));
    },
    enabled: names.length > 0,
  });
